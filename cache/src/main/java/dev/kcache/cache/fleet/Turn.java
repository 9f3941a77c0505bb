// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What came of waiting for other machines: the entry that one of them made, or the turn to make it,
 * mostly with a lease that keeps the others waiting. It ends when it is closed, or once what was
 * made is uploaded. Safe for use by any number of threads.
 */
public final class Turn implements AutoCloseable {
  /** To compile at once, without a lease. */
  public static final Turn WITHOUT_LEASE = new Turn(null, null);

  private final @Nullable RemoteEntry found;
  private final @Nullable HeldLease lease;
  private volatile boolean handedOver;

  private Turn(@Nullable RemoteEntry found, @Nullable HeldLease lease) {
    this.found = found;
    this.lease = lease;
  }

  static Turn found(RemoteEntry entry) {
    return new Turn(entry, null);
  }

  static Turn holding(HeldLease lease) {
    return new Turn(null, lease);
  }

  /** A wait for other machines. */
  public interface Wait {
    /** Returns how it ended. */
    Turn end() throws InterruptedException;
  }

  /** Waits in such a way that the thread keeps no other compile of this process waiting. */
  public interface Aside {
    /** Returns how the wait ended; or at once that it can't wait. */
    Turn await(Wait wait) throws InterruptedException;
  }

  /** Returns the verified entry, if there is nothing left to make. */
  public Optional<RemoteEntry> found() {
    return Optional.ofNullable(found);
  }

  /** Leaves the end to an upload: returns what it has to run when it has ended, however. */
  Runnable handOver() {
    handedOver = true;
    return this::end;
  }

  private void end() {
    if (lease != null) {
      lease.end();
    }
  }

  /** Ends it, unless an upload will. */
  @Override
  public void close() {
    if (!handedOver) {
      end();
    }
  }
}
