// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.PlannedCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLinesTest {
  private static final String TEMPORARY = "/tmp/t";

  /** An option may be as long as the system takes. */
  @ParameterizedTest
  @ValueSource(strings = {"x", "\\\\", "\\\""})
  void word_mayBeLong(String repeated) {
    String printed = " \"/usr/bin/clang\" \"-DX=" + repeated.repeat(100_000) + "\" \"-cc1\"\n";

    List<String> command = CommandLines.parse(printed, TEMPORARY).commands().get(0);

    assertThat(command).hasSize(3).startsWith("/usr/bin/clang").endsWith("-cc1");
    assertThat(command.get(1)).hasSize("-DX=".length() + 100_000);
  }

  @Test
  void commandThatIsCut_keepsItsWholeWords() {
    String printed = " \"/usr/bin/clang\" \"-cc\n \"/usr/bin/cl\n";

    assertThat(CommandLines.parse(printed, TEMPORARY).commands())
        .containsExactly(List.of("/usr/bin/clang"));
  }

  /** As clang 20 for Windows printed them under Wine. */
  @Test
  void commandsOfWindows_namePathsWithDrives() {
    String printed =
        """
        InstalledDir: Z:\\kc\\root\\bin\r
         "Z:\\\\kc\\\\root\\\\bin\\\\clang.exe" "-cc1" "-mllvm" "-amdgpu-internalize-symbols" "-I" "inc0" \
        "-resource-dir" "Z:\\\\kc\\\\root\\\\lib\\\\clang\\\\20" "-IZ:/more" \
        "-mlink-builtin-bitcode" "C:\\\\Program Files\\\\AMD\\\\ROCm\\\\ocml.bc" "-o" \
        "C:\\\\users\\\\root\\\\Temp\\\\k-gfx90a-84684a.o" "-x" "hip" "k.hip"\r
         "Z:\\\\kc\\\\root\\\\bin\\\\lld" "-flavor" "gnu" "-o" "k.co" "\\\\\\\\host\\\\share\\\\a.o"\r
        """;

    PlannedCommands plan = CommandLines.parse(printed, "C:\\users\\root\\Temp");

    String root = "Z:\\kc\\root\\";
    assertThat(plan.commands().get(0))
        .contains(root + "bin\\clang.exe", PlannedCommands.TEMPORARY)
        .doesNotContain("C:\\users\\root\\Temp\\k-gfx90a-84684a.o");
    assertThat(CommandLines.programs(plan.commands(), ON_WINDOWS))
        .containsExactly(root + "bin\\clang.exe", root + "bin\\lld");
    assertThat(CommandLines.includeDirectories(plan.commands(), ON_WINDOWS))
        .containsExactly("Z:/more", root + "lib\\clang\\20");
    assertThat(CommandLines.paths(plan, ON_WINDOWS))
        .contains("C:\\Program Files\\AMD\\ROCm\\ocml.bc", "\\\\host\\share\\a.o")
        .doesNotContain("inc0", "k.hip");
  }

  /** Paths as texts. */
  private static final CompilerFiles<String> ON_WINDOWS =
      new CompilerFiles<>() {
        @Override
        public boolean isAbsolute(String text) {
          return CompilerFiles.isAbsoluteOnWindows(text);
        }

        @Override
        public String path(String text) {
          return text;
        }

        @Override
        public boolean isRegularFile(String path) {
          return true;
        }

        @Override
        public String normalise(String path) {
          return path;
        }

        @Override
        public String canonical(String path) {
          return path;
        }
      };

  /** A ROCm's hipcc goes by {@code llvm}, and its amdclang++ lies in {@code lib/llvm}. */
  @Test
  void identity_isTheSameOnEachWayToAFile(@TempDir Path rocm) throws IOException {
    Path bin = Files.createDirectories(rocm.resolve("lib/llvm/bin"));
    Files.createFile(bin.resolve("lld"));
    Files.createFile(bin.resolve("ld64"));
    Files.createDirectory(rocm.resolve("lib/llvm/include"));
    Files.createSymbolicLink(rocm.resolve("llvm"), Path.of("lib/llvm"));
    Files.createSymbolicLink(rocm.resolve("include"), Path.of("llvm/include"));

    Digest identity = identity(rocm, "lib/llvm/bin/lld", "lib/llvm/include");

    assertThat(identity(rocm, "llvm/bin/lld", "include")).isEqualTo(identity);
    assertThat(identity(rocm, "llvm/bin/../bin/lld", "llvm/include")).isEqualTo(identity);
    assertThat(identity(rocm, "llvm/bin/ld64", "include")).isNotEqualTo(identity);
    assertThat(identity(rocm, "llvm/bin/lld", "lib")).isNotEqualTo(identity);
  }

  private static Digest identity(Path rocm, String program, String directory) {
    String file = rocm + "/" + program;
    List<String> command = List.of(file, "-isystem", rocm + "/" + directory);
    PlannedCommands commands = new PlannedCommands(List.of(command), List.of());
    return new CompilerDescription(commands, List.of(file))
        .identity(path -> Optional.of(Digest.of(new byte[0])), List.of());
  }
}
