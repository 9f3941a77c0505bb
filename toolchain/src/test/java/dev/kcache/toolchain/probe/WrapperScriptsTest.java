// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WrapperScriptsTest {
  @TempDir Path directory;

  @Test
  void behind_scriptsThatLeadToOthers_areAllOfThem() throws IOException {
    Path compiler = Files.write(directory.resolve("g++"), new byte[] {0x7f, 'E', 'L', 'F', 0});
    assertThat(compiler.toFile().setExecutable(true)).isTrue();
    Path log = Files.writeString(directory.resolve("log"), "");
    Path inner =
        Script.write(
            directory.resolve("inner"), "date >>" + log + "\nexec " + compiler + " \"$@\"");
    Path outer = Script.write(directory.resolve("outer"), "exec '" + inner + "' \"$@\"");

    assertThat(WrapperScripts.behind(outer)).containsExactlyInAnyOrder(inner, compiler);
  }

  @Test
  void behind_scriptsThatNameEachOther_ends() throws IOException {
    Path one = directory.resolve("one");
    Path other = Script.write(directory.resolve("other"), "exec " + one);
    Script.write(one, "exec " + other);

    assertThat(WrapperScripts.behind(one)).containsExactlyInAnyOrder(one, other);
  }

  @Test
  void behind_programOrNothing_isNothing() throws IOException {
    Path script = Script.write(directory.resolve("script"), "exec " + directory + "/missing");

    assertThat(WrapperScripts.behind(Path.of("/bin/ls"))).isEmpty();
    assertThat(WrapperScripts.behind(directory)).isEmpty();
    assertThat(WrapperScripts.behind(directory.resolve("none"))).isEmpty();
    assertThat(WrapperScripts.behind(script)).isEmpty();
  }
}
