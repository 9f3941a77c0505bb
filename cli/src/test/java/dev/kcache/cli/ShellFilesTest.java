// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** CI loads the files into the shells and into man. */
class ShellFilesTest {
  @TempDir Path share;

  @BeforeEach
  void write() throws IOException {
    ShellFiles.main(new String[] {share.toString()});
  }

  @Test
  void zsh_knowsVerbsAndOptions() throws IOException {
    assertThat(share.resolve("zsh/site-functions/_kcache"))
        .content()
        .startsWith("#compdef kcache\n")
        .contains(
            "    'prewarm:Compiles kernels ahead of their first use; needs no GPU.'\n",
            "'*--arch=[Target IDs such as gfx90a or gfx942\\:xnack+, ",
            "'*--cache-dir=[Use this cache directory alone, ",
            ":DIR:_files -/' \\\n");
  }

  @Test
  void fish_knowsVerbsAndOptions() throws IOException {
    assertThat(share.resolve("fish/vendor_completions.d/kcache.fish"))
        .content()
        .contains(
            "complete -c kcache -f -n __fish_use_subcommand -a prewarm -d 'Compiles kernels",
            "complete -c kcache -n '__fish_seen_subcommand_from gc' -l json -d 'Print one JSON",
            " -l cache-dir -r -a '(__fish_complete_directories)' -d ");
  }

  @Test
  void manual_hasAPageForEachVerb_withItsOptions() throws IOException {
    Path pages = share.resolve("man/man1");
    assertThat(pages.resolve("kcache.1"))
        .content()
        .contains(".BR kcache-prewarm (1)\n", "0 done, 1 some kernels failed");
    assertThat(pages.resolve("kcache-prewarm.1"))
        .content()
        .contains("\n.TP\n\\-\\-timeout TIME\n", "Default: 10m.");
    assertThat(CommandRunner.files(pages, ".1")).hasSizeGreaterThan(12);
  }

  /** No PowerShell runs it: of hash tables it refuses keys that differ in case alone. */
  @Test
  void powerShell_knowsVerbsAndOptions() throws IOException {
    String script = Files.readString(share.resolve("powershell/kcache.ps1"));
    CommandLine command = KcacheCommand.commandLine(CliContext.ofProcess());
    Map<String, List<String>> expected = new LinkedHashMap<>();
    expected.put("", List.copyOf(command.getSubcommands().keySet()));
    command
        .getSubcommands()
        .forEach(
            (name, verb) ->
                expected.put(
                    name,
                    verb.getCommandSpec().options().stream()
                        .flatMap(option -> Stream.of(option.names()))
                        .toList()));

    Map<String, List<String>> found = new LinkedHashMap<>();
    List<String> names = new ArrayList<>();
    Pattern entry = Pattern.compile(" {4}'([\\w-]+)' = '((?:[^']|'')+)'");
    for (String line : script.substring(0, script.indexOf("  $before")).split("\n", -1)) {
      Matcher pair = entry.matcher(line);
      if (line.matches(" {2}\\$known\\['[a-z]*'] = \\[ordered]@\\{")) {
        names = new ArrayList<>();
        found.put(line.split("'", -1)[1], names);
      } else if (pair.matches()) {
        names.add(pair.group(1));
      } else {
        assertThat(line).matches("( {2}})?|#.*|Register-.*\\{| {2}param\\(.*| {2}\\$known = @\\{}");
      }
    }
    assertThat(found).isEqualTo(expected);
    found
        .values()
        .forEach(
            each ->
                assertThat(each.stream().map(name -> name.toLowerCase(Locale.ROOT)))
                    .doesNotHaveDuplicates());
    // Windows' own PowerShell reads a file in the code page of the machine.
    assertThat(script)
        .matches("[\\n -~]*")
        .startsWith("# Completes kcache in PowerShell 5.1")
        .contains("'prewarm' = 'Compiles kernels ahead of ", "of a source''s entry.'")
        .endsWith("  }\n}\n");
  }

  @Test
  void bash_completesAVerb() throws IOException {
    assertThat(share.resolve("bash-completion/completions/kcache"))
        .content()
        .contains("_complete_kcache()", "--cache-dir");
  }
}
