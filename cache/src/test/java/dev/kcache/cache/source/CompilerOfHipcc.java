// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The clang behind the {@code hipcc} on the PATH, which takes most of its time to find it. */
public final class CompilerOfHipcc {
  private static final Pattern COMMAND = Pattern.compile("(?m)^ \"([^\"]+)\" \"-cc1\"");

  private CompilerOfHipcc() {}

  /** Returns its path. */
  public static Path find() throws IOException {
    ProcessBuilder hipcc =
        new ProcessBuilder(
            "hipcc", "-###", "--genco", "--offload-arch=gfx90a", "-x", "hip", "/dev/null");
    hipcc.environment().put("HIP_PLATFORM", "amd");
    Process process = hipcc.redirectErrorStream(true).start();
    process.getOutputStream().close();
    String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
    Matcher command = COMMAND.matcher(printed);
    if (!command.find()) {
      throw new AssertionError("hipcc does not tell its compiler: " + printed);
    }
    return Path.of(command.group(1));
  }

  /** Returns the files that a compiler lists behind the target of a rule for make. */
  public static List<String> prerequisites(String rule) {
    String files = rule.substring(rule.indexOf(':') + 1).replace("\\\n", " ").strip();
    return Arrays.stream(files.split("(?<!\\\\)\\s+", -1))
        .map(name -> name.replace("\\ ", " ").replace("\\#", "#").replace("$$", "$"))
        .toList();
  }
}
