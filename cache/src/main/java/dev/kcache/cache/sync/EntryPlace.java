// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.fleet.RemoteClient;
import dev.kcache.cache.fleet.RemoteEntry;
import dev.kcache.cache.fleet.RemoteStores;
import dev.kcache.cache.store.DamagedEntryException;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A cache directory, a layer, a pack or a remote, from or to which entries are copied. */
public abstract sealed class EntryPlace implements AutoCloseable permits LocalPlace, RemotePlace {
  /** A value may have 64 MiB, and others are under way beside it. */
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  EntryPlace() {}

  /**
   * {@return a cache directory or a layer, which need not exist}
   *
   * @param root the directory
   * @param environment {@code KCACHE_SHARED=group} lets a directory be used that a group writes
   */
  public static EntryPlace directory(Path root, Map<String, String> environment) {
    requireNonNull(root, "root");
    requireNonNull(environment, "environment");
    return new DirectoryPlace(root, environment);
  }

  /**
   * {@return a pack, from which entries are copied, and not to it}
   *
   * @param file the pack
   */
  public static EntryPlace pack(Path file) {
    return new PackPlace(requireNonNull(file, "file"));
  }

  /**
   * {@return a remote} It is asked nothing yet.
   *
   * @param address its address
   * @param environment the environment variables, which may hold credentials
   * @throws IllegalArgumentException if the address is wrong or kcache has no such remotes
   * @throws IOException if the artifact that opens such remotes is missing
   */
  public static EntryPlace remote(URI address, Map<String, String> environment) throws IOException {
    requireNonNull(address, "address");
    requireNonNull(environment, "environment");
    return new RemotePlace(new RemoteClient(RemoteStores.open(address, environment), DEADLINE));
  }

  /**
   * Copies the list of what is revoked from a directory to another that has none; of a remote,
   * nothing. A reader checks who has signed it, so that a wrong one does no harm there, where it
   * would in the place of a right one.
   *
   * @param from the directory that may have a list
   * @param to the directory that gets it
   * @throws IOException if it can't be written
   */
  public static void copyRevocations(EntryPlace from, EntryPlace to) throws IOException {
    requireNonNull(from, "from");
    requireNonNull(to, "to");
    if (from instanceof DirectoryPlace source && to instanceof DirectoryPlace target) {
      target.takeRevocations(source);
    }
  }

  /** {@return the real path of the directory or pack, or the address without credentials} */
  public abstract String describe();

  /** {@return whether there is anything at all to copy from} */
  public abstract boolean exists();

  /** An entry of a place, which has not been read yet. */
  interface Item {
    /** Returns what it answers: those of one request are copied one after the other. */
    String request();

    /** Returns what a user finds it by. */
    String name();

    /** Returns it, verified; empty if it has gone or is of another version. */
    Optional<RemoteEntry> read() throws IOException, DamagedEntryException;
  }

  /**
   * The contents of a place.
   *
   * @param items its entries
   * @param damaged a line for each that is known to be damaged
   * @param skipped how many are of another version
   */
  record Listing(List<Item> items, List<String> damaged, long skipped) {}

  /** Returns what is there for these targets; for all if none is named. */
  abstract Listing list(Set<TargetId> targets) throws IOException;

  /** Finds out whether the place can be written, as far as that shows without writing. */
  abstract void prepare() throws IOException;

  /** Returns whether an entry is there, whole and with the same bytes and signatures. */
  abstract boolean has(RemoteEntry entry) throws IOException;

  /** Writes an entry. */
  abstract void write(RemoteEntry entry) throws IOException;

  /** Makes an entry the one for readers without a compiler, unless there is a newer one. */
  abstract void announce(RemoteEntry entry) throws IOException;

  /** Returns whether many requests at once are faster than a few. */
  abstract boolean isRemote();

  @Override
  public abstract void close();
}
