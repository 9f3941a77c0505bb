// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.PrivateFiles;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.Unpacked;
import dev.kcache.toolchain.probe.FileDigests;
import dev.kcache.toolchain.probe.MakeRule;
import dev.kcache.toolchain.probe.ToolchainPaths;
import dev.kcache.toolchain.process.BoundedFile;
import dev.kcache.toolchain.process.Staging;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The crate {@code core} for one target, which a rustc has no compiled form of. It is compiled from
 * the sources that came with rustc, once for each rustc, content of the sources, and target, and
 * shared between processes.
 *
 * <p>{@code compiler_builtins}, which rustc asks for beside it, is empty: a GPU's code calls no
 * function that the source does not name.
 */
final class CoreLibrary {
  /** The main file, below the directory of the sources. */
  static final String MAIN = "core/src/lib.rs";

  /** Where a compile finds it, beside its directory. */
  static final String PLACE = "../core";

  /** Where the commands leave the files, relative to the directory in which they run. */
  private static final String MADE = "../made";

  /** Changes whenever it is compiled otherwise. */
  private static final String SCHEMA = "kcache-core-1";

  private static final String CORE = "libcore.rlib";
  private static final String BUILTINS = "libcompiler_builtins.rlib";
  private static final String LISTED = "core.d";
  private static final int MOST_LIST_BYTES = 8 << 20;

  /** The parts of the sources that it may be compiled from. */
  private static final List<String> PARTS =
      List.of("core", "portable-simd", "stdarch/crates/core_arch");

  /** Compiles it. */
  @FunctionalInterface
  interface Builder {
    /**
     * Compiles in a staging directory, and leaves the files in {@link #MADE}.
     *
     * @throws CompilationException if rustc can't
     */
    void build(Staging staging) throws IOException, InterruptedException;
  }

  private final Path sources;
  private final FileDigests digests;
  private final Supplier<Optional<Path>> shared;

  /**
   * Knows the sources.
   *
   * @param sources the directory that has {@link #MAIN}
   * @param shared returns the directory that processes share
   */
  CoreLibrary(Path sources, FileDigests digests, Supplier<Optional<Path>> shared) {
    this.sources = sources;
    this.digests = digests;
    this.shared = shared;
  }

  /** Returns the words that decide its bytes, for the identity of a toolchain. */
  static List<String> words(Path rustc, TargetId target) {
    List<String> words = new ArrayList<>(List.of(rustc.toString(), "--crate-name=core"));
    words.addAll(List.of("--edition=2024", "--crate-type=rlib", "-Cmetadata=" + SCHEMA));
    words.addAll(RustDialect.ofTarget(target));
    // Only its bitcode is ever used.
    words.addAll(List.of("-Copt-level=3", "-Clinker-plugin-lto", "--cap-lints=allow"));
    return words;
  }

  /** Returns the words by which a compile finds it. */
  static List<String> externs() {
    return List.of(
        "--extern=core=" + PLACE + "/" + CORE,
        "--extern=compiler_builtins=" + PLACE + "/" + BUILTINS);
  }

  /** Returns the commands that compile it in a directory that has {@link #builtins}. */
  List<List<String>> building(Path rustc, TargetId target) {
    List<String> core = words(rustc, target);
    // The place of the sources is in the messages of its panics.
    core.add("--remap-path-prefix=" + sources + "=/rustc/library");
    core.add("--emit=link=" + MADE + "/" + CORE + ",dep-info=" + MADE + "/" + LISTED);
    core.add(sources.resolve(MAIN).toString());
    List<String> builtins = new ArrayList<>(List.of(rustc.toString()));
    builtins.addAll(List.of("--crate-name=compiler_builtins", "--edition=2021"));
    builtins.addAll(List.of("--crate-type=rlib", "-Cmetadata=" + SCHEMA));
    builtins.addAll(RustDialect.ofTarget(target));
    builtins.add("--extern=core=" + MADE + "/" + CORE);
    builtins.addAll(List.of("--emit=link=" + MADE + "/" + BUILTINS, builtins().path()));
    return List.of(core, builtins);
  }

