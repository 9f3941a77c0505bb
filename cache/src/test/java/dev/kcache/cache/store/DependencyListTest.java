// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.digest;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DependencyListTest {
  private static final String LINE = digest("a") + "  /a.h\n";

  @TempDir Path temp;

  @Test
  void bytes_aLinePerFile_orderedByPath() {
    DependencyList list = DependencyList.of(List.of(file("/b.h"), file("/a.h")));

    assertThat(new String(list.bytes(), UTF_8))
        .isEqualTo(digest("/a.h") + "  /a.h\n" + digest("/b.h") + "  /b.h\n");
    assertThat(list.digest()).isEqualTo(Digest.of(list.bytes()));
  }

  @Test
  void of_sameFilesInAnotherOrder_isTheSameList() {
    assertThat(DependencyList.of(List.of(file("/b.h"), file("/a.h"))).digest())
        .isEqualTo(DependencyList.of(List.of(file("/a.h"), file("/b.h"))).digest());
  }

  @Test
  void parse_noFiles_isAList() throws Exception {
    DependencyList none = DependencyList.of(List.of());

    assertThat(DependencyList.parse(none.bytes(), none.digest()).files()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/usr/include/math.h",
        "/with  two spaces  ",
        "/back\\slash",
        "/new\nline",
        "\\",
        "/\\n",
        "/carriage\rreturn\t",
        "/\u00fcml\u00e4ut/\u20ac\u2028",
        "/\ud83d\ude80",
        ""
      })
  void parse_ofBytes_returnsTheFiles(String path) throws Exception {
    DependencyList list = DependencyList.of(List.of(file(path), file("/z")));

    DependencyList parsed = DependencyList.parse(list.bytes(), list.digest());

    assertThat(parsed.files()).containsExactlyInAnyOrder(file(path), file("/z"));
    assertThat(parsed.digest()).isEqualTo(list.digest());
  }

  @Test
  void bytes_areWhatSha256sumChecks() throws Exception {
    List<Toolchain.File> files = new ArrayList<>();
    for (String name : List.of("plain.h", "with space.h", "back\\slash.h", "new\nline.h")) {
      Path file = temp.resolve(name);
      Files.writeString(file, name);
      files.add(new Toolchain.File(file.toString(), digest(name)));
    }
    Path list = temp.resolve("list.deps");
    Files.write(list, DependencyList.of(files).bytes());

    assertThat(sha256sum(list)).isZero();
    Files.writeString(temp.resolve("plain.h"), "changed");
    assertThat(sha256sum(list)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"x", "\n", "no line end", "ABC  /a\n", "\\", "\\\n", "<html>\n", "\u0000"})
  void parse_otherTextUnderItsRightDigest_isDamage(String text) {
    for (String whole : List.of(text, LINE + text)) {
      assertDamaged(whole);
    }
  }

  @Test
  void parse_damagedLine_isDamage() {
    assertDamaged(LINE.strip());
    assertDamaged(LINE.replace("  ", " "));
    assertDamaged(LINE.substring(1));
    assertDamaged(LINE.replaceFirst("[0-9a-f]", "G"));
    assertDamaged("\\" + LINE.replace("a.h", "\\x"));
    assertDamaged("\\" + LINE.replace("a.h", "\\"));
  }

  @Test
  void parse_otherDigest_isDamage() {
    assertThatThrownBy(() -> DependencyList.parse(LINE.getBytes(UTF_8), digest("other")))
        .isInstanceOf(DamagedEntryException.class);
  }

  private static void assertDamaged(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    assertThatThrownBy(() -> DependencyList.parse(bytes, Digest.of(bytes)))
        .as(text)
        .isInstanceOf(DamagedEntryException.class);
  }

  private static int sha256sum(Path list) throws Exception {
    return new ProcessBuilder("sha256sum", "--check", "--strict", list.toString())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  private static Toolchain.File file(String path) {
    return new Toolchain.File(path, digest(path));
  }
}
