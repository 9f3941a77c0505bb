// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import dev.kcache.rocm.Environment;
import dev.kcache.rocm.Newest;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Where rustc is, and what lies around it. Looks at files and runs nothing. */
final class RustPlaces {
  /** The variable that names rustc. */
  static final String VARIABLE = "KCACHE_RUSTC";

  /** The variable that lets a stable rustc compile what is not stable. */
  static final String BOOTSTRAP = "RUSTC_BOOTSTRAP";

  /** By these rustup chooses a rustc. */
  private static final List<String> RUSTUP = List.of("HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN");

  private static final String RUSTC = "rustc";

  private RustPlaces() {}

  /** Returns whether the variable asks for one. */
  static boolean isNamed(Environment variables) {
    return variables.get(VARIABLE).isPresent();
  }

  /**
   * Returns the rustc that a user would run: that of {@link #VARIABLE}, else of PATH. It may be
   * rustup's, which runs another.
   *
   * @throws ToolchainNotFoundException if there is none, or the variable names none
   * @throws IllegalArgumentException if the variable holds no path
   */
  static Path program(Environment variables) {
    Optional<Path> named = variables.path(VARIABLE);
    if (named.isPresent() && !Environment.isProgram(named.get())) {
      throw new ToolchainNotFoundException(
          VARIABLE + "=" + named.get() + ": not an executable file; set it to the path of a rustc");
    }
    return named
        .or(() -> Environment.program(RUSTC, variables.searchPath()))
        .orElseThrow(
            () ->
                new ToolchainNotFoundException(
                    "no rustc in PATH; install one that has the target "
                        + RustDialect.TRIPLE
                        + " (rustup, or Debian: apt install rustc) or set "
                        + VARIABLE
                        + " to its path"));
  }

  /** Returns what the rustc of rustup runs in: what chooses a rustc, and no leave to fetch one. */
  static Map<String, String> ofRustup(Environment variables) {
    Map<String, String> reduced = new TreeMap<>(Map.of("RUSTUP_AUTO_INSTALL", "0"));
    reduced.put("PATH", variables.searchPathText());
    RUSTUP.forEach(name -> variables.get(name).ifPresent(value -> reduced.put(name, value)));
    return reduced;
  }

  /** Returns the file in which rustup notes which rustc is the default one. */
  static Optional<Path> settings(Environment variables) {
    return variables
        .path("RUSTUP_HOME")
        .or(() -> variables.path("HOME").map(home -> home.resolve(".rustup")))
        .map(home -> home.resolve("settings.toml"));
  }

  /**
   * Returns the command of the linker that a rustc has, without its arguments; else that of an lld
   * in PATH or the newest of Debian's.
   *
   * @throws ToolchainNotFoundException if there is none
   */
  static List<String> linker(Path sysroot, Environment variables) {
    Stream<Path> own =
        Newest.first(sysroot.resolve("lib/rustlib"), "*-*").stream()
            .map(host -> host.resolve("bin/rust-lld"));
    Stream<Path> others =
        Stream.concat(
                variables.searchPath().stream(),
                Newest.first(Path.of("/usr/lib"), "llvm-*").stream().map(at -> at.resolve("bin")))
            .map(directory -> directory.resolve("ld.lld"));
    Path linker =
        Stream.concat(own, others)
            .filter(Environment::isProgram)
            .findFirst()
            .orElseThrow(
                () ->
                    new ToolchainNotFoundException(
                        "rustc in "
                            + sysroot
                            + " has no rust-lld, and there is no ld.lld in PATH or"
                            + " /usr/lib/llvm-*/bin; install lld (Debian: apt install lld)"));
    return linker.endsWith("rust-lld")
        ? List.of(linker.toString(), "-flavor", "gnu")
        : List.of(linker.toString());
  }

  /** Returns the cargo that came with a rustc. */
  static Optional<Path> cargo(Path sysroot, Path rustc) {
    return Stream.of(sysroot.resolve("bin/cargo"), rustc.resolveSibling("cargo"))
        .filter(Environment::isProgram)
        .findFirst();
  }

  /** Returns the directory with the sources of {@code core}, if they are there and needed. */
  static Optional<Path> library(Path sysroot) {
    return Optional.of(sysroot.resolve("lib/rustlib/src/rust/library"))
        .filter(library -> Files.isRegularFile(library.resolve(CoreLibrary.MAIN)))
        .filter(library -> compiled(sysroot).isEmpty());
  }

  /** Returns the crates that a sysroot has for the target; most have none. */
  static List<Path> compiled(Path sysroot) {
    return Newest.first(crates(sysroot), "*.rlib");
  }

  /** Returns the directory of {@link #compiled}. */
  static Path crates(Path sysroot) {
    return sysroot.resolve("lib/rustlib").resolve(RustDialect.TRIPLE).resolve("lib");
  }
}
