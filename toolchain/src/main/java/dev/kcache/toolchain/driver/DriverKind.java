// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.probe.ToolchainPaths;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The drivers that are found on a machine, those of a platform in the order of preference. */
enum DriverKind {
  HIPCC(Platform.AMD, "hipcc"),
  AMDCLANG(Platform.AMD, "amdclang++"),
  NVCC(Platform.NVIDIA, "nvcc");

  private final Platform platform;
  private final String program;

  DriverKind(Platform platform, String program) {
    this.platform = platform;
    this.program = program;
  }

  /** Returns the kinds of a platform. */
  static List<DriverKind> of(Platform platform) {
    return Arrays.stream(values()).filter(kind -> kind.platform == platform).toList();
  }

  Platform platform() {
    return platform;
  }

  /** Returns the name of the program. */
  String program() {
    return program;
  }

  /** Returns the kind that {@code KCACHE_TOOLCHAIN} names so. */
  static Optional<DriverKind> named(String name) {
    return Arrays.stream(values()).filter(kind -> kind.toString().equals(name)).findFirst();
  }

  /**
   * Returns which of AMD's kinds a program is: a clang has the word in its name, or in that of the
   * file that its name leads to. All else is taken for a hipcc or somebody's script around one.
   */
  static DriverKind ofProgram(Path program) {
    boolean isClang =
        !isNamed(program, HIPCC.program)
            && (isNamed(program, "clang") || isNamed(ToolchainPaths.real(program), "clang"));
    return isClang ? AMDCLANG : HIPCC;
  }

  private static boolean isNamed(Path program, String word) {
    return program.getFileName().toString().contains(word);
  }

  /** Returns how to talk to a driver of this kind. */
  Dialect dialect(DialectFacts facts) {
    return switch (this) {
      case HIPCC -> new HipccDialect(facts);
      case AMDCLANG -> new AmdClangDialect(facts);
      case NVCC -> new NvccDialect(facts);
    };
  }

  /** Returns the name of the toolchain in variables, options and messages. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