  /** Returns the source of the crate that is empty. */
  static Toolchain.SourceFile builtins() {
    return new Toolchain.SourceFile(
        "builtins.rs",
        UTF_8.encode("#![feature(compiler_builtins)]\n#![compiler_builtins]\n#![no_std]\n"));
  }

  /**
   * Puts it in {@link #PLACE} of a compile; builds it if that was not done before.
   *
   * @param rustc the identity of rustc for the target
   * @param stage returns another staging directory
   * @return the files that it is compiled from
   * @throws CompilationException if it can't be compiled
   */
  List<Toolchain.File> provide(
      Staging compile, TargetId target, Digest rustc, Supplier<Staging> stage, Builder builder)
      throws IOException, InterruptedException {
    Path place = compile.resolve(PLACE);
    Optional<Path> built = built(target, rustc, stage, builder);
    if (built.isPresent()) {
      Files.createSymbolicLink(place, built.get());
    } else {
      PrivateFiles.createDirectories(place);
      build(place, stage, builder);
    }
    return listed(place.resolve(LISTED));
  }

  private Optional<Path> built(
      TargetId target, Digest rustc, Supplier<Staging> stage, Builder builder)
      throws InterruptedException {
    Optional<Path> parent = shared.get();
    if (parent.isEmpty()) {
      return parent;
    }
    String name = "core-" + target.pathSegment() + "-" + key(rustc).toString().substring(0, 32);
    try {
      return Optional.of(
          Unpacked.in(
              parent.get(), name, CoreLibrary::isWhole, made -> fill(made, stage, builder)));
    } catch (IOException e) {
      if (Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
      }
      System.getLogger(CoreLibrary.class.getName())
          .log(System.Logger.Level.DEBUG, "Rust's core is compiled for one source only", e);
      return Optional.empty();
    }
  }

  private static boolean isWhole(Path directory) {
    return Stream.of(CORE, BUILTINS, LISTED)
        .allMatch(file -> directory.resolve(file).toFile().length() > 0);
  }

  private static void fill(Path made, Supplier<Staging> stage, Builder builder) throws IOException {
    try {
      build(made, stage, builder);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static void build(Path made, Supplier<Staging> stage, Builder builder)
      throws IOException, InterruptedException {
    try (Staging staging = stage.get()) {
      PrivateFiles.createDirectories(staging.resolve(MADE));
      staging.put(builtins());
      builder.build(staging);
      for (String file : List.of(CORE, BUILTINS, LISTED)) {
        Files.copy(staging.resolve(MADE).resolve(file), made.resolve(file));
      }
    }
  }

  /** Returns the digest of everything but the target that decides its bytes. */
  private Digest key(Digest rustc) {
    TreeSet<String> files = new TreeSet<>();
    for (String part : PARTS) {
      try (Stream<Path> found = Files.walk(sources.resolve(part))) {
        found.filter(Files::isRegularFile).map(Path::toString).forEach(files::add);
      } catch (IOException | UncheckedIOException e) {
        // A rustc of another version may have no such part.
      }
    }
    digests.readAhead(files);
    Digest.Builder key = Digest.builder().text(SCHEMA).text(rustc.toString());
    for (String file : files) {
      key.text(sources.relativize(Path.of(file)).toString());
      key.text(digests.digest(Path.of(file)).map(Digest::toString).orElse("absent"));
    }
    return key.build();
  }

  private List<Toolchain.File> listed(Path list) throws IOException {
    List<Toolchain.File> files = new ArrayList<>();
    String text = new String(BoundedFile.read(list, MOST_LIST_BYTES), UTF_8);
    for (String name : MakeRule.prerequisites(text)) {
      Path file = ToolchainPaths.normalise(Path.of(name));
      Digest digest =
          digests.digest(file).orElseThrow(() -> new FileNotFoundException(file.toString()));
      files.add(new Toolchain.File(file.toString(), digest));
    }
    return files;
  }
}
