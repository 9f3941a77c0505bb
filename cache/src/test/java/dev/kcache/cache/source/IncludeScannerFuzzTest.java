// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static dev.kcache.toolchain.standin.Invariants.require;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.kcache.cache.source.IncludeClosure.Root;
import dev.kcache.cache.source.ScannedFile.Reference;
import dev.kcache.toolchain.Language;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Any bytes are a source with its headers, or refused; see {@code scripts/fuzz includes}. Whether
 * the compiler reads them in the same way, {@link IncludeOracleFuzzTest} asks it.
 */
class IncludeScannerFuzzTest {
  private static final String SEPARATOR = "\n@@@@";
  private static final List<String> NAMES =
      List.of("/k/main.hip", "/k/a.h", "/k/sub/b.h", "/inc/a.h", "/inc/c.h");

  @DictionaryEntries({
    "#include \\x22a.h\\x22\\x0a", "#include_next <a.h>\\x0a", "__has_include(<c.h>)",
    "#embed \\x22../inc/c.h\\x22\\x0a", "\\\\\\x0a", "R\\x22x(",
    ")x\\x22", "/*", "*/",
    "//", "%:", "??/",
    "__global__", "__DATE__", ".incbin",
    "#pragma GCC dependency", "\\x0a@@@@", "1'2",
    "\\\\u{2e}",
  })
  @FuzzTest
  void scan(byte[] bytes) {
    ScannedFile scanned = FileScanner.scan(bytes);
    check(scanned, bytes);
    require(scanned.equals(FileScanner.scan(bytes)), "a text is always read in the same way");
    require(moved(bytes).equals(lines(scanned, 1)), "a line before moves all by one");
    close(bytes);
  }

  private static void check(ScannedFile scanned, byte[] bytes) {
    String text = new String(bytes, ISO_8859_1);
    long lines = text.lines().count() + 1;
    for (Reference reference : scanned.references()) {
      require(reference.line() >= 1 && reference.line() <= lines, "a line of the file");
      require(!reference.name().isEmpty() && !reference.name().startsWith("/"), "a relative name");
      require(!SourcePath.hasControl(reference.name()), "a name that can be shown");
    }
    for (ScannedFile.Problem problem : scanned.problems()) {
      require(problem.line() >= 1 && problem.line() <= lines, "a line of the file");
      require(problem.message().lines().count() == 1, "a message is one line");
    }
  }

  /** Returns the lines of what is found in a text below an empty line. */
  private static List<Integer> moved(byte[] bytes) {
    boolean marked = new String(bytes, ISO_8859_1).startsWith("\u00ef\u00bb\u00bf");
    String text = new String(bytes, ISO_8859_1).substring(marked ? 3 : 0);
    return lines(FileScanner.scan(("\n" + text).getBytes(ISO_8859_1)), 0);
  }

  private static List<Integer> lines(ScannedFile scanned, int more) {
    return scanned.references().stream().map(reference -> reference.line() + more).toList();
  }

  private static void close(byte[] bytes) {
    String[] parts = new String(bytes, ISO_8859_1).split(SEPARATOR, NAMES.size());
    Map<String, byte[]> files = new HashMap<>();
    for (int i = 0; i < parts.length; i++) {
      files.put(NAMES.get(i), parts[i].getBytes(ISO_8859_1));
    }
    SourceTree tree = new TextTree(files);
    SourcePath main = new SourcePath(tree, NAMES.get(0));
    List<Root> roots = List.of(new Root(new SourcePath(tree, "/inc"), "inc", "inc"));
    try {
      IncludeClosure closure =
          IncludeScanner.scan(new SourceSnapshot(), main, "main.hip", List.of(), roots, List.of());
      require(closure.files().containsKey(main), "a source is part of its closure");
      require(closure.files().size() <= files.size(), "nothing else is");
      for (IncludeClosure.Lookup lookup : closure.lookups()) {
        require(
            !lookup.found() || closure.files().containsKey(lookup.walk().end()), "all found is");
      }
      StagingLayout.stage(Language.HIP, "main.hip", closure);
    } catch (SourceProblem e) {
      require(e.getMessage().lines().count() == 1, "a message is one line");
      require(e.getMessage().getBytes(UTF_8).length < bytes.length + 1000, "it is short");
    }
  }
}
