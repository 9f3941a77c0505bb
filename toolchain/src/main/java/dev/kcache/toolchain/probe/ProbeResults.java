// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Digest;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the toolchain's programs answered, in memory and in the memo, so that a warm process starts
 * none of them. An answer is checked by the stamps of the files it depends on, once per {@link
 * FileStamps.Round}.
 *
 * <p>Safe for use by any number of threads; a question is asked by one of them.
 */
public final class ProbeResults {
  private static final class Slot {
    private @Nullable ProbeResult answer;
    private FileStamps.@Nullable Round checked;
    private boolean sound;
  }

  private final ProbeCache memo;
  private final FileStamps stamps;
  private final ConcurrentHashMap<Digest, Slot> slots = new ConcurrentHashMap<>();

  public ProbeResults(ProbeCache memo, FileStamps stamps) {
    this.memo = memo;
    this.stamps = stamps;
  }

  /**
   * Returns the answer to a question, from {@code ask} if none is known that still holds.
   *
   * @param sound whether an answer has the form of one to this question; the memo is not to be
   *     trusted that far
   */
  public ProbeResult get(Digest question, Predicate<ProbeResult> sound, Supplier<ProbeResult> ask) {
    Slot slot = slot(question);
    synchronized (slot) {
      Optional<ProbeResult> known = known(slot, question);
      if (known.isPresent() && (slot.sound || sound.test(known.get()))) {
        slot.sound = true;
        return known.get();
      }
      ProbeResult answer = ask.get();
      remember(slot, question, answer);
      return answer;
    }
  }

  /** Returns the answer to a question if one is known that still holds; it may have any form. */
  public Optional<ProbeResult> ifKnown(Digest question) {
    Slot slot = slot(question);
    synchronized (slot) {
      return known(slot, question);
    }
  }

  /** Remembers an answer that was not asked for here. */
  public void put(Digest question, ProbeResult answer) {
    Slot slot = slot(question);
    synchronized (slot) {
      remember(slot, question, answer);
    }
  }

  /** Forgets the answer to a question in memory, so that the memo's is looked at. */
  public void forgetHere(Digest question) {
    slots.remove(question);
  }

  /** Forgets the answer to a question, in memory and in the memo. */
  public void forget(Digest question) {
    Slot slot = slots.remove(question);
    if (slot != null) {
      memo.deleteAnswer(question);
    }
  }

  /** Returns whether an answer holds, by what its files were like in this round. */
  public boolean holds(ProbeResult answer) {
    return answer.holds(stamps.round());
  }

  private Slot slot(Digest question) {
    Slot fresh = new Slot();
    Slot known = slots.putIfAbsent(question, fresh);
    return known == null ? fresh : known;
  }

  private Optional<ProbeResult> known(Slot slot, Digest question) {
    FileStamps.Round round = stamps.round();
    if (slot.answer == null || slot.checked != round) {
      ProbeResult answer = slot.answer;
      if (answer == null) {
        answer = memo.readAnswer(question).orElse(null);
        slot.sound = false;
      }
      slot.answer = answer != null && answer.holds(round) ? answer : null;
      slot.checked = round;
    }
    return Optional.ofNullable(slot.answer);
  }

  private void remember(Slot slot, Digest question, ProbeResult answer) {
    slot.answer = answer;
    slot.sound = false;
    slot.checked = stamps.round();
    if (answer.settled()) {
      memo.writeAnswer(question, answer);
    }
  }
}
