// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static dev.kcache.toolchain.standin.Invariants.require;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.kcache.cache.source.IncludeClosure.Root;
import dev.kcache.toolchain.Language;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Any bytes are an assembly source with what it includes, or refused; see {@code scripts/fuzz
 * assembly}. Whether the assembler reads them in the same way, {@link AssemblyOracleFuzzTest} asks
 * it.
 */
class AssemblyScannerFuzzTest {
  private static final String SEPARATOR = "\n@@@@";
  private static final List<String> NAMES =
      List.of("/k/k.s", "/k/a.inc", "/k/sub/b.inc", "/inc/a.inc", "/inc/c.inc");

  @DictionaryEntries({
    ".include \\x22a.inc\\x22\\x0a", ".incbin \\x22sub/b.inc\\x22,1\\x0a", ".include",
    "\\x22c.inc\\x22", "\\x22../a.inc\\x22", "\\x22src/a.inc\\x22",
    "/*", "*/", "//",
    ";", "#", "'",
    "\\\\", ".macro m a", ".endm",
    "\\\\a", "\\\\()", ".irp",
    ".altmacro", "\\x0a@@@@", ".amdhsa_kernel",
    "l:", "\\x0d", "\\xc3\\xa4",
  })
  @FuzzTest
  void scan(byte[] bytes) {
    String[] parts = new String(bytes, ISO_8859_1).split(SEPARATOR, NAMES.size());
    Map<String, byte[]> files = new HashMap<>();
    for (int i = 0; i < parts.length; i++) {
      files.put(NAMES.get(i), parts[i].getBytes(ISO_8859_1));
    }
    SourceTree tree = new TextTree(files);
    SourcePath main = new SourcePath(tree, NAMES.get(0));
    List<Root> roots = List.of(new Root(new SourcePath(tree, "/inc"), "inc", "inc0"));
    try {
      IncludeClosure closure =
          AssemblyScanner.scan(new SourceSnapshot(), main, "k.s", List.of(), roots);
      require(closure.files().containsKey(main), "a source is part of its closure");
      require(closure.files().size() <= files.size(), "nothing else is");
      for (IncludeClosure.Lookup lookup : closure.lookups()) {
        require(lookup.walk().lowest() >= 1, "no name leaves its directory");
        require(
            !lookup.found() || closure.files().containsKey(lookup.walk().end()), "all found is");
      }
      StagingLayout.stage(Language.ASSEMBLY, "k.s", closure);
    } catch (SourceProblem e) {
      require(e.getMessage().lines().count() == 1, "a message is one line");
      require(e.getMessage().getBytes(UTF_8).length < 2L * bytes.length + 1000, "it is short");
    }
  }
}
