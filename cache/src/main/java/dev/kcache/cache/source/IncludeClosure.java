// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A source with every file that it may include.
 *
 * @param main the file to compile
 * @param roots the declared directories, in search order
 * @param files all files, main included, by where they are
 * @param lookups every name that was followed from a directory
 * @param undeclared why the source cannot be compiled until a header is declared, or null
 * @param hasKernel whether a kernel's attribute stands in one of the files
 */
public record IncludeClosure(
    SourcePath main,
    List<Root> roots,
    Map<SourcePath, File> files,
    List<Lookup> lookups,
    @Nullable SourceProblem undeclared,
    boolean hasKernel) {

  /**
   * A declared directory.
   *
   * @param directory where
   * @param display how messages name it
   * @param name what it is staged as, unless it lies in another one
   */
  public record Root(SourcePath directory, String display, String name) {}

  /**
   * A file of the closure.
   *
   * @param path where
   * @param content its bytes, not to be changed
   * @param display how messages name it
   * @param depth how many includes lead to it
   * @param includer how messages name the file that first named it, or itself
   * @param line the line there, or 0
   */
  @SuppressWarnings("ArrayRecordComponent") // a closure has one of each path, so no two are alike
  record File(
      SourcePath path, byte[] content, String display, int depth, String includer, int line) {}

  /**
   * A name that was looked up.
   *
   * @param walk where it leads
   * @param found whether a file is there
   * @param display how messages name the file that holds the name
   * @param line the line there
   */
  record Lookup(SourcePath.Walk walk, boolean found, String display, int line) {}
}
