// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.standin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;

/** A {@code wsl.exe} that plays its interface over this machine's own Linux. */
public final class FakeWsl {
  private final Path directory;

  private FakeWsl(Path directory) {
    this.directory = directory;
  }

  /**
   * Puts one into a directory.
   *
   * @param distributions their names, the standard one first
   */
  public static FakeWsl in(Path directory, String... distributions) throws IOException {
    Files.createDirectories(directory);
    Path program = directory.resolve("wsl.exe");
    try (InputStream content =
        Objects.requireNonNull(FakeWsl.class.getResourceAsStream("wsl.exe"))) {
      Files.write(program, content.readAllBytes());
    }
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.write(directory.resolve("distributions"), List.of(distributions));
    return new FakeWsl(directory);
  }

  /** Has it behave as the script says of a mode. */
  public FakeWsl mode(String mode) throws IOException {
    Files.writeString(directory.resolve("mode"), mode);
    return this;
  }

  /** Has it behave as the script says of a mode, or without a distribution, or not be there. */
  public FakeWsl play(String mode) throws IOException {
    return switch (mode) {
      case "absent" -> {
        Files.delete(program());
        yield this;
      }
      case "empty" -> {
        Files.writeString(directory.resolve("distributions"), "");
        yield this;
      }
      default -> mode(mode);
    };
  }

  public Path program() {
    return directory.resolve("wsl.exe");
  }

  /** Returns a PATH that has it first. */
  public String path() {
    return directory + ":/usr/bin:/bin";
  }

  /** Leaves a distribution nothing but some of this machine's programs. */
  public FakeWsl programs(String distribution, String... names) throws IOException {
    Path programs = Files.createDirectories(directory.resolve(distribution));
    for (String name : names) {
      Script.write(programs.resolve(name), "exec /usr/bin/" + name + " \"$@\"");
    }
    return this;
  }

  /** Takes hipcc from a distribution: no directory that its programs are looked for in has one. */
  public FakeWsl withoutHipcc(String distribution) throws IOException {
    List<String> all = List.of("mktemp", "head", "tar", "timeout", "wc", "tail", "mkdir", "rm");
    programs(distribution, all.toArray(String[]::new));
    programs(distribution, "cat", "mv", "readlink", "tr", "grep");
    Path programs = directory.resolve(distribution);
    Script.write(
        programs.resolve("env"), "shift 3\nexec /usr/bin/env -i PATH=" + programs + " \"$@\"");
    return this;
  }
}
