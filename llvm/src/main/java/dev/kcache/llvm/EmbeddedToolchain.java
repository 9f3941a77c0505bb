// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CodeObjectVersions;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.driver.DriverToolchain;
import dev.kcache.toolchain.driver.ToolchainFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The toolchain of a clang from the class path. Its label and identities are known in advance; it
 * is unpacked when it first compiles. Results depend on no file of the machine, so their records
 * are valid on every machine.
 *
 * <p>A source that calls functions of ROCm's device library fails first, and is then compiled with
 * the machine's library if there is one. The library's files become dependencies of the record. A
 * machine without that library accepts the result as it is.
 *
 * <p>Safe for use by any number of threads.
 */
final class EmbeddedToolchain implements Toolchain {
  /** Changes whenever the identity is computed from something else, or the command changes. */
  private static final String SCHEMA = "kcache.llvm/1";

  private final PinnedLlvm llvm;
  private final Platform platform;
  private final ToolchainContext context;
  private final CodeObjectVersions codeObjectVersions;
  private final Set<Processor> processors;
  private final ToolchainFiles files;
  private final LlvmInstallation installation;
  private final LibraryUsers users = new LibraryUsers();

  /**
   * Installs and starts nothing.
   *
   * @throws IllegalArgumentException if a variable of the environment has an invalid value
   */
  EmbeddedToolchain(PinnedLlvm llvm, Platform platform, ToolchainContext context) {
    this.llvm = llvm;
    this.platform = platform;
    this.context = context;
    codeObjectVersions = CodeObjectVersions.in(context.environment());
    files = new ToolchainFiles(context);
    installation = new LlvmInstallation(llvm, platform, context, files, this::clang);
    Set<String> names = PinnedFiles.processors(platform);
    processors =
        platform.processors().stream()
            .filter(processor -> platform == Platform.AMD || PtxVersion.of(processor).isPresent())
            .filter(processor -> names.contains(ClangDialect.name(processor)))
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(Processor.class)));
  }

  private DriverToolchain clang(Path root, Path headers, Optional<DeviceLibrary> library) {
    ClangDialect clang =
        new ClangDialect(
            root,
            llvm.clang(root),
            headers,
            PinnedLlvm.VERSION,
            platform,
            processors,
            codeObjectVersions,
            library);
    return DriverToolchain.of(clang.facts(), () -> clang, context);
  }

  @Override
  public String describe() {
    return llvm.describe();
  }

  @Override
  public ToolchainLabel label() {
    return PinnedLlvm.VERSION.label();
  }

  @Override
  public Set<Processor> processors() {
    return processors;
  }

  @Override
  public Set<Language> languages() {
    return platform == Platform.AMD ? Language.OF_CLANG : Set.of(Language.HIP);
  }

  /** Of NVIDIA's processors it also names those for which it makes only PTX. */
  @Override
  public boolean isKnownToLack(Processor processor) {
    return !processors.contains(processor)
        || (platform == Platform.NVIDIA && !processor.isVirtual());
  }

  /** The GPU driver translates PTX; the newest kind is used that is not for one GPU alone. */
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
    Digest.Builder identity = Digest.builder().text(SCHEMA).text(llvm.digest().toString());
    identity.text(ClangHeaders.DIGEST.toString());
    for (String word : ClangDialect.words(target, options, codeObjectVersions)) {
      identity.text(word);
    }
    return identity.build();
  }

  /**
   * Files that a compile reads beside the staged ones are part of the identity, except for the
   * device library: a machine without it accepts the result.
   */
  @Override
  public boolean hasUnchanged(List<File> listed) {
    return listed.isEmpty()
        || files.areUnchanged(
            listed.stream().filter(file -> Files.exists(Path.of(file.path()))).toList());
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    if (platform == Platform.NVIDIA && !job.target().processor().isVirtual()) {
      throw new CompilationException(
          job.source().name(),
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
    LlvmInstallation.Compilers compilers = installation.compilers();
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
    // Digested before the compiler reads them, so that a change in between is noticed later.
    List<File> read = files.read(library.get().files(processor));
    return dependingOn(read, compilers.linking().compile(job));
  }

  private static Output dependingOn(List<File> files, Output output) {
    return new Output(output.codeObject(), output.command(), output.log(), output.elapsed(), files);
  }

  @Override
  public void close() {
    installation.close();
  }
}
