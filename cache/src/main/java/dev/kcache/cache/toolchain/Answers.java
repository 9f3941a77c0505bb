// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.codeobject.Digest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the toolchain's programs answered, in memory and in the memo, so that a warm process starts
 * none of them. An answer is checked by the stamps of the files it depends on, at most once per
 * interval.
 *
 * <p>Safe for use by any number of threads; a question is asked by one of them.
 */
final class Answers {
  private static final class Slot {
    private @Nullable Answer answer;
    private Instant checked = Instant.MIN;
  }

  private final Memo memo;
  private final InstantSource clock;
  private final Duration interval;
  private final ConcurrentHashMap<Digest, Slot> slots = new ConcurrentHashMap<>();

  Answers(Memo memo, InstantSource clock, Duration interval) {
    this.memo = memo;
    this.clock = clock;
    this.interval = interval;
  }

  /**
   * Returns the answer to a question, from {@code ask} if none is known that still holds.
   *
   * @param sound whether an answer has the form of one to this question; the memo is not to be
   *     trusted that far
   */
  Answer get(Digest question, Predicate<Answer> sound, Supplier<Answer> ask) {
    Slot slot = slots.computeIfAbsent(question, key -> new Slot());
    synchronized (slot) {
      Instant now = clock.instant();
      Answer answer = slot.answer;
      if (answer == null || !FileDigests.isWithin(interval, slot.checked, now)) {
        if (answer == null) {
          answer = memo.readAnswer(question).filter(sound).orElse(null);
        }
        if (answer == null || !answer.holds()) {
          answer = ask(question, ask);
        }
        slot.answer = answer;
        slot.checked = now;
      }
      return answer;
    }
  }

  /** Forgets the answer to a question, in memory and in the memo. */
  void forget(Digest question) {
    Slot slot = slots.remove(question);
    if (slot != null) {
      memo.deleteAnswer(question);
    }
  }

  private Answer ask(Digest question, Supplier<Answer> ask) {
    Answer answer = ask.get();
    if (answer.settled()) {
      memo.writeAnswer(question, answer);
    }
    return answer;
  }
}
