// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.fleet.RemoteEntry;
import dev.kcache.cache.store.DamagedEntryException;
import dev.kcache.cache.sync.EntryPlace.Item;
import dev.kcache.cache.sync.EntryPlace.Listing;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Copies entries from one place to another, many at once. Each is verified as a lookup verifies it,
 * and keeps its record's exact bytes and signatures. The place that is read is not changed; the
 * other has each entry as a whole or not at all, whenever the work ends.
 */
public final class EntrySync {
  private static final int MOST_IN_FLIGHT = 64;
  private static final long TICK_MILLIS = 100;

  private final EntryPlace to;
  private final BooleanSupplier stopped;
  private final SyncListener listener;

  private EntrySync(EntryPlace to, SyncListener listener, BooleanSupplier stopped) {
    this.to = to;
    this.listener = listener;
    this.stopped = stopped;
  }

  /**
   * Copies.
   *
   * @param from the place that has the entries
   * @param to the place that gets them
   * @param targets of which the entries are copied; all if there are none
   * @param listener hears what happens
   * @param stopped whether to stop; what is under way is finished
   * @return what became of the entries
   * @throws IOException if {@code from} can't be listed or {@code to} can't be written at all; the
   *     message says why
   * @throws UnsupportedOperationException if {@code from} is a remote that can't list
   */
  public static SyncResult run(
      EntryPlace from,
      EntryPlace to,
      Set<TargetId> targets,
      SyncListener listener,
      BooleanSupplier stopped)
      throws IOException {
    requireNonNull(from, "from");
    requireNonNull(to, "to");
    requireNonNull(targets, "targets");
    requireNonNull(listener, "listener");
    requireNonNull(stopped, "stopped");
    Listing listing = from.list(targets);
    to.prepare();
    int most =
        from.isRemote() || to.isRemote()
            ? MOST_IN_FLIGHT
            : Runtime.getRuntime().availableProcessors();
    return new EntrySync(to, listener, stopped).run(listing, most);
  }

  /** What became of the entries of a request, and a line for each problem. */
  private record Ended(SyncResult result, List<String> problems) {}

  private SyncResult run(Listing listing, int most) {
    listing.damaged().forEach(listener::problem);
    Collection<List<Item>> requests =
        listing.items().stream().collect(Collectors.groupingBy(Item::request)).values();
    BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
    SyncResult sum =
        SyncResult.refused(listing.damaged().size()).plus(SyncResult.skipped(listing.skipped()));
    if (requests.isEmpty()) {
      return sum;
    }
    ExecutorService workers =
        Executors.newFixedThreadPool(Math.min(most, requests.size()), EntrySync::daemon);
    try {
      requests.forEach(items -> workers.execute(() -> ended.add(copied(items))));
      for (int left = requests.size(); left > 0; left--) {
        Ended next = next(ended, sum, listing.items().size());
        sum = sum.plus(next.result());
        next.problems().forEach(listener::problem);
      }
      tell(sum, listing.items().size());
      return sum;
    } finally {
      workers.shutdownNow();
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "kcache-sync");
    thread.setDaemon(true);
    return thread;
  }

  private Ended next(BlockingQueue<Ended> ended, SyncResult sum, int total) {
    while (true) {
      tell(sum, total);
      try {
        Ended next = ended.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
        if (next != null) {
          return next;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  private void tell(SyncResult sum, int total) {
    long done = sum.copied() + sum.present() + sum.refused() + sum.failed() + sum.skipped();
    listener.progress(Math.min(total, done), sum.refused() + sum.failed(), total);
  }

  /** A fault of kcache's own is one of these entries, so that nobody waits for them. */
  private Ended copied(List<Item> items) {
    try {
      return copy(items);
    } catch (RuntimeException | Error e) {
      return new Ended(SyncResult.failed(items.size()), List.of(items.get(0).name() + ": " + e));
    }
  }

  /** Copies what several toolchains made for one request; then the newest is announced. */
  private Ended copy(List<Item> items) {
    SyncResult sum = SyncResult.NONE;
    List<String> problems = new ArrayList<>();
    RemoteEntry newest = null;
    for (Item item : items) {
      if (stopped.getAsBoolean()) {
        sum = sum.plus(SyncResult.NOT_DONE);
        continue;
      }
      try {
        RemoteEntry entry = item.read().orElse(null);
        sum = sum.plus(entry == null ? SyncResult.skipped(1) : copy(entry));
        newest = newer(newest, entry);
      } catch (DamagedEntryException e) {
        sum = sum.plus(SyncResult.refused(1));
        problems.add(item.name() + ": " + e.getMessage());
      } catch (IOException e) {
        sum = sum.plus(SyncResult.failed(1));
        problems.add(String.valueOf(e.getMessage()));
      }
    }
    try {
      if (newest != null) {
        to.announce(newest);
      }
    } catch (IOException e) {
      sum = sum.allFailed();
      problems.add(String.valueOf(e.getMessage()));
    }
    return new Ended(sum, problems);
  }

  private SyncResult copy(RemoteEntry entry) throws IOException {
    if (to.has(entry)) {
      return SyncResult.PRESENT;
    }
    to.write(entry);
    return SyncResult.copied(entry.stored().codeObject().size());
  }

  private static @Nullable RemoteEntry newer(
      @Nullable RemoteEntry one, @Nullable RemoteEntry other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return other.stored().entry().created().isAfter(one.stored().entry().created()) ? other : one;
  }
}
