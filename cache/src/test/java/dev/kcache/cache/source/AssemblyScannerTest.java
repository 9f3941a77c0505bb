// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.source.IncludeClosure.Root;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AssemblyScannerTest {
  private final Map<String, byte[]> files = new HashMap<>();

  private void file(String path, String text) {
    files.put(path, text.getBytes(UTF_8));
  }

  private StagedSource stage(String... directories) {
    TextTree tree = new TextTree(files);
    List<Root> roots =
        List.of(directories).stream()
            .map(each -> new Root(new SourcePath(tree, each), each.substring(1), "inc0"))
            .toList();
    IncludeClosure closure =
        AssemblyScanner.scan(
            new SourceSnapshot(), new SourcePath(tree, "/p/k.s"), "k.s", List.of(), roots);
    return StagingLayout.stage(Language.ASSEMBLY, "k.s", closure);
  }

  private List<String> staged(String... directories) {
    return stage(directories).files().stream().map(SourceFile::path).toList();
  }

  /** What a file includes is looked for beside the source, not beside that file. */
  @Test
  void closure_isSearchedBesideTheSourceAndThenInTheDirectories() {
    file("/p/k.s", "label: .include \"sub/a.inc\"\n\t.IncBin \"data.bin\", 4\n");
    file("/p/sub/a.inc", ".include \"b.inc\"\n.include \"c.inc\"\n");
    file("/p/b.inc", "");
    file("/p/sub/b.inc", "never read");
    file("/i/b.inc", "never read either");
    file("/i/c.inc", ".include \"k.s\"\n");
    file("/i/data.bin", ".include nonsense, which is data");

    assertThat(staged("/i"))
        .containsExactly("inc0/c.inc", "inc0/data.bin", "src/b.inc", "src/k.s", "src/sub/a.inc");
  }

  @Test
  void climbingName_isFollowed() {
    file("/p/k.s", ".include \"../c/a.inc\"\n.include \"../../../far.inc\"\n");
    file("/c/a.inc", "");

    StagedSource source = stage();

    assertThat(source.mainFile()).endsWith("/p/k.s");
    assertThat(source.files()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "; .include what a comment says",
        "// as in .incbin, for example",
        "s_nop 0 ; then .include \"a.inc\"",
        ".ascii \"a;\" // .include",
        "x.include y",
        ".includes z",
        ".set include, 1"
      })
  void text_thatIncludesNothing_isTaken(String line) {
    file("/p/k.s", line);
    file("/p/a.inc", "");

    assertThat(staged()).containsExactly("src/k.s");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        ".include a.inc | .include needs the name of a file in quotes, without a backslash",
        ".macro m f\\n.include \"\\\\f\"\\n.endm | .include needs the name of a file in quotes",
        ".ascii \"a;\" ; .incbin\\n.incbin | .incbin needs the name of a file in quotes",
        "m .include | .include needs the name of a file in quotes",
        ".include \"/etc/passwd\" | '/etc/passwd' is an absolute path; name it relative to",
        ".include \"./src/a.inc\" | './src/a.inc' begins with the name of a directory of kcache's",
        ".incbin \"inc12/a\" | 'inc12/a' begins with the name of a directory of kcache's own"
      })
  void name_thatIsNotSure_isRefusedWithItsLine(String text, String problem) {
    file("/p/k.s", "\n" + text.replace("\\n", "\n").replace("\\\\", "\\"));

    assertThatThrownBy(this::stage)
        .isInstanceOf(SourceProblem.class)
        .hasMessageMatching("k\\.s:[23]: .*")
        .hasMessageContaining(problem);
  }

  @Test
  void macro_thatMayPasteADirective_isRefused() {
    file("/p/k.s", ".macro m a\n.in\\a \"secret\"\n.endm\n");

    assertThatThrownBy(this::stage)
        .hasMessage("k.s: a macro may put the name .include or .incbin together; write it out");
  }

  @Test
  void kernel_isSeenInWhatIsIncluded() {
    file("/p/k.s", ".include \"a.inc\"\n");
    file("/p/a.inc", ".amdhsa_kernel k\n");

    TextTree tree = new TextTree(files);
    IncludeClosure closure =
        AssemblyScanner.scan(
            new SourceSnapshot(), new SourcePath(tree, "/p/k.s"), "k.s", List.of(), List.of());

    assertThat(closure.hasKernel()).isTrue();
  }
}
