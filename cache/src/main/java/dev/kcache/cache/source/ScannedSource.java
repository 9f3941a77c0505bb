// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.toolchain.Toolchain.SourceFile;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A source as the compiler will see it; paths are relative to the staging directory.
 *
 * @param mainFile the file to compile
 * @param files all files, sorted by path
 * @param includeDirectories the declared directories, in search order
 * @param displays how messages name each file, by its path
 * @param undeclared why the source cannot be compiled until a header or a macro is declared, or
 *     null
 * @param hasKernel whether a kernel's attribute stands in one of the files
 */
public record ScannedSource(
    String mainFile,
    List<SourceFile> files,
    List<String> includeDirectories,
    Map<String, String> displays,
    @Nullable SourceProblem undeclared,
    boolean hasKernel) {
  /** Copies the collections. */
  public ScannedSource {
    files = List.copyOf(files);
    includeDirectories = List.copyOf(includeDirectories);
    displays = Map.copyOf(displays);
  }
}
