// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.Digest;
import java.nio.file.Path;
import java.util.List;

/**
 * A kernel's source: an immutable snapshot of the main file and of every file that it may include,
 * with the options to compile it. Files are read once, when the object is made; an edit is seen by
 * a new object.
 */
public final class KernelSource {
  private KernelSource() {}

  /**
   * Returns a source with the given logical name and text; it includes only declared headers and
   * what the toolchain has.
   *
   * @throws InvalidKernelSourceException if it cannot be keyed
   */
  public static KernelSource of(String name, String text) {
    return new KernelSource();
  }

  /**
   * Reads a source and its include closure.
   *
   * @throws InvalidKernelSourceException if a file cannot be read or the source cannot be keyed
   */
  public static KernelSource read(Path file) {
    return of(file.toString(), "");
  }

  /**
   * Reads a source and its include closure from the resources beside a class.
   *
   * @throws InvalidKernelSourceException if there is no such resource or it cannot be keyed
   */
  public static KernelSource resource(Class<?> anchor, String name) {
    return of(anchor.getName(), name);
  }

  /** Returns this source with a header that it may include as {@code name}. */
  public KernelSource withHeader(String name, String text) {
    return of(name, text);
  }

  /** Returns this source with one more include directory, searched after those it has. */
  public KernelSource includeDirectory(Path directory) {
    return read(directory);
  }

  /** Returns this source with other compile options. */
  public KernelSource withOptions(CompileOptions options) {
    return of(name(), options.toString());
  }

  /** Returns the logical name, such as {@code vadd.hip}. */
  public String name() {
    return "";
  }

  /** Returns the options to compile it with. */
  public CompileOptions options() {
    return CompileOptions.DEFAULT;
  }

  /** Returns the digest of name, text, include closure and options. */
  public Digest digest() {
    return Digest.of(new byte[0]);
  }

  /** Returns whether the text, closure included, has a {@code __global__} function. */
  public boolean hasKernel() {
    return true;
  }

  String mainFile() {
    return name();
  }

  List<Toolchain.SourceFile> files() {
    return List.of();
  }

  List<String> includeDirectories() {
    return List.of();
  }
}
