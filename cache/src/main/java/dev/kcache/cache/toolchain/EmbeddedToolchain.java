// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.Toolchain;
import dev.kcache.cache.ToolchainLabel;
import dev.kcache.cache.ToolchainNotFoundException;
import dev.kcache.cache.ToolchainProvider.Surroundings;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The toolchain of a clang that comes with the class path. Its label and identities are known
 * without it; it is put on the disk when something is to be compiled. A result depends on no file
 * of the machine's, so that its record is right on every machine.
 *
 * <p>Safe for use by any number of threads.
 */
public final class EmbeddedToolchain implements Toolchain {
  /** Bumped whenever the identity is made of something else, or the command is another one. */
  private static final String SCHEMA = "kcache.llvm/1";

  private final LlvmDistribution distribution;
  private final Surroundings surroundings;
  private final LlvmVersion version;
  private final CodeObjectVersions codeObjectVersions;
  private final Set<Processor> processors;
  private @Nullable DriverToolchain installed;
  private boolean closed;

  /**
   * Installs and starts nothing.
   *
   * @throws IllegalArgumentException if a variable of the environment holds what it can't
   */
  public EmbeddedToolchain(LlvmDistribution distribution, Surroundings surroundings) {
    this.distribution = distribution;
    this.surroundings = surroundings;
    version = new LlvmVersion(distribution.version());
    codeObjectVersions = CodeObjectVersions.in(surroundings.environment());
    Set<String> names = distribution.processors();
    processors =
        Platform.AMD.processors().stream()
            .filter(processor -> names.contains(processor.toString()))
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(Processor.class)));
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

  @Override
  public Digest identity(TargetId target, CompileOptions options) {
    Digest.Builder identity = Digest.builder().text(SCHEMA).text(distribution.digest().toString());
    identity.text(HipHeaders.digest(HipHeaders.forClang()).toString());
    for (String word : Clang.words(target, options.arguments(), codeObjectVersions)) {
      identity.text(word);
    }
    return identity.build();
  }

  /** The files that a compile reads beside the staged ones are all part of the identity. */
  @Override
  public boolean hasUnchanged(List<File> files) {
    return files.isEmpty();
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    Output output = installed().compile(job);
    return new Output(
        output.codeObject(), output.command(), output.log(), output.elapsed(), List.of());
  }

  private synchronized DriverToolchain installed() {
    if (closed) {
      throw new IllegalStateException("the cache was closed");
    }
    DriverToolchain known = installed;
    if (known == null) {
      known = install();
      installed = known;
    }
    return known;
  }

  private DriverToolchain install() {
    Path parent =
        surroundings
            .directory()
            .get()
            .orElseThrow(
                () ->
                    new ToolchainNotFoundException(
                        describe()
                            + " needs a directory to be unpacked in; set KCACHE_DIR to one of your"
                            + " own"));
    System.getLogger(EmbeddedToolchain.class.getName())
        .log(
            Level.WARNING,
            describe()
                + " compiles, without ROCm's device library: no printf, and no math but what GPUs do by"
                + " themselves; install hipcc for all of it");
    try {
      Path root = distribution.install(parent);
      Path headers = installHeaders(parent);
      return DriverToolchain.of(
          (variables, runner, stagingParent) ->
              new Clang(
                  root, headers, version, processors, codeObjectVersions, runner, stagingParent),
          surroundings);
    } catch (IOException e) {
      throw new ToolchainNotFoundException(
          describe() + " could not be unpacked into " + parent + " (" + e + "); make room there");
    }
  }

  private static Path installHeaders(Path parent) throws IOException {
    List<SourceFile> headers = HipHeaders.forClang();
    String name = "headers-" + HipHeaders.digest(headers).toString().substring(0, 16);
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
  }
}
