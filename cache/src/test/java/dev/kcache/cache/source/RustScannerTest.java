// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What rustc itself reads, {@code RustClosureOracleTest} asks it. */
class RustScannerTest {
  private final Map<String, byte[]> files = new HashMap<>();

  private void file(String path, String text) {
    files.put(path, text.getBytes(UTF_8));
  }

  private IncludeClosure scan() {
    SourcePath main = new SourcePath(new TextTree(files), "/p/k.rs");
    return RustScanner.scan(new SourceSnapshot(), main, "k.rs", List.of());
  }

  private List<String> staged() {
    return StagingLayout.stage(Language.RUST, "k.rs", scan()).files().stream()
        .map(SourceFile::path)
        .toList();
  }

  @Test
  void closure_hasNothingThatIsNotNamed() {
    file("/p/k.rs", "mod a; #[path = \"c.rs\"] mod b; mod d { mod e; } const S: &str = \"f.rs\";");
    file("/p/a.rs", "mod g; pub fn h() {}");
    file("/p/a/g.rs", "");
    file("/p/g.rs", "of no module");
    file("/p/b.rs", "since it has a path");
    file("/p/c.rs", "mod k; // as it is no mod.rs by its name");
    file("/p/e.rs", "");
    file("/p/d/e.rs", "");
    file("/p/f.rs", "only a string");
    file("/p/h.rs", "only a function");

    assertThat(staged())
        .containsExactly("src/a.rs", "src/a/g.rs", "src/c.rs", "src/d/e.rs", "src/k.rs");
  }

