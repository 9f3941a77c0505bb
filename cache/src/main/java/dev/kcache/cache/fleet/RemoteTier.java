// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.remote.RemoteHealth;
import dev.kcache.cache.remote.RemoteMode;
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
import java.util.ArrayList;
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
import java.util.function.Consumer;
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
  public static final String ANY = "any";

  /** The name of what is revoked. */
  private static final String REVOCATIONS = "revocations";

  /** How many requests may be under way at once, and so how many lookups are worth a thread. */
  public static final int MOST_IN_FLIGHT = 64;

  /** What a line of a list has beside the path. */
  private static final int DIGEST_AND_GAPS = 67;

  /** More than a process asks for; beyond it, wrong values may be asked for twice. */
  private static final int MOST_REFUSED = 10_000;

  private final List<Remote> remotes;
  private final Semaphore inFlight = new Semaphore(MOST_IN_FLIGHT);
  private final Asking asking;
  private final Leases leases;
  private final SignaturePolicy signatures;

  /** Null where nothing is uploaded. */
  private final @Nullable Uploads uploads;

  private final KnownLists lists = new KnownLists();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  /**
   * How long a manager waits.
   *
   * @param first for the first requests, while an engine is loaded
   * @param deadline for one request
   * @param pause for about which a remote is left alone that has failed
   * @param closing for what is still to be uploaded
   * @param lease after which other machines take it that its holder is gone
   * @param others for what another machine makes
   */
  public record Waits(
      Duration first,
      Duration deadline,
      Duration pause,
      Duration closing,
      Duration lease,
      Duration others) {
    /** What managers wait unless a test is in a hurry. */
    public static final Waits DEFAULT =
        new Waits(
            Duration.ofSeconds(15),
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofSeconds(5),
            Duration.ofSeconds(15),
            Duration.ofSeconds(60));

    /** Has the usual waits for other machines. */
    public Waits(Duration deadline, Duration pause, Duration closing) {
      this(deadline, deadline, pause, closing, Duration.ofSeconds(15), Duration.ofSeconds(60));
    }
  }

  /**
   * Creates the tier.
   *
   * @param writes whether what is compiled is uploaded
   * @param nanoTime by which the pauses end
   * @param jitter of repeats and pauses
   * @param signatures the keys that sign what is uploaded, and are asked for
   */
  public RemoteTier(
      List<RemoteStore> stores,
      boolean writes,
      Waits waits,
      LongSupplier nanoTime,
      Jitter jitter,
      SignaturePolicy signatures) {
    this.signatures = signatures;
    remotes =
        stores.stream()
            .map(
                store ->
                    new Remote(
                        store, waits.first(), waits.deadline(), waits.pause(), nanoTime, jitter))
            .toList();
    asking = new Asking(inFlight, waits.deadline());
    leases = new Leases(remotes, asking, waits, nanoTime);
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

    Optional<RemoteEntry> decode(
        byte[] value, KnownLists known, RemoteEntry.CodeApart<InterruptedException> apart)
        throws DamagedEntryException, InterruptedException {
      Optional<RemoteEntry> found = RemoteEntry.decode(value, request, target, known, apart);
      if (exact != null && found.isPresent()) {
        CacheEntry record = found.get().stored().entry();
        if (!Request.of(record).equals(exact) || !Objects.equals(record.toolchain(), toolchain)) {
          throw new DamagedEntryException("a record of something else than its name says");
        }
      }
      return found;
    }
  }

  /**
   * Returns the name of an entry.
   *
   * @param toolchain its toolchain's digest, or {@link #ANY}
   */
  public static String name(TargetId target, Digest request, String toolchain) {
    return String.join("/", target.pathSegment(), request.toString(), toolchain);
  }

  /** An interrupt makes it a miss: whoever waits with the thread's flag set finds out by itself. */
  private Optional<RemoteEntry> find(Asked asked, Predicate<RemoteEntry> acceptable) {
    try {
      for (Remote remote : remotes) {
        Optional<RemoteEntry> found = ask(remote, asked, acceptable).entry();
        if (found.isPresent()) {
          return found;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Optional.empty();
  }

  private Answer ask(Remote remote, Asked asked, Predicate<RemoteEntry> acceptable)
      throws InterruptedException {
    String name = asked.name();
    String place = remote.describe() + " " + name;
    if (refused.contains(place)) {
      return Answer.FAILED;
    }
    try {
      Optional<Optional<byte[]>> value = get(remote, name, RemoteEntry.MAX_BYTES);
      if (value.isEmpty()) {
        return Answer.FAILED;
      }
      return value.get().isPresent()
          ? asked
              .decode(
                  value.get().get(), lists, (code, size) -> get(remote, code, size).flatMap(x -> x))
              .filter(found -> accepts(remote, found))
              .filter(acceptable)
              .map(Answer::of)
              .orElse(Answer.NONE)
          : Answer.NONE;
    } catch (DamagedEntryException e) {
      refuse(place);
      Notices.warn(
          System.getLogger(RemoteTier.class.getName()),
          "remote " + place,
          "not using %s of remote %s: %s; this process does not ask for it again"
              .formatted(name, remote.describe(), e.getMessage()));
      return Answer.FAILED;
    }
  }

  /** Returns what a name has; empty if the remote does not tell. */
  private Optional<Optional<byte[]>> get(Remote remote, String name, int maxBytes)
      throws InterruptedException {
    return asking.answer(() -> remote.get(name, maxBytes));
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
  public record RevocationAnswer(String remote, CompletableFuture<Optional<byte[]>> file) {}

  /** Asks each remote for what is revoked, and waits for none. */
  public List<RevocationAnswer> revocations() {
    return remotes.stream()
        .map(
            remote ->
                new RevocationAnswer(
                    remote.describe(), remote.get(REVOCATIONS, RevocationCodec.MAX_BYTES)))
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
          problems.add(place + " is read-only; set KCACHE_REMOTE_MODE=read-write");
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

  /**
   * Returns when it is this process's turn to compile what no remote has, or another machine has
   * compiled it meanwhile. Returns at once where nothing is uploaded.
   *
   * @param acceptable whether an entry may serve
   * @param aside waits for another machine
   */
  public Turn awaitTurn(
      Request request, Digest toolchain, Predicate<RemoteEntry> acceptable, Turn.Aside aside)
      throws InterruptedException {
    if (uploads == null) {
      return Turn.WITHOUT_LEASE;
    }
    Asked asked = new Asked(request.digest(), request.target(), request, toolchain);
    return leases.await(asked.name(), remote -> ask(remote, asked, acceptable), aside);
  }

  private void refuse(String place) {
    if (refused.size() >= MOST_REFUSED) {
      refused.clear();
    }
    refused.add(place);
  }

  /**
   * Has a new entry written to the remotes, if they are to be written; never waits.
   *
   * @param lists those that the record names
   * @param turn ends with the upload
   * @param ended hears whether it was written to each remote, as far as there are any to write
   */
  public void upload(
      CacheEntry entry,
      CodeObject code,
      List<DependencyList> lists,
      Turn turn,
      Consumer<Boolean> ended) {
    if (uploads == null) {
      return;
    }
    List<Uploads.Part> parts = new ArrayList<>();
    if (RemoteEntry.isApart(entry)) {
      parts.add(
          new Uploads.Part(
              List.of(RemoteEntry.nameOfCodeApart(entry)), true, () -> RemoteEntry.bytes(code)));
    }
    TargetId target = entry.target();
    List<String> names =
        List.of(
            name(target, entry.request(), entry.toolchain().toString()),
            name(target, entry.request(), ANY));
    parts.add(
        new Uploads.Part(
            names,
            false,
            () ->
                RemoteEntry.encode(signatures.sign(EntryBytes.encode(entry)), entry, code, lists)));
    Runnable handedOver = turn.handOver();
    uploads.add(parts, code.size() + sizeOf(lists), ended.andThen(sent -> handedOver.run()));
  }

  /** About how many bytes lists have. */
  private static long sizeOf(List<DependencyList> lists) {
    return lists.stream()
        .flatMap(list -> list.files().stream())
        .mapToLong(file -> DIGEST_AND_GAPS + file.path().length())
        .sum();
  }

  /** Returns the state of each remote, asked one after the other. */
  public List<RemoteHealth> health() {
    RemoteMode mode = uploads == null ? RemoteMode.READ : RemoteMode.READ_WRITE;
    return remotes.stream().map(remote -> remote.health(mode)).toList();
  }

  /**
   * Waits until nothing is to be uploaded any more, or for as long; an interrupt ends the wait.
   *
   * @return how many entries are not in every remote: dropped, refused, or not there yet
   */
  public long awaitUploads(Duration limit) {
    return uploads == null ? 0 : uploads.await(TimeUnit.NANOSECONDS.convert(limit));
  }

  /** Waits for uploads, within its bound, and closes the remotes. */
  @Override
  public void close() {
    if (uploads != null) {
      uploads.close();
    }
    leases.close();
    remotes.forEach(Remote::close);
  }
}
