// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RevokeCommandTest extends CommandTestBase {
  private static final String DIGEST = "0123456789abcdef".repeat(4);

  private void sign() {
    Path key = directory.resolve("key");
    succeeds("keys", "new", key);
    put("KCACHE_SIGN_KEY", key.toString());
  }

  @Test
  void list_risesWithEachRevocation() throws Exception {
    sign();
    assertThat(succeeds("revoke", DIGEST, "--reason", "hangs").out())
        .isEqualToNormalizingNewlines(
            "revoked code %s, list 1\n  in cache directory %s\n".formatted(DIGEST, command.cache));
    assertThat(succeeds("revoke", "--source", "a\nb.hip", "--reason", "\u00fc", "--json").out())
        .startsWith("{\"schema\":\"kcache.revoke/1\",\"source\":\"a\\nb.hip\",")
        .contains("\"serial\":2");
    assertThat(Files.readString(command.cache.resolve("revocations")))
        .startsWith("ed25519 ")
        .contains("\n\n{\"schema\":\"kcache.revocations/1\",\"serial\":2,\"entries\":[{\"code\":")
        .contains("{\"source\":\"a\\nb.hip\",\"reason\":\"\\u00FC\",\"time\":");
  }

  @Test
  void withoutAKey_nothingIsRevoked() {
    Run run = ends(ExitCode.USAGE, "revoke", DIGEST, "--reason", "hangs");
    assertThat(run.err()).contains("kcache keys new FILE");
    assertThat(command.cache.resolve("revocations")).doesNotExist();
  }

  @Test
  void oneThingWithAReason_isWhatItTakes() {
    sign();
    assertThat(ends(ExitCode.USAGE, "revoke", DIGEST).err()).contains("--reason TEXT");
    assertThat(ends(ExitCode.USAGE, "revoke", "--reason", "r").err()).contains("name one");
    assertThat(ends(ExitCode.USAGE, "revoke", DIGEST, "--source", "k.hip", "--reason", "r").err())
        .contains("name one");
    assertThat(ends(ExitCode.USAGE, "revoke", "abc", "--reason", "r").err()).contains("abc");
    assertThat(ends(ExitCode.USAGE, "revoke", "zzz").err())
        .isEqualTo(
            "kcache: 'zzz' is not a digest; name a code object by its 64 hex digits or the first of"
                + " them, or give --source or --toolchain\n");
  }

  @Test
  void explain_saysWhyAndTheNextLookupPutsItAway() {
    sign();
    Path source = command.kernel("k.hip");
    succeeds("prewarm", source, "--arch", "gfx90a");
    Path code = CommandRunner.files(command.cache, ".co").get(0);
    String digest = code.getFileName().toString().replace(".co", "");
    assertThat(
            succeeds("revoke", digest.substring(0, 12), "--reason", "hangs one product of two")
                .out())
        .startsWith("revoked code " + digest + ", list 1");
    assertThat(command.run("explain", source, "--arch", "gfx90a").out())
        .contains(": miss")
        .contains("revoked on ")
        .contains(": hangs one product of two");
    command.run("prewarm", source, "--arch", "gfx90a");
    assertThat(code).doesNotExist();
  }
}
