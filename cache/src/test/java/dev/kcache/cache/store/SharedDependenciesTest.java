// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedDependenciesTest {
  private static final CodeObject CODE = Fixtures.codeObject("gfx90a");

  private final SharedDependencies records = new SharedDependencies();

  private static String record(String name) throws Exception {
    return new String(EntryCodec.encode(Fixtures.entry(name, CODE)), UTF_8);
  }

  private CacheEntry parse(String record) throws Exception {
    CacheEntry entry = records.parse(record.getBytes(UTF_8)).orElseThrow();
    assertThat(entry).isEqualTo(EntryParser.parse(record.getBytes(UTF_8)).orElseThrow());
    return entry;
  }

  @Test
  void recordsWithTheSameDependencies_shareThem() throws Exception {
    CacheEntry first = parse(record("a.hip"));
    CacheEntry second = parse(record("another.hip"));
    assertThat(second.source()).isEqualTo("another.hip");
    assertThat(second.dependencies()).isSameAs(first.dependencies());
  }

  @Test
  void otherDependenciesOfTheSameLength_areRead() throws Exception {
    parse(record("a.hip"));
    CacheEntry other = parse(record("a.hip").replace("/math.h", "/moth.h"));
    assertThat(other.dependencies().get(0).path()).isEqualTo("/usr/include/moth.h");
  }

  @Test
  void moreDependenciesThatEndInTheSame_areRead() throws Exception {
    parse(record("a.hip"));
    String one = record("a.hip");
    int start = one.indexOf("\n    {");
    String file = one.substring(start, one.lastIndexOf("\n  ]"));
    CacheEntry more = parse(one.substring(0, start) + file + "," + one.substring(start));
    assertThat(more.dependencies()).hasSize(2);
    assertThat(parse(one).dependencies()).hasSize(1);
  }

  @Test
  void fieldsAfterDependencies_areNoneOfTheShared() throws Exception {
    String moved =
        record("a.hip")
            .replaceFirst("\"log\": \"[^\n]*\n *", "")
            .replaceFirst("\\]\n}\n$", "], \"log\": \"first\"}");
    assertThat(parse(moved).log()).isEqualTo("first");
    assertThat(parse(moved.replace("first", "other")).log()).isEqualTo("other");
  }

  @Test
  void endsThatSayMoreThanDependencies_areNotShared() throws Exception {
    String more = record("a.hip").replaceFirst("\\]\n}\n$", "], \"later\": 1}");
    parse(more);
    String twice = more.replace("\"log\"", "\"later\": 1, \"log\"");
    assertThatThrownBy(() -> records.parse(twice.getBytes(UTF_8)))
        .isInstanceOf(DamagedEntryException.class);
  }

  @Test
  void theNameElsewhere_isNotTheField() throws Exception {
    String option = record("a.hip").replace("\"-O3\"", "\"dependencies\"");
    assertThat(parse(option).options()).startsWith("dependencies");
    assertThat(parse(option.replace("a.hip", "b.hip")).options()).startsWith("dependencies");
  }

  @Test
  void damageBeforeTheShared_isFound() throws Exception {
    String sound = record("a.hip");
    parse(sound);
    for (String damaged :
        List.of(
            sound.replace("\"dependencies\"", "\"x\": { \"dependencies\""),
            sound.replace("\"dependencies\"", "\"dependencies\": [], \"dependencies\""),
            sound.replace("\"dependencies\"", "\"x\": \"\\\"dependencies\""),
            sound.replace("\"size\"", "\"sise\""),
            sound.replace("\"log\"", "log"))) {
      assertThatThrownBy(() -> records.parse(damaged.getBytes(UTF_8)))
          .isInstanceOf(DamagedEntryException.class);
    }
  }
}
