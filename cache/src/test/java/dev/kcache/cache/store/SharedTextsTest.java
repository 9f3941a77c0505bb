// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharedTextsTest {
  private final SharedTexts texts = new SharedTexts();

  @Test
  void equalTexts_areOne() {
    String first = texts.share(new String("hipcc"));

    assertThat(texts.share(new String("hipcc"))).isSameAs(first);
    assertThat(texts.share("clang")).isEqualTo("clang");
  }

  @Test
  void moreThanAreKept_arePassedOn() {
    String first = texts.share(new String("hipcc"));
    for (int i = 0; i < 10_000; i++) {
      assertThat(texts.share("text " + i)).isEqualTo("text " + i);
    }
    String late = new String("late");

    assertThat(texts.share(late)).isSameAs(late);
    assertThat(texts.share(new String("late"))).isNotSameAs(late);
    assertThat(texts.share(new String("hipcc"))).isSameAs(first);
  }
}
