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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        ".set include, 1",
        "# .include for the preprocessor",
        "/* .include\\n.include in a comment */ s_nop 0 // .include",
        ".byte '\"', ';' ; .include"
      })
  void text_thatIncludesNothing_isTaken(String line) {
    file("/p/k.s", line.replace("\\n", "\n"));
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
        "m .include \"a.inc\" | .include must begin its statement, since a macro could read any file",
        "\".include\" \"a.inc\" | .include must begin its statement",
        "/* ; */ .include a | .include needs the name of a file in quotes",
        "/*\\n;*/ .include a | .include needs the name of a file in quotes",
        "\"l\\n;\": .include \"a.inc\" | .include must begin its statement",
        ".ifc \",\\n; .include | .include must begin its statement",
        ".ifc /*, x\\n\"*/;\": .include a | .include needs the name of a file in quotes",
        ".macro m a\\n\\a ; */ .include \"a.inc\" | .include must begin its statement",
        "; x\\r.include a | .include needs the name of a file in quotes",
        ".include \"a\\0b\" | a file name holds a control character; rename the file",
        ".include \"../c/a.inc\" | '../c/a.inc' leads out of the source's directory; declare",
        ".incbin \"c/../../a\" | 'c/../../a' leads out of the source's directory",
        ".include \"/etc/passwd\" | '/etc/passwd' is an absolute path; name it relative to",
        ".include \"./src/a.inc\" | './src/a.inc' begins with the name of a directory of kcache's",
        ".incbin \"inc12/a\" | 'inc12/a' begins with the name of a directory of kcache's own"
      })
  void name_thatIsNotSure_isRefusedWithItsLine(String text, String problem) {
    file(
        "/p/k.s",
        "\n"
            + text.replace("\\n", "\n")
                .replace("\\r", "\r")
                .replace("\\0", "\0")
                .replace("\\\\", "\\"));

    assertThatThrownBy(this::stage)
        .isInstanceOf(SourceProblem.class)
        .hasMessageMatching("k\\.s:[23]: .*")
        .hasMessageContaining(problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".macro m a\n.in\\a \"secret\"\n.endm\n",
        ".macro m a\n\\a\\()clude \"secret\"\n.endm\n",
        ".macro m a b\n\\a\\b \"secret\"\n.endm\n",
        ".macro m a.b\n.\\a.b \"secret\"\n.endm\n",
        ".irpc c, i\n.\\c\\()nclude \"secret\"\n.endr\n"
      })
  void macro_thatMayPasteADirective_isRefused(String text) {
    file("/p/k.s", text);

    assertThatThrownBy(this::stage)
        .hasMessage("k.s: a macro may put the name .include or .incbin together; write it out");
  }

  /** Neither needs a stack that grows with the line, nor the square of its time. */
  @Timeout(30)
  @ParameterizedTest
  @ValueSource(strings = {"l:", "\"\\\"\":", " ", "\\a", "/**/", ".include", "'a'", "\"", "/*"})
  void longLine_isRead(String part) {
    file("/p/k.s", ".macro m a\n" + part.repeat(100_000) + ".include \"a.inc\"\n");

    try {
      assertThat(staged()).containsExactly("src/k.s");
    } catch (SourceProblem e) {
      assertThat(e.getMessage()).hasLineCount(1).hasSizeLessThan(300);
    }
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
