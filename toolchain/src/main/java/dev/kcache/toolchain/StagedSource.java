// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import dev.kcache.toolchain.Toolchain.SourceFile;
import java.util.List;
import java.util.Map;

/**
 * A source as it is staged for a compiler; paths are relative to the working directory.
 *
 * @param language what the main file is written in
 * @param name the source's logical name, for messages
 * @param displayNames the users' names of the files, by path
 * @param mainFile the path of the file to compile, one of {@code files}
 * @param files every file that the source may read, to be staged as they are
 * @param includeDirectories the declared include directories, in search order
 */
public record StagedSource(
    Language language,
    String name,
    Map<String, String> displayNames,
    String mainFile,
    List<SourceFile> files,
    List<String> includeDirectories) {
  /**
   * Copies the collections.
   *
   * @param language what the main file is written in
   * @param name the source's logical name, for messages
   * @param displayNames the users' names of the files, by path
   * @param mainFile the path of the file to compile, one of {@code files}
   * @param files every file that the source may read, to be staged as they are
   * @param includeDirectories the declared include directories, in search order
   */
  public StagedSource {
    displayNames = Map.copyOf(displayNames);
    files = List.copyOf(files);
    includeDirectories = List.copyOf(includeDirectories);
  }

  /**
   * A source in HIP.
   *
   * @param name as {@link #name()}
   * @param displayNames as {@link #displayNames()}
   * @param mainFile as {@link #mainFile()}
   * @param files as {@link #files()}
   * @param includeDirectories as {@link #includeDirectories()}
   */
  public StagedSource(
      String name,
      Map<String, String> displayNames,
      String mainFile,
      List<SourceFile> files,
      List<String> includeDirectories) {
    this(Language.HIP, name, displayNames, mainFile, files, includeDirectories);
  }
}
