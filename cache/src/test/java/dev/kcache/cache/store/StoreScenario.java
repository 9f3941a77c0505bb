// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.StoreRun.clear;
import static dev.kcache.cache.store.StoreRun.evictDownTo;
import static dev.kcache.cache.store.StoreRun.evictUnused;
import static dev.kcache.cache.store.StoreRun.find;
import static dev.kcache.cache.store.StoreRun.findNewest;
import static dev.kcache.cache.store.StoreRun.put;
import static dev.kcache.cache.store.StoreRun.repair;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.StoreRun.Action;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What is in a directory, and what two or three actors do to it, each one thing after another. */
@SuppressWarnings("ImmutableEnumChecker") // the lists are unmodifiable, and the functions stateless
enum StoreScenario {
  PUTS_OF_ONE_REQUEST(
      run -> run.has(Entries.FIRST, Entries.CODE, Entries.NEW),
      List.of(put(Entries.SECOND, Entries.OTHER), find(Entries.SECOND)),
      List.of(find(Entries.FIRST), find(Entries.FIRST)),
      List.of(put(Entries.AGAIN, Entries.CODE))),

  PUT_OF_WHAT_IS_EVICTED(
      run -> run.has(Entries.FIRST, Entries.CODE, Entries.OLD),
      List.of(put(Entries.AGAIN, Entries.CODE), find(Entries.AGAIN)),
      List.of(evictUnused())),

  PUT_OF_A_CODE_OBJECT_THAT_IS_EVICTED(
      run -> run.has(Entries.FIRST, Entries.CODE, Entries.OLD),
      List.of(put(Entries.TWIN, Entries.CODE), find(Entries.TWIN)),
      List.of(evictUnused())),

  USE_OF_WHAT_IS_EVICTED(
      run -> {
        run.has(Entries.FIRST, Entries.CODE, Entries.OLD);
        run.has(Entries.STRANGER, Entries.THIRD, Entries.OLD);
      },
      List.of(find(Entries.FIRST), find(Entries.STRANGER)),
      List.of(evictUnused())),

  USE_OF_WHAT_IS_EVICTED_FOR_SPACE(
      run -> {
        run.has(Entries.FIRST, Entries.CODE, Entries.OLD.plusHours(1));
        run.has(Entries.STRANGER, Entries.THIRD, Entries.OLD);
      },
      List.of(find(Entries.FIRST), find(Entries.STRANGER)),
      List.of(evictDownTo(8 * 4096))),

  TWO_EVICTIONS(
      run -> {
        run.has(Entries.FIRST, Entries.CODE, Entries.OLD);
        run.has(Entries.TWIN, Entries.CODE, Entries.NEW);
      },
      List.of(evictUnused()),
      List.of(find(Entries.TWIN), find(Entries.FIRST)),
      List.of(evictUnused())),

  CLEAR(
      run -> run.has(Entries.FIRST, Entries.CODE, Entries.OLD),
      List.of(put(Entries.SECOND, Entries.OTHER), find(Entries.SECOND)),
      List.of(clear()),
      List.of(find(Entries.FIRST), put(Entries.TWIN, Entries.CODE))),

  DAMAGED_CODE_OBJECT(
      run -> {
        run.has(Entries.FIRST, Entries.CODE, Entries.NEW);
        run.damage(Entries.FIRST, run.codeObject(Entries.FIRST));
      },
      List.of(put(Entries.AGAIN, Entries.CODE), find(Entries.AGAIN)),
      List.of(find(Entries.FIRST)),
      List.of(find(Entries.FIRST))),

  DAMAGED_RECORD(
      run -> {
        run.has(Entries.FIRST, Entries.CODE, Entries.NEW);
        run.damage(Entries.FIRST, run.record(Entries.FIRST));
      },
      List.of(
          put(Entries.AGAIN, Entries.CODE),
          put(Entries.SECOND, Entries.OTHER),
          find(Entries.SECOND)),
      List.of(find(Entries.FIRST))),

  REPAIR_OF_WHAT_IS_INCOMPLETE(
      run -> {
        run.has(Entries.FIRST, Entries.CODE, Entries.OLD);
        run.has(Entries.STRANGER, Entries.THIRD, Entries.NEW);
        run.lose(Entries.FIRST, run.codeObject(Entries.FIRST));
      },
      List.of(put(Entries.AGAIN, Entries.CODE), find(Entries.AGAIN)),
      List.of(repair())),

  REPAIR_OF_DAMAGE(
      run -> {
        run.has(Entries.FIRST, Entries.CODE, Entries.OLD);
        run.damage(Entries.FIRST, run.codeObject(Entries.FIRST));
      },
      List.of(put(Entries.AGAIN, Entries.CODE), find(Entries.AGAIN)),
      List.of(repair())),

  NEWEST_OF_TWO(
      run -> run.has(Entries.FIRST, Entries.CODE, Entries.OLD),
      List.of(put(Entries.NEWER, Entries.OTHER), findNewest(Entries.NEWER)),
      List.of(findNewest(Entries.FIRST)),
      List.of(evictUnused())),

  SWEEP(
      run -> {
        run.has(Entries.FIRST, Entries.CODE, Entries.NEW);
        run.needsSweep(Entries.FIRST);
      },
      List.of(put(Entries.SECOND, Entries.OTHER), find(Entries.SECOND)),
      List.of(put(Entries.TWIN, Entries.CODE), find(Entries.TWIN))),

  TWINS(
      run -> run.has(Entries.FIRST, Entries.CODE, Entries.NEW),
      List.of(put(Entries.AGAIN, Entries.CODE), find(Entries.TWIN)),
      List.of(put(Entries.TWIN, Entries.CODE), find(Entries.AGAIN)));

  private final Interleavings.Before before;
  private final List<List<Action>> scripts;

  @SafeVarargs
  StoreScenario(Interleavings.Before before, List<Action>... scripts) {
    this.before = before;
    List<List<Action>> all = new ArrayList<>();
    for (List<Action> script : scripts) {
      all.add(script);
    }
    this.scripts = List.copyOf(all);
  }

  void fill(StoreRun run) throws IOException {
    before.fill(run);
  }

  List<List<Action>> scripts() {
    return scripts;
  }

  /** Entries and code objects. */
  private static final class Entries {
    /** Not used for so long that an eviction takes it. */
    static final Duration OLD = Duration.ofHours(2);

    static final Duration NEW = Duration.ofMinutes(20);

    static final CodeObject CODE = Fixtures.variant("gfx90a", 0);
    static final CodeObject OTHER = Fixtures.variant("gfx90a", 1);
    static final CodeObject THIRD = Fixtures.variant("gfx90a", 2);

    /** These three are of the same request and toolchain. */
    static final CacheEntry FIRST = entry("k", CODE, "toolchain", 0);

    static final CacheEntry SECOND = entry("k", OTHER, "toolchain", 1);
    static final CacheEntry AGAIN = entry("k", CODE, "toolchain", 2);

    /** Of the same request, and the toolchain that came next. */
    static final CacheEntry NEWER = entry("k", OTHER, "another toolchain", 3);

    /** Of another request, with the same code object. */
    static final CacheEntry TWIN = entry("twin", CODE, "toolchain", 4);

    static final CacheEntry STRANGER = entry("stranger", THIRD, "toolchain", 5);

    private Entries() {}

    private static CacheEntry entry(String name, CodeObject code, String toolchain, int seconds) {
      Instant created = Instant.parse("2026-11-21T10:00:00Z").plusSeconds(seconds);
      return Fixtures.entry(name, code, Fixtures.digest(toolchain), created);
    }
  }
}