  @Test
  void moduleThatMayLieAtTwoPlaces_hasBoth() {
    file("/p/k.rs", "mod a;");
    file("/p/a.rs", "");
    file("/p/a/mod.rs", "");

    assertThat(staged()).containsExactly("src/a.rs", "src/a/mod.rs", "src/k.rs");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "mod a; /* mod b; | src/a.rs",
        "/* /* */ mod b; */ mod a; | src/a.rs",
        "mod a; const X: &str = \"mod b; | src/a.rs",
        "mod a; r#\"mod b; | src/a.rs",
        "mod a; ' mod b; | src/a.rs",
        "mod a } } mod b; | src/a.rs src/b.rs",
        "} mod a; ) mod b; | src/a.rs src/b.rs",
        "#[ mod a; ] mod b; | src/b.rs",
        "mod a { mod b; | src/a/b.rs",
        "mod | ",
        "include_str!( | ",
        "include_str!(concat!(\"a\", | ",
        "#[path = | ",
        "\"\\u{ | ",
        "'\\ | ",
      })
  void textThatIsNoRust_isTakenSomehow(String text, String expected) {
    file("/p/k.rs", text);
    file("/p/a.rs", "");
    file("/p/b.rs", "");
    file("/p/a/b.rs", "");

    assertThat(String.join(" ", staged()))
        .isEqualTo((expected == null ? "" : expected + " ") + "src/k.rs");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "include_str!(\"/etc/passwd\") | '/etc/passwd' is an absolute path; name it relative to the",
        "#[path = \"/a.rs\"] mod a; | '/a.rs' is an absolute path; name it relative to the source",
        "#[path = \"/a\"] mod a { } | '/a' is an absolute path; name it relative to the source",
        "include!(\"a\\\\\\\\b\"); | 'a\\b': rename the file without a backslash",
      })
  void nameThatIsNotTaken_isRefusedWithItsLine(String text, String problem) {
    file("/p/k.rs", "\n\n" + text.replace("\\\\", "\\"));
    file("/p/a\\b", "");

    assertThatThrownBy(this::scan)
        .isInstanceOf(SourceProblem.class)
        .hasMessageStartingWith("k.rs:3: " + problem.replace("\\\\", "\\"));
  }

  @Test
  void nameThatClimbsTooFar_isRefused() {
    file("/p/k.rs", "include!(\"" + "../".repeat(65) + "a\");");

    assertThatThrownBy(this::scan).hasMessage("k.rs:1: climbs more than 64 directories up");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "include!(concat!(env!(\"OUT_DIR\"), \"/a.rs\"));",
        "const A: &str = include_str!(concat!(\"a\", stringify!(b)));",
        "const A: &str = include_str!(include_str!(\"a\"));",
        "macro_rules! m { ($n:literal) => { include_bytes!(concat!(\"a/\", $n)) } }",
        "const A: &str = include_str!(env!(\"A\"));"
      })
  void nameThatIsPutTogether_needsADeclaredFile(String text) {
    file("/p/k.rs", "\n" + text);
    file("/p/a.rs", "");

    assertThat(scan().undeclared())
        .hasMessageMatching(
            "k\\.rs:2: include(_str|_bytes)?! takes the name of its file from a macro, so the file"
                + " is not known before the compile; write the name out, or declare the file with"
                + " withHeader \\(--header\\)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x.include(\"a.txt\");",
        "use core::include_str as text; text!(\"a.txt\");",
        "m!(include_str, \"a.txt\");",
        "macro_rules! m { ($n:literal) => { include_str!($n) } } m!(\"a.txt\");",
        "const A: &str = include_str!(name!()); macro_rules! name { () => { \"a.txt\" } }",
        "const A: &str = include_str!(m!(\"a.txt\"));"
      })
  void nameThatMayBeAFiles_isFoundAmongTheStrings(String text) {
    file("/p/k.rs", "mod b; const B: &str = \"/etc/passwd\"; " + text);
    file("/p/b.rs", "const C: &str = \"c.txt\";");
    file("/p/a.txt", "mod d; include_str!(\"/what a file that is only guessed says\")");
    file("/p/c.txt", "");

    IncludeClosure closure = scan();

    assertThat(closure.undeclared()).isNull();
    assertThat(staged()).containsExactly("src/a.txt", "src/b.rs", "src/c.txt", "src/k.rs");
  }

  @Test
  void moduleThatAMacroNames_isAnyWord() {
    file("/p/k.rs", "macro_rules! m { ($n:ident) => { mod $n; } } m!(a); mod b { m!(c); }");
    file("/p/a.rs", "");
    file("/p/b/c.rs", "m!(d);");
    file("/p/b/c/d/mod.rs", "");
    file("/p/e.rs", "");

    assertThat(staged()).containsExactly("src/a.rs", "src/b/c.rs", "src/b/c/d/mod.rs", "src/k.rs");
  }

  @Test
  void macrosThatMayNameTooMuch_areRefused() {
    String words =
        IntStream.range(0, 60_000).mapToObj(each -> "w" + each).collect(Collectors.joining(" "));
    file("/p/k.rs", "macro_rules! m { ($n:ident) => { mod $n; } } mod a {} mod b {} " + words);

    assertThatThrownBy(this::scan)
        .hasMessage(
            "k.rs: its macros may name too many files to look for; write the names of modules and"
                + " included files out where they are used");
  }

  @Test
  void closureOfTooManyFiles_isRefused() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i <= 10_000; i++) {
      text.append("mod m").append(i).append(";\n");
      file("/p/m" + i + ".rs", "");
    }
    file("/p/k.rs", text.toString());

    assertThatThrownBy(this::scan)
        .hasMessage(
            "k.rs:10000: the source and its includes are more than 10000 files or 64 MiB;"
                + " include less");
  }

  @Test
  void kernel_isSeenInAModule() {
    file("/p/k.rs", "mod a; // extern \"gpu-kernel\"");
    file("/p/a.rs", "");
    assertThat(scan().hasKernel()).isFalse();

    file("/p/a.rs", "pub unsafe extern r\"gpu-kernel\" fn k() {}");
    assertThat(scan().hasKernel()).isTrue();
  }
}
