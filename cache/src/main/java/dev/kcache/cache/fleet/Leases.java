// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import dev.kcache.cache.fleet.RemoteTier.Waits;
import dev.kcache.cache.remote.RemoteStore.Lease;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has one machine make an entry while the others wait for it, by leases on the first remote that
 * has any. That saves work, and is no condition for being right: whenever something goes wrong, the
 * entry is made without a lease. Safe for use by any number of threads.
 */
final class Leases implements AutoCloseable {
  private static final String PREFIX = "lease/";
  private static final long SHORTEST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  private final List<Remote> remotes;
  private final Asking asking;
  private final Waits waits;
  private final LongSupplier nanoTime;
  private final String holder = UUID.randomUUID() + "-";
  private final AtomicLong number = new AtomicLong();
  private final Set<HeldLease> held = new HashSet<>();

  Leases(List<Remote> remotes, Asking asking, Waits waits, LongSupplier nanoTime) {
    this.remotes = remotes;
    this.asking = asking;
    this.waits = waits;
    this.nanoTime = nanoTime;
  }

  /** Asks a remote for the entry. */
  interface Find {
    Answer in(Remote remote) throws InterruptedException;
  }

  /**
   * Returns when it is the caller's turn to make an entry, or another machine has made it.
   *
   * @param name of the entry
   */
  Turn await(String name, Find find, Turn.Aside aside) throws InterruptedException {
    for (Remote remote : remotes) {
      // Each has its own: one that is about to be released must not look like the next.
      Try each = new Try(remote, PREFIX + name, holder + number.incrementAndGet(), find);
      @Nullable Lease lease = each.ask();
      if (lease == Lease.HELD) {
        return each.held();
      }
      if (lease == Lease.TAKEN) {
        return aside.await(each::whileTaken);
      }
      if (lease == null) {
        return Turn.WITHOUT_LEASE;
      }
    }
    return Turn.WITHOUT_LEASE;
  }

  /** A try to have a lease on a remote. */
  private final class Try {
    private final Remote remote;
    private final String name;
    private final String own;
    private final Find find;

    Try(Remote remote, String name, String own, Find find) {
      this.remote = remote;
      this.name = name;
      this.own = own;
      this.find = find;
    }

    /** Returns what the remote says, or null if it says nothing. */
    private @Nullable Lease ask() throws InterruptedException {
      return asking.answer(() -> remote.lease(name, own, waits.lease())).orElse(null);
    }

    /** Another machine may have ended between the caller's look and the lease. */
    private Turn held() throws InterruptedException {
      HeldLease lease = new HeldLease(remote, name, own, waits.lease(), Leases.this::ended);
      synchronized (held) {
        held.add(lease);
      }
      lease.prolongLater();
      boolean isKept = false;
      try {
        Optional<RemoteEntry> found = find.in(remote).entry();
        isKept = found.isEmpty();
        return found.map(Turn::found).orElseGet(() -> Turn.holding(lease));
      } finally {
        if (!isKept) {
          lease.end();
        }
      }
    }

    private Turn whileTaken() throws InterruptedException {
      long begin = nanoTime.getAsLong();
      long pause = SHORTEST_PAUSE_MILLIS;
      while (true) {
        Answer answer = find.in(remote);
        if (answer.entry().isPresent()) {
          return Turn.found(answer.entry().get());
        }
        if (answer.isFinal() || nanoTime.getAsLong() - begin >= waits.others().toNanos()) {
          return Turn.WITHOUT_LEASE;
        }
        TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(pause / 2, pause + 1));
        pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        @Nullable Lease lease = ask();
        if (lease == Lease.HELD) {
          return held();
        }
        if (lease != Lease.TAKEN) {
          return Turn.WITHOUT_LEASE;
        }
      }
    }
  }

  private void ended(HeldLease lease) {
    synchronized (held) {
      held.remove(lease);
      held.notifyAll();
    }
  }

  /** Ends all leases, and waits for that for a while, so that nobody waits for this process. */
  @Override
  public void close() {
    List<HeldLease> all;
    synchronized (held) {
      all = List.copyOf(held);
    }
    all.forEach(HeldLease::end);
    long end = System.nanoTime() + waits.closing().toNanos();
    synchronized (held) {
      try {
        for (long left = 1; !held.isEmpty() && left > 0; left = end - System.nanoTime()) {
          TimeUnit.NANOSECONDS.timedWait(held, Math.max(1, end - System.nanoTime()));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
