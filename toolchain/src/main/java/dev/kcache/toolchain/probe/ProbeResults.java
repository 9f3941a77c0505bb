// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Digest;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The results of probes, in memory and in the probe cache, so that a warm process starts no
 * program. A result is checked once per {@link FileStamps.Round} by the stamps of the files that it
 * depends on.
 *
 * <p>Safe for use by any number of threads; one of them asks a question, and the others wait.
 */
public final class ProbeResults {
  private static final class Slot {
    private @Nullable ProbeResult answer;
    private FileStamps.@Nullable Round checked;
    private boolean sound;
  }

  private final ProbeCache cache;
  private final FileStamps stamps;
  private final ConcurrentHashMap<Digest, Slot> slots = new ConcurrentHashMap<>();

  public ProbeResults(ProbeCache cache, FileStamps stamps) {
    this.cache = cache;
    this.stamps = stamps;
  }

  /**
   * Returns the known answer to a question if it still holds, else that of {@code ask}.
   *
   * @param sound tells whether an answer has the form that this question needs, which a file in the
   *     cache may lack
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

  /** Returns the known answer to a question, in whatever form, if it still holds. */
  public Optional<ProbeResult> ifKnown(Digest question) {
    Slot slot = slot(question);
    synchronized (slot) {
      return known(slot, question);
    }
  }

  /** Adds the answer to a question. */
  public void put(Digest question, ProbeResult answer) {
    Slot slot = slot(question);
    synchronized (slot) {
      remember(slot, question, answer);
    }
  }

  /** Forgets the answer in memory, so that the cached one is read again. */
  public void forgetHere(Digest question) {
    slots.remove(question);
  }

  /** Forgets the answer in memory and in the cache. */
  public void forget(Digest question) {
    Slot slot = slots.remove(question);
    if (slot != null) {
      cache.deleteAnswer(question);
    }
  }

  /** Returns whether an answer holds in the current round. */
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
        answer = cache.readAnswer(question).orElse(null);
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
      cache.writeAnswer(question, answer);
    }
  }
}
