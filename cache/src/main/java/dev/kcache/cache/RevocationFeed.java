// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.fleet.RemoteTier;
import dev.kcache.cache.signing.Published;
import dev.kcache.cache.signing.Revocation;
import dev.kcache.cache.signing.Revocations;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.EntryDirectory;
import dev.kcache.toolchain.Notices;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Brings in what was revoked: from the own directory, the layers and the remotes, with the first
 * lookup and then every ten minutes. The latest list is kept in the own directory, where the next
 * process finds it. Without keys nothing is read.
 *
 * <p>A remote is asked in the background: what the disk has waits for no network, and hears of it
 * later. What a remote has waits. Safe for use by any number of threads.
 */
final class RevocationFeed {
  private static final Duration INTERVAL = Duration.ofMinutes(10);

  private final SignaturePolicy signatures;
  private final Directories directories;
  private final RemoteTier remotes;
  private final LongSupplier nanoTime;
  private boolean hasRead;
  private long lastRead;
  private final ConcurrentLinkedQueue<RemoteTier.RevocationAnswer> pending =
      new ConcurrentLinkedQueue<>();

  RevocationFeed(
      SignaturePolicy signatures,
      Directories directories,
      RemoteTier remotes,
      LongSupplier nanoTime) {
    this.signatures = signatures;
    this.directories = directories;
    this.remotes = remotes;
    this.nanoTime = nanoTime;
  }

  /** Reads and asks again if it is time, and takes what remotes have answered. */
  void refresh() {
    if (!signatures.checks()) {
      return;
    }
    readIfDue();
    for (RemoteTier.RevocationAnswer answer : pending) {
      if (answer.file().isDone() && pending.remove(answer)) {
        var unused = take(answer, 0);
      }
    }
  }

  /** Holds up other lookups meanwhile, which must not go on without what is in a directory. */
  private synchronized void readIfDue() {
    long now = nanoTime.getAsLong();
    if (hasRead && now - lastRead <= INTERVAL.toNanos()) {
      return;
    }
    hasRead = true;
    lastRead = now;
    for (EntryDirectory each : directories.all()) {
      if (each.isReadable()) {
        each.revocations().ifPresent(file -> take(each, file));
      }
    }
    pending.addAll(remotes.revocations());
  }

  /** Waits for the answers of remotes, which have a deadline. */
  void await() {
    await(Duration.ofMinutes(1));
  }

  /** As {@link #await()}, but not longer than that. */
  void await(Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    for (RemoteTier.RevocationAnswer answer : pending) {
      var unused = take(answer, Math.max(0, end - System.nanoTime()));
      if (answer.file().isDone()) {
        pending.remove(answer);
      }
    }
  }

  /** Takes the lists that the directories of an environment have, and keeps none. */
  static void look(SignaturePolicy signatures, Map<String, String> environment) {
    if (!signatures.checks()) {
      return;
    }
    CacheManagerBuilder builder = CacheManager.builder().environment(environment);
    CacheEvents nobody = new CacheEvents(List.of());
    Directories directories =
        new Directories(CacheSettings.of(builder), builder.files, signatures, nobody, false);
    for (EntryDirectory each : directories.all()) {
      if (each.isReadable()) {
        each.revocations().ifPresent(file -> signatures.revocations().offer(place(each), file));
      }
    }
    directories.close();
  }

  private static String place(EntryDirectory directory) {
    return (directory instanceof DiskStore ? "cache directory " : "layer ") + directory.root();
  }

  private void take(EntryDirectory directory, byte[] file) {
    if (revocations().offer(place(directory), file) && !(directory instanceof DiskStore)) {
      keep(file);
    }
  }

  /** Takes the list of a remote; returns whether it has answered. */
  private boolean take(RemoteTier.RevocationAnswer answer, long nanos) {
    try {
      Optional<byte[]> file = answer.file().get(nanos, TimeUnit.NANOSECONDS);
      if (file.isPresent() && revocations().offer("remote " + answer.remote(), file.get())) {
        keep(file.get());
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | CancellationException e) {
      // Told where it failed.
      return false;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private void keep(byte[] file) {
    Optional<DiskStore> own = directories.own();
    if (own.isPresent() && !directories.isOnlyRead()) {
      try {
        own.get().putRevocations(file);
      } catch (IOException e) {
        Notices.warn(
            System.getLogger(RevocationFeed.class.getName()),
            "revocations cannot be kept: " + own.get().complaint(e));
      }
    }
  }

  private Revocations revocations() {
    return signatures.revocations();
  }

  /**
   * Adds a revocation to the latest list of the own directory and the remotes, and writes that
   * there.
   *
   * @throws IOException if a remote does not tell which list it has, or nothing can be signed
   */
  Published publish(Revocation revocation) throws IOException {
    refresh();
    List<String> silent = new ArrayList<>();
    for (RemoteTier.RevocationAnswer answer : remotes.revocations()) {
      if (!take(answer, Duration.ofMinutes(1).toNanos())) {
        silent.add(answer.remote());
      }
    }
    if (!silent.isEmpty()) {
      throw new IOException(
          "nothing is revoked: no answer from "
              + String.join(", ", silent)
              + ", which may have a later list; try again, or leave it out");
    }
    byte[] file = revocations().fileWith(revocation);
    revocations().offer("this process", file);
    List<String> places = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    Optional<DiskStore> own = directories.own();
    if (own.isPresent()) {
      try {
        own.get().putRevocations(file);
        places.add("cache directory " + own.get().root());
      } catch (IOException e) {
        problems.add(own.get().complaint(e));
      }
    }
    remotes.putRevocations(file, places, problems);
    return new Published(revocations().list().serial(), places, problems);
  }
}
