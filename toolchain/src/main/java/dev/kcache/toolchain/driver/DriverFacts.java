// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.DialectFacts.Trait;
import dev.kcache.toolchain.compile.DriverQuery;
import dev.kcache.toolchain.probe.CompilerVariables;
import dev.kcache.toolchain.probe.ToolchainPaths;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What is known of a driver without asking it. Each process that has hits needs it, and no more
 * than it.
 */
final class DriverFacts {
  /** nvcc's own variable for the host's compiler, which is the PATH's gcc otherwise. */
  static final String HOST_COMPILER = "NVCC_CCBIN";

  /** What a shell takes for a part of a word, beside letters and digits. */
  private static final String PLAIN = "/._+:@%=,-";

  /** What cmd.exe takes for a part of a quoted word, by which hipcc.exe runs clang. */
  static final String PLAIN_ON_WINDOWS = "\\/:._+@=,-()~# ";

  private DriverFacts() {}

  /** Describes a driver of some kind. */
  static DialectFacts of(DriverKind kind, Path program, Environment variables) {
    return switch (kind) {
      case HIPCC -> ofHipcc(program, variables);
      case AMDCLANG -> ofClang(program, variables);
      case NVCC -> ofNvcc(program, variables);
    };
  }

  /**
   * Describes a hipcc.
   *
   * @throws IllegalArgumentException if its path or a variable's is one that it would have a shell
   *     run: it makes command lines of them, without quotes (HIP 5.2)
   */
  static DialectFacts ofHipcc(Path program, Environment variables) {
    Map<String, String> reduced = rocm(variables);
    reduced.put("HIP_PLATFORM", "amd");
    String plain = program.getFileSystem().getSeparator().equals("\\") ? PLAIN_ON_WINDOWS : PLAIN;
    reduced.forEach((variable, value) -> checkWord(variable, value, plain));
    checkWord("hipcc", ToolchainPaths.real(program).toString(), plain);
    return ofHip(program, reduced);
  }

  /** Describes an amdclang++ or clang++, which has no shell run anything. */
  static DialectFacts ofClang(Path program, Environment variables) {
    return ofHip(program, rocm(variables));
  }

  private static Map<String, String> rocm(Environment variables) {
    Map<String, String> reduced = new TreeMap<>();
    reduced.put("PATH", variables.searchPathText());
    for (String variable : CompilerVariables.ROCM_DIRECTORIES) {
      variables
          .path(variable)
          .ifPresent(path -> reduced.put(variable, ToolchainPaths.real(path).toString()));
    }
    return reduced;
  }

  private static DialectFacts ofHip(Path program, Map<String, String> reduced) {
    String places =
        reduced.containsKey("HIP_CLANG_PATH")
            ? "HIP_CLANG_PATH, ROCM_PATH and HIP_PATH"
            : "ROCM_PATH and HIP_PATH";
    return new DialectFacts(
        program,
        reduced,
        Platform.AMD,
        List.of(),
        "repair it, check " + places + ", or set KCACHE_COMPILER to another",
        Optional.empty(),
        Set.of(Trait.HAS_LARGE_PREFIX, Trait.HAS_CLANG));
  }

  /**
   * Refuses what is not of letters, digits and some other characters.
   *
   * @throws IllegalArgumentException if it is refused
   */
  static void checkWord(String name, String value, String plain) {
    if (!name.equals("PATH") && !isWord(value, plain)) {
      throw new IllegalArgumentException(
          name
              + "="
              + value
              + ": hipcc would give it to a shell; use a path of letters, digits and "
              + plain.replace("/", "").strip());
    }
  }

  /** A regular expression of letters takes milliseconds in a new process. */
  private static boolean isWord(String text, String plain) {
    int length;
    for (int i = 0; i < text.length(); i += length) {
      int character = text.codePointAt(i);
      length = Character.charCount(character);
      if (!Character.isLetterOrDigit(character) && plain.indexOf(character) < 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Describes an nvcc.
   *
   * @throws IllegalArgumentException if the variable for the host's compiler holds what nvcc would
   *     have a shell run
   */
  static DialectFacts ofNvcc(Path program, Environment variables) {
    Map<String, String> reduced = new TreeMap<>();
    reduced.put("PATH", variables.searchPathText());
    variables
        .get(HOST_COMPILER)
        .ifPresent(
            compiler -> {
              if (DriverQuery.SHELL.matcher(compiler).find()) {
                throw new IllegalArgumentException(
                    HOST_COMPILER
                        + "="
                        + compiler
                        + ": nvcc would give it to a shell; use a path without $, `, \\ and \"");
              }
              reduced.put(HOST_COMPILER, compiler);
            });
    return new DialectFacts(
        program,
        reduced,
        Platform.NVIDIA,
        List.of(),
        "repair it, check CUDA_HOME, or set KCACHE_NVCC to another",
        Optional.empty(),
        Set.of(Trait.LACKS_HEADERS, Trait.USES_A_SHELL));
  }
}
