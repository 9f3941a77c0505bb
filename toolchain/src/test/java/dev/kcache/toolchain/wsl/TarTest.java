// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.wsl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The system's tar is the oracle. */
class TarTest {
  private static final Map<String, byte[]> FILES =
      new TreeMap<>(
          Map.of("empty", new byte[0], "block", new byte[512], "text", "a\n".getBytes(UTF_8)));

  @TempDir Path directory;

  private void run(String script) throws Exception {
    Process process =
        new ProcessBuilder("/bin/sh", "-c", script)
            .directory(directory.toFile())
            .inheritIO()
            .start();
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void archive_isReadByTheSystemsTar() throws Exception {
    Files.write(directory.resolve("a.tar"), Tar.pack(FILES));

    run("mkdir x && tar -xf a.tar -C x && rm a.tar");

    for (Map.Entry<String, byte[]> file : FILES.entrySet()) {
      assertThat(directory.resolve("x/" + file.getKey())).hasBinaryContent(file.getValue());
    }
    try (var found = Files.list(directory.resolve("x"))) {
      assertThat(found).hasSameSizeAs(FILES.keySet());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "ustar", "posix", "v7"})
  void archiveOfTheSystemsTar_isRead(String format) throws Exception {
    for (Map.Entry<String, byte[]> file : FILES.entrySet()) {
      Files.write(directory.resolve(file.getKey()), file.getValue());
    }
    run("tar --format=" + format + " -cf /dev/stdout empty block text >../a.tar && mv ../a.tar .");
    byte[] archive = Files.readAllBytes(directory.resolve("a.tar"));

    if (format.equals("v7")) {
      // It has no magic, and no tar of this century writes it.
      assertThatThrownBy(() -> Tar.unpack(archive)).hasMessage("it is not an archive");
    } else {
      Map<String, byte[]> found = Tar.unpack(archive);
      assertThat(found.keySet()).isEqualTo(FILES.keySet());
      FILES.forEach((name, content) -> assertThat(found.get(name)).isEqualTo(content));
    }
  }

  @Test
  void cutOrChangedArchive_isRefused() throws IOException {
    byte[] whole = Tar.pack(FILES);
    // Without its end, up to the end of the last file but one.
    for (int length = 0; length < whole.length - 1024; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> Tar.unpack(cut)).isInstanceOf(IOException.class);
    }
    // But for the blank after the header's sum.
    for (int at = 0; at < 512; at += at == 154 ? 2 : 1) {
      byte[] changed = whole.clone();
      changed[at] ^= 0x11;
      assertThatThrownBy(() -> Tar.unpack(changed)).isInstanceOf(IOException.class);
    }
    assertThat(Tar.unpack(whole)).hasSize(FILES.size());
  }
}
