// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.signing.RevocationCodec;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.cache.store.DamagedEntryException;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.EntryBytes;
import dev.kcache.cache.store.Request;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The remotes of a manager, asked in their order. Every byte is checked as in a directory. A fault
 * of a remote is a miss and is told once; it throws nothing at a caller. A value that is wrong is
 * not asked for again.
 *
 * <p>Safe for use by any number of threads.
 */
public final class RemoteTier implements AutoCloseable {
  /** In the place of a toolchain: the last that was written, by any. */
  private static final String ANY = "any";

  /** The name of what is revoked. */
  private static final String REVOCATIONS = "revocations";

  private static final int MOST_IN_FLIGHT = 64;

  /** More than a process asks for; beyond it, wrong values may be asked for twice. */
  private static final int MOST_REFUSED = 10_000;

  private final List<Remote> remotes;
  private final Semaphore inFlight = new Semaphore(MOST_IN_FLIGHT);
  private final Duration deadline;
  private final SignaturePolicy signatures;

  /** Null where nothing is uploaded. */
  private final @Nullable Uploads uploads;

  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  /**
   * How long a manager waits.
   *
   * @param deadline for one request
   * @param pause for which a remote is left alone that has failed
   * @param closing for what is still to be uploaded
   */
  public record Waits(Duration deadline, Duration pause, Duration closing) {
    /** What managers wait unless a test is in a hurry. */
    public static final Waits DEFAULT =
        new Waits(Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofSeconds(5));
  }

  /**
   * Creates the tier.
   *
   * @param writes whether what is compiled is uploaded
   * @param nanoTime by which the pauses end
   * @param signatures the keys that sign what is uploaded, and are asked for
   */
  public RemoteTier(
      List<RemoteStore> stores,
      boolean writes,
      Waits waits,
      LongSupplier nanoTime,
      SignaturePolicy signatures) {
    this.signatures = signatures;
    deadline = waits.deadline();
    remotes =
        stores.stream().map(store -> new Remote(store, deadline, waits.pause(), nanoTime)).toList();
    uploads =
        writes && !remotes.isEmpty()
            ? new Uploads(remotes, inFlight, waits.closing().toMillis())
            : null;
  }

  /** Returns whether there is no remote. */
  public boolean isEmpty() {
    return remotes.isEmpty();
  }

  /**
   * Returns the verified entry of a request that a toolchain made.
   *
   * @param acceptable whether an entry may serve; else the next remote is asked
   */
  public Optional<RemoteEntry> find(
      Request request, Digest toolchain, Predicate<RemoteEntry> acceptable) {
    Asked asked = new Asked(request.digest(), request.target(), request, toolchain);
    return find(asked, acceptable);
  }

  /** As {@link #find}, made by any toolchain. */
  public Optional<RemoteEntry> findAny(
      Digest request, TargetId target, Predicate<RemoteEntry> acceptable) {
    return find(new Asked(request, target, null, null), acceptable);
  }

  /** What is asked for; of any toolchain if there is no exact request. */
  private record Asked(
      Digest request, TargetId target, @Nullable Request exact, @Nullable Digest toolchain) {
    String name() {
      return RemoteTier.name(target, request, toolchain == null ? ANY : toolchain.toString());
    }

    Optional<RemoteEntry> decode(byte[] value) throws DamagedEntryException {
      Optional<RemoteEntry> found = RemoteEntry.decode(value, request, target);
      if (exact != null && found.isPresent()) {
        CacheEntry record = found.get().stored().entry();
        if (!Request.of(record).equals(exact) || !Objects.equals(record.toolchain(), toolchain)) {
          throw new DamagedEntryException("a record of something else than its name says");
        }
      }
      return found;
    }
  }

  private static String name(TargetId target, Digest request, String toolchain) {
    return String.join("/", target.pathSegment(), request.toString(), toolchain);
  }

  private Optional<RemoteEntry> find(Asked asked, Predicate<RemoteEntry> acceptable) {
    for (Remote remote : remotes) {
      Optional<RemoteEntry> found = find(remote, asked).filter(acceptable);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<RemoteEntry> find(Remote remote, Asked asked) {
    String name = asked.name();
    String place = remote.describe() + " " + name;
    if (refused.contains(place)) {
      return Optional.empty();
    }
    try {
      Optional<byte[]> value = get(remote, name);
      return value.isPresent()
          ? asked.decode(value.get()).filter(found -> accepts(remote, found))
          : Optional.empty();
    } catch (DamagedEntryException e) {
      refuse(place);
      Notices.warn(
          System.getLogger(RemoteTier.class.getName()),
          "remote " + place,
          "not using %s of remote %s: %s; this process does not ask for it again"
              .formatted(name, remote.describe(), e.getMessage()));
      return Optional.empty();
    }
  }

  private boolean accepts(Remote remote, RemoteEntry found) {
    return signatures.remote(remote.describe()).accepts(found.stored().entry(), found.text());
  }

  /**
   * What a remote says is revoked.
   *
   * @param remote its address
   * @param file a future that ends within the deadline
   */
  public record Answer(String remote, CompletableFuture<Optional<byte[]>> file) {}

  /** Asks each remote for what is revoked, and waits for none. */
  public List<Answer> revocations() {
    return remotes.stream()
        .map(
            remote ->
                new Answer(remote.describe(), remote.get(REVOCATIONS, RevocationCodec.MAX_BYTES)))
        .toList();
  }

  /**
   * Writes what is revoked to each remote, if they are to be written; waits for that.
   *
   * @param places gets those that have it now
   * @param problems gets a line for each of the others
   */
  public void putRevocations(byte[] file, List<String> places, List<String> problems) {
    for (Remote remote : remotes) {
      String place = "remote " + remote.describe();
      try {
        if (uploads == null) {
          problems.add(place + " is only read; set KCACHE_REMOTE_MODE=read-write");
        } else {
          remote.put(REVOCATIONS, file).get();
          places.add(place);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        problems.add(place + " may not have it: interrupted");
      } catch (ExecutionException | CancellationException e) {
        problems.add(place + " does not take it");
      }
    }
  }

  private void refuse(String place) {
    if (refused.size() >= MOST_REFUSED) {
      refused.clear();
    }
    refused.add(place);
  }

  /** An interrupt makes it a miss: whoever waits with the thread's flag set finds out by itself. */
  private Optional<byte[]> get(Remote remote, String name) {
    try {
      if (!inFlight.tryAcquire(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
        return Optional.empty();
      }
      try {
        return remote.get(name, RemoteEntry.MAX_BYTES).get();
      } finally {
        inFlight.release();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (ExecutionException | CancellationException e) {
      // Told where it failed.
      return Optional.empty();
    }
  }

  /**
   * Has a new entry written to the remotes, if they are to be written; never waits.
   *
   * @param lists those that the record names
   */
  public void upload(CacheEntry entry, CodeObject code, List<DependencyList> lists) {
    if (uploads == null) {
      return;
    }
    long size = code.size();
    for (DependencyList list : lists) {
      size += EntryBytes.encode(list).length;
    }
    TargetId target = entry.target();
    uploads.add(
        List.of(
            name(target, entry.request(), entry.toolchain().toString()),
            name(target, entry.request(), ANY)),
        size,
        () -> RemoteEntry.encode(signatures.sign(EntryBytes.encode(entry)), entry, code, lists));
  }

  /** Waits for uploads, within its bound, and closes the remotes. */
  @Override
  public void close() {
    if (uploads != null) {
      uploads.close();
    }
    remotes.forEach(Remote::close);
  }
}
