// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Environment;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.FileDigests;
import dev.kcache.toolchain.probe.FileStamps;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The toolchain of a clang that comes with the class path. Its label and identities are known
 * without it; it is put on the disk when something is to be compiled. A result depends on no file
 * of the machine's, so that its record is right on every machine.
 *
 * <p>A source that calls what only ROCm's device library has is compiled with the one of the
 * machine if it has one, once it has failed without. That one's files are then the record's
 * dependencies. A machine that has none of them takes the result as it is.
 *
 * <p>Safe for use by any number of threads.
 */
public final class EmbeddedToolchain implements Toolchain {
  /** Bumped whenever the identity is made of something else, or the command is another one. */
  private static final String SCHEMA = "kcache.llvm/1";

  private static final Duration INTERVAL = Duration.ofSeconds(2);

  /** For how long a compiler that could not be had is not looked for again. */
  private static final Duration RETRY = Duration.ofMinutes(1);

  private final LlvmDistribution distribution;
  private final Platform platform;
  private final ToolchainContext context;
  private final CompilerVersion version;
  private final CodeObjectVersions codeObjectVersions;
  private final Set<Processor> processors;
  private final FileDigests digests;
  private final LibraryUsers users = new LibraryUsers();
  private @Nullable Installed installed;
  private @Nullable Staging temporary;
  private @Nullable ToolchainNotFoundException failure;
  private long failedAt;
  private boolean closed;

