// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.language;

import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.probe.CompilerFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The programs that a compiler driver runs for HIP, which compile other languages too. The identity
 * of the driver has their content.
 *
 * @param clang the path of clang
 * @param linker the path of lld, with what makes it a linker of ELF
 * @param codeObjectVersion the version that the driver has made where nothing asks for another, as
 *     an option of clang's
 */
public record ClangPrograms(String clang, List<String> linker, Optional<String> codeObjectVersion) {
  private static final Pattern CLANG = Pattern.compile("clang(\\+\\+)?(-[0-9.]+)?(\\.exe)?");
  private static final Pattern LINKER = Pattern.compile("(ld\\.)?lld(-[0-9.]+)?(\\.exe)?");
  private static final String FLAVOR = "-flavor";
  private static final String VERSION = "--amdhsa-code-object-version=";

  /** Copies the words. */
  public ClangPrograms {
    linker = List.copyOf(linker);
  }

  /** Finds the programs in what a driver would run; empty if it runs others. */
  public static Optional<ClangPrograms> in(PlannedCommands plan) {
    Optional<List<String>> clang = first(plan, CLANG);
    Optional<List<String>> linker = first(plan, LINKER);
    if (clang.isEmpty() || linker.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new ClangPrograms(
            clang.get().get(0), linkerWords(linker.get()), codeObjectVersion(clang.get())));
  }

  private static Optional<List<String>> first(PlannedCommands plan, Pattern name) {
    return plan.commands().stream()
        .filter(command -> name.matcher(fileName(command.get(0))).matches())
        .findFirst();
  }

  private static String fileName(String program) {
    if (!CompilerFiles.LOCAL.isAbsolute(program)) {
      return "";
    }
    Path name = Path.of(program).getFileName();
    return name == null ? "" : name.toString();
  }

  private static List<String> linkerWords(List<String> command) {
    boolean flavored = command.size() > 2 && command.get(1).equals(FLAVOR);
    return command.subList(0, flavored ? 3 : 1);
  }

  private static Optional<String> codeObjectVersion(List<String> command) {
    return command.stream()
        .filter(word -> word.startsWith(VERSION))
        .reduce((first, last) -> last)
        .map(word -> "-mcode-object-version=" + word.substring(VERSION.length()));
  }
}
