// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static dev.kcache.toolchain.standin.Invariants.require;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.kcache.toolchain.Language;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Any bytes are a source in Rust with its files, or refused; see {@code scripts/fuzz rust}. */
class RustScannerFuzzTest {
  private static final String SEPARATOR = "\n@@@@";
  private static final List<String> NAMES =
      List.of("/k/k.rs", "/k/a.rs", "/k/a/b.rs", "/k/c/mod.rs", "/d.rs");

  @DictionaryEntries({
    "mod a;",
    "mod b;",
    "mod c {",
    "#[path = \\x22../d.rs\\x22]",
    "#![path = \\x22a\\x22]",
    "#[cfg_attr(x, path = \\x22a.rs\\x22)]",
    "include!(\\x22a.rs\\x22)",
    "include_str!(concat!(\\x22a\\x22, '.', \\x22rs\\x22))",
    "include_bytes!($f)",
    "macro_rules! m { ($n:ident) => { mod $n; } }",
    "macro m($p:literal) { #[path = $p] mod b; }",
    "r#\\x22",
    "\\x22#",
    "br##\\x22",
    "c\\x22",
    "/*",
    "*/",
    "//",
    "'a",
    "'\\x22'",
    "b'",
    "r#mod",
    "\\\\u{2e}",
    "\\\\\\x0a",
    "---\\x0a",
    "#!",
    "gpu-kernel",
    "\\x0a@@@@",
    "}",
    "{",
    ";",
  })
  @FuzzTest
  void scan(byte[] bytes) {
    List<Token> tokens = tokens(bytes);
    int line = 1;
    for (Token token : tokens) {
      require(token.line() >= line, "lines go up");
      line = token.line();
    }
    long lines = new String(bytes, UTF_8).chars().filter(c -> c == '\n').count() + 1;
    require(line <= lines, "a line of the file");
    ScannedRust scanned = RustFileScanner.scan(bytes);
    require(scanned.equals(RustFileScanner.scan(bytes)), "a text is always read in the same way");
    for (ScannedRust.Reference reference : scanned.references()) {
      require(!reference.name().startsWith("/"), "a relative name");
      require(!SourcePath.hasControl(reference.name()), "a name that can be shown");
    }
    close(bytes);
  }

  private static List<Token> tokens(byte[] bytes) {
    RustLexer lexer = new RustLexer(bytes);
    List<Token> tokens = new ArrayList<>();
    do {
      tokens.add(lexer.next());
    } while (tokens.get(tokens.size() - 1).kind() != Token.Kind.END);
    return tokens;
  }

  private static void close(byte[] bytes) {
    String[] parts = new String(bytes, ISO_8859_1).split(SEPARATOR, NAMES.size());
    Map<String, byte[]> files = new HashMap<>();
    for (int i = 0; i < parts.length; i++) {
      files.put(NAMES.get(i), parts[i].getBytes(ISO_8859_1));
    }
    SourcePath main = new SourcePath(new TextTree(files), NAMES.get(0));
    try {
      IncludeClosure closure = RustScanner.scan(new SourceSnapshot(), main, "k.rs", List.of());
      require(closure.files().containsKey(main), "a source is part of its closure");
      require(closure.files().size() <= files.size(), "nothing else is");
      StagingLayout.stage(Language.RUST, "k.rs", closure);
    } catch (SourceProblem e) {
      require(e.getMessage().lines().count() == 1, "a message is one line");
      require(e.getMessage().getBytes(UTF_8).length < bytes.length * 2 + 1000, "it is short");
    }
  }
}