  /**
   * Installs and starts nothing.
   *
   * @throws IllegalArgumentException if a variable of the environment holds what it can't
   */
  public EmbeddedToolchain(
      LlvmDistribution distribution, Platform platform, ToolchainContext context) {
    this.distribution = distribution;
    this.platform = platform;
    this.context = context;
    version = version(distribution.version());
    codeObjectVersions = CodeObjectVersions.in(context.environment());
    digests =
        new FileDigests(
            ProbeCache.in(context.memoDirectory(), Host.local()),
            new FileStamps(InstantSource.system(), INTERVAL));
    Set<String> names = distribution.processors(platform);
    processors =
        platform.processors().stream()
            .filter(processor -> platform == Platform.AMD || PtxVersion.of(processor).isPresent())
            .filter(processor -> names.contains(Clang.name(processor)))
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(Processor.class)));
  }

  private static CompilerVersion version(String version) {
    String label = "llvm" + version.substring(0, version.lastIndexOf('.'));
    return new CompilerVersion("LLVM", version, version, new ToolchainLabel(label));
  }

  @Override
  public String describe() {
    return "the embedded LLVM " + version.version();
  }

  @Override
  public ToolchainLabel label() {
    return version.label();
  }

  @Override
  public Set<Processor> processors() {
    return processors;
  }

  /** The driver translates PTX for its GPU: the newest that is not for that GPU alone. */
  @Override
  public TargetId targetFor(TargetId device) {
    TargetId best = device;
    for (Processor processor : processors) {
      TargetId target = TargetId.of(processor);
      boolean portable =
          Character.isDigit(target.toString().charAt(target.toString().length() - 1));
      if (processor.isVirtual() && portable && target.runsOn(device)) {
        best = target;
      }
    }
    return best;
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    Digest.Builder identity = Digest.builder().text(SCHEMA).text(distribution.digest().toString());
    identity.text(ClangHeaders.DIGEST.toString());
    for (String word : Clang.words(target, options, codeObjectVersions)) {
      identity.text(word);
    }
    return identity.build();
  }

  /**
   * What a compile reads beside the staged files is part of the identity, but for the device
   * library: where that is not, nothing says that another one is meant.
   */
  @Override
  public boolean hasUnchanged(List<File> files) {
    if (files.isEmpty()) {
      return true;
    }
    List<File> there = new ArrayList<>();
    for (File file : files) {
      if (Files.exists(Path.of(file.path()))) {
        there.add(file);
      }
    }
    boolean unchanged = digests.areUnchanged(there);
    digests.save();
    return unchanged;
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    if (platform == Platform.NVIDIA && !job.target().processor().isVirtual()) {
      throw new CompilationException(
          job.sourceName(),
          describe()
              + " makes PTX for NVIDIA, nothing for "
              + job.target()
              + "; ask for compute_"
              + job.target().toString().substring("sm_".length())
              + ", or compile with nvcc",
          List.of(),
          -1,
          "");
    }
    Installed compilers = installed();
    Processor processor = job.target().processor();
    Optional<DeviceLibrary> library = compilers.library().filter(found -> found.isFor(processor));
    if (library.isEmpty() || !users.contains(job)) {
      try {
        return dependingOn(List.of(), compilers.alone().compile(job));
      } catch (CompilationException e) {
        if (library.isEmpty() || !DeviceLibrary.isWantedBy(e.log())) {
          throw e;
        }
        users.add(job);
      }
    }
    List<File> files = filesOf(library.get(), processor);
    return dependingOn(files, compilers.linking().compile(job));
  }

  /** They are looked at before the compiler reads them: what changes meanwhile is noticed later. */
  private List<File> filesOf(DeviceLibrary library, Processor processor) {
    List<File> files = new ArrayList<>();
    for (Path file : library.files(processor)) {
      digests.digest(file).ifPresent(digest -> files.add(new File(file.toString(), digest)));
    }
    digests.save();
    return files;
  }

  private static Output dependingOn(List<File> files, Output output) {
    return new Output(output.codeObject(), output.command(), output.log(), output.elapsed(), files);
  }

  /**
   * The compilers, on the disk.
   *
   * @param parent where they are unpacked
   * @param root their own directory in it
   * @param linking the one that links the library; the same as {@code alone} if there is none
   */
  private record Installed(
      Path parent,
      Path root,
      DriverToolchain alone,
      DriverToolchain linking,
      Optional<DeviceLibrary> library) {
    void close() {
      alone.close();
      linking.close();
    }
  }

  /** Says that what was unpacked may not be executed where it is. */
  private static final class NotExecutableException extends IOException {
    private static final long serialVersionUID = 1L;

    NotExecutableException(String message) {
      super(message);
    }
  }

  private synchronized Installed installed() {
    if (closed) {
      throw new IllegalStateException("the cache was closed");
    }
    if (failure != null && System.nanoTime() - failedAt < RETRY.toNanos()) {
      throw new ToolchainNotFoundException(String.valueOf(failure.getMessage()));
    }
    Installed known = installed;
    if (known == null) {
      known = install();
      installed = known;
      Notices.warn(
          System.getLogger(EmbeddedToolchain.class.getName()),
          describe() + " compiles, " + whatItLacks(known.library()));
    } else if (!Files.exists(Clang.program(known.root()))) {
      putBack(known.parent());
    }
    return known;
  }

  private boolean areSound(List<File> files) {
    digests.readAhead(files.stream().map(File::path).toList());
    return digests.areUnchanged(files);
  }

  /** It may be removed meanwhile, by its user or for not being used. */
  private void putBack(Path parent) {
    try {
      // Makes the directory if that is gone, too.
      Optional<Path> unused = context.directory().get();
      Path root = distribution.install(parent, this::areSound);
      Path headers = installHeaders(parent);
      System.getLogger(EmbeddedToolchain.class.getName())
          .log(Level.DEBUG, () -> root + " and " + headers + " were put back");
    } catch (IOException e) {
      throw new ToolchainNotFoundException(
          describe() + " was removed from " + parent + " and could not be put back (" + e + ")");
    }
  }

  private String whatItLacks(Optional<DeviceLibrary> library) {
    if (library.isPresent()) {
      return "with ROCm's device library in "
          + library.get().directory()
          + " where it is needed; HIP's headers are kcache's own and have less than ROCm's";
    }
    return "without "
        + (platform == Platform.AMD ? "ROCm's" : "CUDA's")
        + " device library: no printf, and no math but what GPUs do by themselves; install "
        + (platform == Platform.AMD ? "hipcc" : "nvcc")
        + " for all of it";
  }

  /** What can't be had is not tried again for each of many kernels. */
  private Installed install() {
    try {
      Optional<Path> own = context.directory().get();
      return own.isPresent() ? installIn(own.get()) : installElsewhere();
    } catch (ToolchainNotFoundException e) {
      failure = e;
      failedAt = System.nanoTime();
      throw e;
    }
  }

  private Installed installIn(Path own) {
    try {
      return open(own);
    } catch (NotExecutableException e) {
      System.getLogger(EmbeddedToolchain.class.getName())
          .log(
              Level.WARNING,
              e.getMessage()
                  + "; it is unpacked into TMPDIR by each process: set KCACHE_DIR to a directory"
                  + " whose files may be executed");
      return installElsewhere();
    } catch (IOException e) {
      System.getLogger(EmbeddedToolchain.class.getName())
          .log(Level.DEBUG, "no room for the embedded LLVM", e);
      return installElsewhere();
    }
  }

  /** Where there is no place that lasts, in a temporary one: each process unpacks it then. */
  private Installed installElsewhere() {
    Staging made = Staging.create(context.stagingParent());
    try {
      Installed toolchain = open(made.work());
      temporary = made;
      return toolchain;
    } catch (NotExecutableException e) {
      made.close();
      throw new ToolchainNotFoundException(
          e.getMessage() + "; set KCACHE_DIR or TMPDIR to a directory whose files may be executed");
    } catch (IOException e) {
      made.close();
      throw new ToolchainNotFoundException(
          describe()
              + " could not be unpacked, neither into the cache directory nor into a temporary one"
              + " ("
              + e
              + "); it needs 300 MB, make room for it");
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private Installed open(Path parent) throws IOException {
    Path root = distribution.install(parent, this::areSound);
    if (!Files.isExecutable(Clang.program(root))) {
      throw new NotExecutableException(
          describe() + " can't be executed in " + parent + ", which is perhaps mounted noexec");
    }
    digests.save();
    Path headers = installHeaders(parent);
    DriverToolchain alone = clang(root, headers, Optional.empty());
    Optional<DeviceLibrary> library =
        platform == Platform.AMD
            ? DeviceLibrary.find(new Environment(context.environment()), Path.of("/"))
            : Optional.empty();
    return new Installed(
        parent, root, alone, library.isPresent() ? clang(root, headers, library) : alone, library);
  }

  private DriverToolchain clang(Path root, Path headers, Optional<DeviceLibrary> library) {
    Clang clang =
        new Clang(root, headers, version, platform, processors, codeObjectVersions, library);
    return DriverToolchain.of(clang.facts(), () -> clang, context);
  }

  private static Path installHeaders(Path parent) throws IOException {
    List<SourceFile> headers = ClangHeaders.ALL;
    String name = "headers-" + ClangHeaders.DIGEST.toString().substring(0, 16);
    return Unpacked.in(
        parent,
        name,
        directory -> headers.stream().allMatch(header -> isThere(directory, header)),
        directory -> {
          for (SourceFile header : headers) {
            Path file = directory.resolve(header.path());
            Files.createDirectories(file.getParent());
            byte[] content = new byte[header.content().remaining()];
            header.content().duplicate().get(content);
            Files.write(file, content);
          }
        });
  }

  private static boolean isThere(Path directory, SourceFile header) {
    return directory.resolve(header.path()).toFile().length() == header.content().remaining();
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (installed != null) {
      installed.close();
    }
    if (temporary != null) {
      temporary.close();
    }
  }
}
