// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.directory.Removed;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.RemovalPlan;
import java.io.UncheckedIOException;
import java.util.function.BooleanSupplier;

/**
 * Entries that were chosen to be removed, and are still there. Not safe for use by several threads.
 */
public final class Clearing {
  private final DiskStore store;
  private final RemovalPlan plan;

  /** Holds what was chosen in a store. */
  Clearing(DiskStore store, RemovalPlan plan) {
    this.store = store;
    this.plan = plan;
  }

  /** {@return how many entries were chosen, whatever has become of them since} */
  public long entries() {
    return plan.records();
  }

  /**
   * {@return what {@link #run} would remove now} Less than all entries only if others use or remove
   * some meanwhile. Takes as long as to read what is in the directory.
   */
  public Removed plan() {
    return plan.simulate();
  }

  /**
   * Removes them, beside any number of readers and writers: a reader gets what it began to read or
   * misses, and what is added or used meanwhile stays. A code object that was written in the last
   * minutes and that no record names stays for the record that may come.
   *
   * @return what went; what could not be removed has not held up the others
   * @throws UncheckedIOException if the cache directory cannot be written; nothing is removed
   */
  public Removed run() {
    return run(() -> false);
  }

  /**
   * As {@link #run()}, but may be stopped: the entry in hand is finished, so that no code object is
   * left that only entries named which are gone.
   *
   * @param stopped whether to leave the rest; asked before each entry
   * @return what went until then
   * @throws UncheckedIOException as {@link #run()}
   */
  public Removed run(BooleanSupplier stopped) {
    requireNonNull(stopped, "stopped");
    CacheMaintenance.requireNone(store.writeFault());
    return plan.remove(stopped);
  }
}
