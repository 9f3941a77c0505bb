// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.source.CrateScanner;
import dev.kcache.cache.source.DiskTree;
import dev.kcache.cache.source.ResourceTree;
import dev.kcache.cache.source.SourcePath;
import dev.kcache.cache.source.TextTree;
import dev.kcache.toolchain.CrateOptions;
import dev.kcache.toolchain.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The file of a source that is compiled, and where it is.
 *
 * @param language what it is written in
 * @param name the source's logical name
 * @param display how messages name it
 */
record MainFile(Language language, String name, String display, SourcePath path) {
  /** Returns a file of bytes. */
  static MainFile of(Language language, String name, byte[] content) {
    String path = "/" + SourceText.checkName(requireNonNull(name, "name"));
    return new MainFile(
        language, name, name, new SourcePath(new TextTree(Map.of(path, content)), path));
  }

  /** Returns a file of any file system, in the language that its suffix tells. */
  static MainFile onDisk(Path file) {
    Path fileName = file.getFileName();
    Path directory = file.toAbsolutePath().getParent();
    Path manifest = file.resolve(Language.CRATE);
    if (Files.isDirectory(file) && Files.isRegularFile(manifest)) {
      return onDisk(manifest);
    }
    if (fileName == null || directory == null || Files.isDirectory(file)) {
      throw SourceText.missing(file.toString(), Files.isDirectory(file));
    }
    if (Files.isSymbolicLink(file) && Files.notExists(file)) {
      throw SourceText.dangling(file);
    }
    SourcePath parent = directory(directory);
    if (parent == null) {
      throw SourceText.missing(file.toString(), false);
    }
    String name = SourceText.checkName(DiskTree.nameOf(file));
    SourcePath path = parent.resolve(name);
    String logical = name.equals(Language.CRATE) ? CrateScanner.packageName(path) : name;
    return new MainFile(language(name), logical, file.toString(), path);
  }

  /**
   * Returns a resource beside a class, in the language that its suffix tells. Its logical name is
   * that of the file it was copied from, so that a build compiles what the application asks for.
   */
  static MainFile resource(Class<?> anchor, String name) {
    requireNonNull(anchor, "anchor");
    requireNonNull(name, "name");
    Module module = anchor.getModule();
    if (module.isNamed()
        && !module.isOpen(anchor.getPackageName(), KernelSource.class.getModule())) {
      throw new InvalidKernelSourceException(
          name,
          module
              + " keeps its resources to itself; let it open package "
              + anchor.getPackageName());
    }
    SourcePath packagePath =
        new SourcePath(new ResourceTree(anchor), "/" + anchor.getPackageName().replace('.', '/'));
    SourcePath path = packagePath.walk(name).end();
    if (path == null || name.startsWith("/")) {
      throw new InvalidKernelSourceException(
          name, "name the resource relative to the package " + anchor.getPackageName());
    }
    return new MainFile(language(name), SourceText.checkName(name), name, path);
  }

  /** Returns whether it is the manifest of a crate, all of whose files belong to the source. */
  boolean isCrate() {
    return language == Language.RUST && path.name().equals(Language.CRATE);
  }

  /**
   * Returns options as they are for this file's language.
   *
   * @throws IllegalArgumentException if one is not for the language
   */
  CompileOptions own(CompileOptions options) {
    Optional<String> ofCrates = options.arguments().stream().filter(CrateOptions::is).findFirst();
    if (ofCrates.isPresent() && !isCrate()) {
      throw new IllegalArgumentException(
          display + ": option " + ofCrates.get() + " is for a crate in Rust; leave it out");
    }
    try {
      return options.in(language);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(display + ": " + e.getMessage(), e);
    }
  }

  /**
   * Checks that headers may be declared.
   *
   * @throws IllegalArgumentException if the source includes none
   */
  void checkHeaders() {
    if (language == Language.LLVM_IR) {
      throw new IllegalArgumentException(
          display + ": LLVM IR includes nothing; leave headers and include directories out");
    }
    if (isCrate()) {
      throw new IllegalArgumentException(
          display
              + ": a crate has all of its files in its folder; leave headers and include"
              + " directories out");
    }
  }

  /**
   * Checks that include directories may be declared.
   *
   * @throws IllegalArgumentException if the source has none
   */
  void checkDirectories() {
    checkHeaders();
    if (language == Language.RUST) {
      throw new IllegalArgumentException(
          display + ": Rust has no include directories; declare the files as headers");
    }
  }

  /** Clang preprocesses {@code .S}, which is no HIP either. */
  private static Language language(String name) {
    if (name.endsWith(".S")) {
      throw new InvalidKernelSourceException(
          name, "assembly that is to be preprocessed has no language here; preprocess it to a .s");
    }
    return Language.ofFile(name);
  }

  /**
   * Returns a directory, or null if there is none. Links are resolved once, so that what {@code ..}
   * means does not depend on how it was spelt.
   */
  static @Nullable SourcePath directory(Path directory) {
    try {
      Path real = directory.toRealPath();
      return Files.isDirectory(real)
          ? new SourcePath(new DiskTree(real.getFileSystem()), DiskTree.pathOf(real))
          : null;
    } catch (IOException e) {
      return null;
    }
  }
}
