// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ConfigCommandTest {
  /** Those with which the command works, and that take no text of any kind. */
  private static final Map<String, String> VALUES =
      Map.ofEntries(
          Map.entry("KCACHE_DIR", "/tmp/some"),
          Map.entry("KCACHE_PATH", "/usr"),
          Map.entry("KCACHE_MAX_SIZE", "500MB"),
          Map.entry("KCACHE_MAX_AGE", "90d"),
          Map.entry("KCACHE_SHARED", "group"),
          Map.entry("KCACHE_DISABLE", "0"),
          Map.entry("KCACHE_POLICY", "prefer-cache"),
          Map.entry("KCACHE_REMOTE", "redis://host"),
          Map.entry("KCACHE_REMOTE_MODE", "read-write"),
          Map.entry("KCACHE_CODE_OBJECT_VERSION", "5"),
          Map.entry("KCACHE_ROCM_VERSION", "6.4"),
          Map.entry("KCACHE_LOG", "debug"));

  @TempDir Path directory;
  private CommandRunner kcache;

  @BeforeEach
  void makeRunner() {
    kcache = new CommandRunner(directory);
  }

  @Test
  void each_isShownWithItsOrigin() {
    kcache.environment.put("KCACHE_MAX_SIZE", "500MB");
    kcache.environment.put("ARCH", "gfx90a");

    Run run = kcache.run("config");

    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines().map(line -> line.replaceAll(" {2,}", "|")))
        .startsWith("setting|value|from", "cache directory|" + kcache.cache + "|$KCACHE_DIR")
        .contains(
            "layers|none|default",
            "size limit|500.0 MB|$KCACHE_MAX_SIZE",
            "age limit|none|default",
            "target|gfx90a|$ARCH",
            "policy|auto|default");
  }

  @ParameterizedTest
  @MethodSource("variables")
  void eachVariable_isTheOriginOfASetting(String variable) {
    kcache.environment.put(variable, VALUES.getOrDefault(variable, "text"));

    assertThat(kcache.run("config", "--json").out())
        .startsWith("{\"schema\":\"kcache.config/1\",\"settings\":[{\"name\":")
        .contains("\"origin\":\"$" + variable + "\"");
  }

  static Iterable<String> variables() {
    return KcacheVariables.KNOWN;
  }

  @Test
  void password_isNotShown() {
    kcache.environment.put("KCACHE_REMOTE", "redis://:secret@host");
    kcache.environment.put("KCACHE_REDIS_PASSWORD", "other-secret");
    kcache.environment.put("KCACHE_GRPC_HEADERS", "x-key=fourth-secret");

    Run run = kcache.run("config", "--json", "--remote", "redis://:third-secret@host");

    assertThat(run.out())
        .contains("\"origin\":\"--remote\"", "\"origin\":\"$KCACHE_REDIS_PASSWORD\"")
        .doesNotContain("secret");
  }

  @Test
  void option_winsOverItsVariable() {
    kcache.environment.put("KCACHE_PATH", "/usr");

    assertThat(kcache.run("config", "--cache-dir", directory.resolve("d")).out().lines())
        .anyMatch(line -> line.matches("cache directory +" + directory + "/d +--cache-dir"))
        .anyMatch(line -> line.matches("layers +none +--cache-dir"));
  }

  @Test
  void wrongValue_isTheUsualError() {
    kcache.environment.put("KCACHE_POLICY", "never");

    Run run = kcache.run("config");

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).startsWith("kcache: KCACHE_POLICY='never' is unknown");
  }
}
