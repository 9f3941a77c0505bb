// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

class KeysCommandTest extends CommandTestBase {
  private Path key;

  private Run makeKey() {
    key = directory.resolve("key");
    return succeeds("keys", "new", key);
  }

  @Test
  void newKey_isForItsOwnerAloneAndReplacesNone() throws IOException {
    Run made = makeKey();
    assertThat(made.out()).matches("key [0-9a-f]{16} is in " + key + "\\.pub\\R");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
    String secret = Files.readString(key);
    Run again = ends(ExitCode.UNAVAILABLE, "keys", "new", key);
    assertThat(again.err()).contains("is there already");
    assertThat(Files.readString(key)).isEqualTo(secret);
  }

  @Test
  void newKey_thatCannotBeWritten_saysWhy() {
    Path file = command.write("file", "").resolve("key");
    assertThat(ends(ExitCode.UNAVAILABLE, "keys", "new", file).err())
        .isEqualTo(
            "kcache: '" + file + "' cannot be written: Not a directory; name another file\n");
    Path missing = directory.resolve("no/key");
    assertThat(ends(ExitCode.UNAVAILABLE, "keys", "new", missing).err())
        .isEqualTo(
            "kcache: '"
                + missing
                + "' cannot be written: there is no such file or directory; name another file\n");
  }

  @Test
  void newKey_whoseOtherHalfCannotBeWritten_isRemoved() throws IOException {
    Path file = directory.resolve("key");
    Files.createSymbolicLink(directory.resolve("key.pub"), directory.resolve("nothing"));
    assertThat(ends(ExitCode.UNAVAILABLE, "keys", "new", file).err())
        .isEqualTo("kcache: " + file + ".pub is there already; name another file\n");
    assertThat(file).doesNotExist();
  }

  @Test
  void list_showsWhatTheVariablesName() {
    String id = makeKey().out().split(" ", -1)[1];
    put("KCACHE_SIGN_KEY", key.toString());
    assertThat(succeeds("keys", "list").out())
        .isEqualToNormalizingNewlines(
            "signs    " + id + "  " + key + "\ntrusted  " + id + "  " + key + "\n");
    put("KCACHE_SIGN_KEY", "", "KCACHE_TRUSTED_KEYS", key + ".pub");
    assertThat(succeeds("keys", "list", "--json").out())
        .contains("\"signKey\":null,\"trusted\":[{\"id\":\"" + id + "\",\"file\":\"" + key);
  }

  @Test
  void list_endsWithAProblemWhereAFileCannotBeUsed() {
    put("KCACHE_TRUSTED_KEYS", directory.resolve("none").toString());
    Run run = ends(ExitCode.UNAVAILABLE, "keys", "list", "--json");
    assertThat(run.out()).contains("\"problems\":[\"the trusted keys cannot be used");
  }

  @Test
  void otherWords_areRefused() {
    for (String word : new String[] {"make", "new"}) {
      assertThat(ends(ExitCode.USAGE, "keys", word).err()).contains("kcache keys new FILE");
    }
  }
}
