// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.toolchain.standin.Invariants.require;
import static dev.kcache.toolchain.standin.Invariants.requireMessage;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain;
import java.util.Arrays;
import java.util.List;

/**
 * Any bytes are a list of dependencies, a table of usage, or refused; see {@code scripts/fuzz
 * lists}.
 */
class KeptListFuzzTest {
  @DictionaryEntries({
    "kcache.usage/1\\x0a",
    "since -1\\x0a",
    "absorbed a\\x0a",
    "row gfx90a 1 2 3 4 5 6 7 9223372036854775807 v.hip\\x0a",
    "row - 0 0 0 0 0 0 0 0 \\x0a",
    "end\\x0a",
    "\\x0a\\\\",
    "\\\\n",
    "\\\\\\\\",
    "  /usr/include/math.h\\x0a"
  })
  @FuzzTest
  void parse(byte[] bytes) {
    try {
      check(DependencyList.parse(bytes, Digest.of(bytes)), bytes);
    } catch (DamagedEntryException e) {
      requireMessage(e);
    }
    try {
      check(UsageTable.decode(bytes));
    } catch (DamagedEntryException e) {
      requireMessage(e);
    }
  }

  private static void check(DependencyList list, byte[] bytes) throws DamagedEntryException {
    require(list.digest().equals(Digest.of(bytes)), "a list is named by its digest");
    require(Arrays.equals(list.bytes(), bytes), "it is written as it was read");
    require(DependencyList.of(list.files()).digest().equals(list.digest()), "files are one list");
    List<Toolchain.File> again = DependencyList.parse(list.bytes(), list.digest()).files();
    require(again.equals(list.files()), "it is read as written");
  }

  private static void check(UsageTable table) throws DamagedEntryException {
    long sources = table.rows().stream().filter(row -> !row.source().isEmpty()).count();
    require(sources <= UsageTable.MOST_ROWS, "rows are bounded");
    for (UsageTable.Row row : table.rows()) {
      require(Arrays.stream(row.counts()).allMatch(count -> count >= 0), "counts only grow");
    }
    require(table.days().size() <= UsageTable.MOST_DAYS, "days are bounded");
    byte[] text = table.encode();
    UsageTable again = UsageTable.decode(text);
    require(
        Arrays.equals(again.encode(), text), () -> "read as written: " + new String(text, UTF_8));
    require(again.since() == table.since(), "of the same time");
    require(again.absorbed().equals(table.absorbed()), "with what it absorbed");
    UsageTable sum = new UsageTable(table.since());
    sum.add(table);
    sum.add(again);
    for (UsageTable.Row row : sum.rows()) {
      require(Arrays.stream(row.counts()).allMatch(count -> count >= 0), "sums only grow");
    }
    require(sum.rows().size() == table.rows().size(), "the same rows");
    require(sum.days().keySet().equals(table.days().keySet()), "the same days");
  }
}
