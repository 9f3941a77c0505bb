// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import static dev.kcache.toolchain.standin.Invariants.require;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.kcache.toolchain.Diagnostic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A compiler may print anything; see {@code scripts/fuzz diagnostics}. */
class DiagnosticFuzzTest {
  private static final Map<String, String> NAMES = Map.of("src/v.hip", "/home/me/v.hip");

  @DictionaryEntries({
    "src/v.hip:1:8: error: ",
    "src/v.hip(7): error: ",
    "4294967296",
    ":4294967296:1: error: ",
    "warning: ",
    "note: ",
    "fatal error: ",
    "In file included from src/v.hip:1:\\x0a",
    "                 from src/v.hip:2,\\x0a",
    " [-Wunused]",
    "    1 | x\\x0a",
    "      | ^\\x0a",
    "  ~~^~~\\x0a",
    "          detected during instantiation of ",
    "ptxas /tmp/x.ptx, line 5; error   : ",
    ">>> referenced by src/v.hip:1\\x0a",
    "lld: error: undefined symbol: f\\x0a",
    " at line 3 of src/v.hip",
    "1 error detected in the compilation of \\x22src/v.hip\\x22.\\x0a",
    "(lambda at src/v.hip:1:2)",
    "/tmp/t/x.o:("
  })
  @FuzzTest
  void parseLog(byte[] bytes) {
    String log = new String(bytes, UTF_8);
    List<Diagnostic> diagnostics = Diagnostic.parseLog(log);
    List<String> lines = log.lines().toList();
    List<Diagnostic> all = diagnostics.stream().flatMap(DiagnosticFuzzTest::withNotes).toList();
    require(all.size() <= lines.size(), "a diagnostic is a line");
    int excerpts = 0;
    for (Diagnostic diagnostic : all) {
      check(diagnostic, lines);
      excerpts += diagnostic.excerpt().size();
    }
    require(all.size() + excerpts <= lines.size(), "no line is two things");
    check(diagnostics, Diagnostic.firstError(log));
    checkNames(log);
  }

  private static Stream<Diagnostic> withNotes(Diagnostic diagnostic) {
    List<Diagnostic> all = new ArrayList<>(List.of(diagnostic));
    diagnostic.notes().forEach(note -> all.addAll(withNotes(note).toList()));
    return all.stream();
  }

  private static void check(Diagnostic diagnostic, List<String> lines) {
    require(lines.containsAll(diagnostic.excerpt()), "an excerpt is what was printed");
    String headline = diagnostic.headline();
    require(headline.lines().count() == 1, () -> "a headline is one line: " + headline);
    require(diagnostic.location().isEmpty() || diagnostic.program().isEmpty(), "one place");
    diagnostic
        .location()
        .ifPresent(place -> require(!place.file().isEmpty() && place.line() >= 0, "a place"));
    require(
        lines.stream().anyMatch(line -> line.contains(diagnostic.message())),
        "a message is what was printed");
    List<Diagnostic> again = Diagnostic.parseLog(headline);
    require(again.size() == 1, () -> "a headline is a diagnostic: " + headline);
  }

  private static void check(List<Diagnostic> diagnostics, Optional<String> first) {
    boolean any = diagnostics.stream().anyMatch(diagnostic -> diagnostic.severity().isError());
    require(!any || first.isPresent(), "the first error is told");
    first.ifPresent(line -> require(line.lines().count() == 1, () -> "one line: " + line));
  }

  private static void checkNames(String log) {
    require(
        CompilerLog.withUserNames(log, Map.of()).equals(log), "nothing to put in, nothing done");
    String named = CompilerLog.withUserNames(log, NAMES);
    require(named.lines().count() == log.lines().count(), "lines stay lines");
    require(
        CompilerLog.withUserNames(named, NAMES).equals(named),
        () -> "names are put in once: " + log);
    require(
        Diagnostic.parseLog(named).size() == Diagnostic.parseLog(log).size(),
        () -> "diagnostics stay diagnostics: " + log);
    CompilerLog.withoutObjects(log, "/tmp/t", "v.hip");
  }
}
