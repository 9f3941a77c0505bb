// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stand-ins for LLVM's tools; InspectCommandTest has the machine's own. */
class LlvmToolsTest {
  private static final String PRINTS =
      "printf 'image.co: file format\\n\\n0100 <vadd>:\\n\\tend\\n\\ts_nop 0 // 1\\n\\n'";

  @TempDir Path root;
  private Path staging;
  private LlvmTools tools;

  @BeforeEach
  void create() throws IOException {
    root = root.toRealPath();
    staging = Files.createDirectory(root.resolve("staging"));
    tools =
        new LlvmTools(
            Map.of("PATH", root.resolve("one") + ":" + root.resolve("two")), () -> staging, root);
  }

  @AfterEach
  void nothingIsLeftBehind() throws IOException {
    try (Stream<Path> left = Files.list(staging)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void codeThatOneToolCannotRead_isReadByTheNext() throws Exception {
    Script.write(root.resolve("one/llvm-objdump"), "echo no such target >&2; exit 1");
    Script.write(root.resolve("two/llvm-objdump"), "test -s image.co || exit 1; " + PRINTS);

    assertThat(tools.disassembly(vadd(), List.of("vadd"))).isEqualTo(Map.of("vadd", "\tend"));
  }

  @Test
  void codeThatNoToolCanRead_isRefusedInOneLine() throws Exception {
    Path old = Script.write(root.resolve("one/llvm-objdump"), "kill -s SEGV $$");
    Path other = Script.write(root.resolve("two/llvm-objdump"), PRINTS.replace("vadd", "vsub"));

    assertThatThrownBy(() -> tools.disassembly(vadd(), List.of("vadd")))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            ("no llvm-objdump here can disassemble code for gfx90a (tried %s, %s); put that of a newer"
                    + " LLVM on PATH")
                .formatted(old, other));
  }

  @Test
  void declarations_areThoseOfTheFirstToolThatTellsThem() throws Exception {
    Script.write(root.resolve("one/llvm-cxxfilt"), "echo one line");
    Script.write(
        root.resolve("two/llvm-cxxfilt"),
        "while read s; do test $s = _Z1fv && s='f()'; echo \"$s\"; done < \"${1#@}\"");

    assertThat(tools.declarations(List.of("vadd", "_Z1fv", "_Z1fv", "_Zodd", "_Z; rm -r")))
        .isEqualTo(Map.of("_Z1fv", "f()"));
  }

  private static CodeObject vadd() throws IOException {
    try (InputStream in = LlvmToolsTest.class.getResourceAsStream("/elf/gfx90a.elf")) {
      return CodeObject.parse(Objects.requireNonNull(in).readAllBytes());
    }
  }
}
