// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.fleet.RemoteEntry;
import dev.kcache.cache.fleet.RemoteTier;
import dev.kcache.cache.fleet.Turn;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Answers requests from the remotes, by the rules for a directory. What serves is kept in the
 * manager's own directory, if that can be. Safe for use by any number of threads.
 */
final class RemoteLookup {
  private final RemoteTier remotes;
  private final Directories directories;
  private final DependencyChecks dependencies;
  private final Bypassed bypassed;
  private final RevocationFeed revocations;

  RemoteLookup(
      RemoteTier remotes,
      Directories directories,
      DependencyChecks dependencies,
      Bypassed bypassed,
      RevocationFeed revocations) {
    this.remotes = remotes;
    this.directories = directories;
    this.dependencies = dependencies;
    this.bypassed = bypassed;
    this.revocations = revocations;
  }

  /** Returns what brings in revocations, from remotes, too. */
  RevocationFeed revocations() {
    return revocations;
  }

  /** Returns whether there is no remote. */
  boolean isEmpty() {
    return remotes.isEmpty();
  }

  /** Returns what a toolchain made. */
  Optional<CacheResult> find(RequestKey key, Digest toolchain) {
    revocations.await();
    return remotes
        .find(key.request(), toolchain, entry -> isCurrent(key, entry) && !isBypassed(entry))
        .map(this::kept);
  }

  /**
   * Returns when it is the caller's turn to compile what no remote has, or another machine has
   * compiled it. Other compiles of the manager go on meanwhile.
   *
   * @param toolchain the identity of the key's compiler
   */
  Turn awaitTurn(RequestKey key, Digest toolchain) throws InterruptedException {
    return remotes.awaitTurn(
        key.request(),
        toolchain,
        entry -> isCurrent(key, entry) && !isBypassed(entry),
        wait -> Workers.aside(wait::end, Turn.WITHOUT_LEASE));
  }

  private boolean isCurrent(RequestKey key, RemoteEntry found) {
    return key.compiler() == null
        || dependencies.areCurrent(
            found.stored().entry(), key.compiler(), () -> Optional.of(found.dependencies()));
  }

  private boolean isBypassed(RemoteEntry found) {
    return bypassed.contains(found.stored().entry());
  }

  /**
   * Returns what any toolchain made.
   *
   * @param serves whether what was made by a toolchain with a label may serve
   */
  Optional<CacheResult> findAny(Digest request, TargetId target, Predicate<ToolchainLabel> serves) {
    revocations.await();
    return remotes
        .findAny(
            request,
            target,
            entry -> !isBypassed(entry) && serves.test(entry.stored().entry().label()))
        .map(this::kept);
  }

  /** Keeps what serves in the manager's directory, if that can be. */
  CacheResult kept(RemoteEntry found) {
    CacheEntry record = found.stored().entry();
    boolean kept =
        !bypassed.concerns(record.request())
            && directories.keepFetched(
                found.stored(), found.text(), found.lists().toArray(new DependencyList[0]));
    return RequestResolver.result(found.stored(), Origin.REMOTE, kept);
  }
}
