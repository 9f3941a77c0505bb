// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.ReproducibleOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The arguments that every clang gets, by whatever name and driver it is run. */
public final class ClangArguments {
  private static final String NO_WARNINGS = "-w";

  private ClangArguments() {}

  /**
   * Returns the options of a kernel, without {@code -w}: that would silence {@link
   * ReproducibleOptions#DATE_TIME} too, wherever it stands. What takes its place is undone by the
   * options that follow.
   */
  public static List<String> ofKernel(List<String> options) {
    if (!options.contains(NO_WARNINGS)) {
      return options;
    }
    List<String> words = new ArrayList<>(options);
    words.removeIf(NO_WARNINGS::equals);
    words.add("-Wno-everything");
    return words;
  }

  /** Returns what makes a result the same everywhere; it comes right after the kernel's options. */
  public static List<String> reproducible(String cuid) {
    return List.of(cuid, ReproducibleOptions.COMPILATION_DIRECTORY, ReproducibleOptions.DATE_TIME);
  }

  /**
   * Returns what has the compiler list the files that it read. {@code -MD} writes nothing on clang
   * 21, hence the flags of the compiler proper.
   */
  public static List<String> dependencies() {
    return Stream.of("-dependency-file", OutputNames.DEPENDENCIES, "-sys-header-deps", "-MT", "x")
        .flatMap(word -> Stream.of("-Xclang", word))
        .toList();
  }

  /** Returns what names the result and the file to compile, in some language; it comes last. */
  public static List<String> compile(String language, String mainFile) {
    return List.of("-o", OutputNames.CODE_OBJECT, "-x", language, mainFile);
  }
}
