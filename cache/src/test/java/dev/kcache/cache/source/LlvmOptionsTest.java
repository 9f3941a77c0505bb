// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class LlvmOptionsTest {
  private static final Pattern LISTED = Pattern.compile("  --?([a-z0-9-]+)\\S* +- (.*)");

  /** "path" is one of a graph too, and a profile may be one that the compiler makes. */
  private static final Pattern OF_FILES =
      Pattern.compile("(?i).*\\b(files?|filename|directory|dump|dot|print|report|stdout)\\b.*");

  /** What the compiler behind the machine's hipcc says of its options, hidden ones included. */
  @Test
  void allowedOption_isOfNoFile() throws Exception {
    Process clang =
        new ProcessBuilder(
                CompilerOfHipcc.find().toString(),
                "-cc1",
                "-mllvm",
                "--help-list-hidden",
                "-x",
                "c++",
                "/dev/null")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<String> allowed = new ArrayList<>();
    for (String line : new String(clang.getInputStream().readAllBytes(), UTF_8).lines().toList()) {
      Matcher option = LISTED.matcher(line);
      if (option.matches() && LlvmOptions.isAllowed(option.group(1))) {
        allowed.add(option.group(1));
        assertThat(option.group(2)).as(line).doesNotMatch(OF_FILES);
      }
    }

    assertThat(allowed)
        .hasSizeGreaterThan(150)
        .contains("amdgpu-early-inline-all", "inline-threshold", "enable-post-misched");
  }
}
