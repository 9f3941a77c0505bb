// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  @Test
  void bash_completesAVerb() throws IOException {
    assertThat(share.resolve("bash-completion/completions/kcache"))
        .content()
        .contains("_complete_kcache()", "--cache-dir");
  }
}
