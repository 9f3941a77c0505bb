// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.fleet.KnownLists;
import dev.kcache.cache.fleet.RemoteClient;
import dev.kcache.cache.fleet.RemoteEntry;
import dev.kcache.cache.fleet.RemoteTier;
import dev.kcache.cache.store.DamagedEntryException;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** A remote, whose values are entries under the names that {@link RemoteTier} gives them. */
final class RemotePlace extends EntryPlace {
  private final RemoteClient client;
  private final KnownLists lists = new KnownLists();

  /** The code objects that are values of their own, which entries share, and if they are there. */
  private final Map<Digest, AtomicBoolean> codes = new ConcurrentHashMap<>();

  RemotePlace(RemoteClient client) {
    this.client = client;
  }

  @Override
  public String describe() {
    return client.describe();
  }

  @Override
  public boolean exists() {
    return true;
  }

  @Override
  Listing list(Set<TargetId> targets) throws IOException {
    Set<String> names = new LinkedHashSet<>();
    if (targets.isEmpty()) {
      names.addAll(client.list(""));
    }
    for (TargetId target : targets) {
      names.addAll(client.list(target.pathSegment() + "/"));
    }
    List<Item> items = new ArrayList<>();
    for (String name : names) {
      named(name).ifPresent(items::add);
    }
    return new Listing(items, List.of(), 0);
  }

  /** Leases and others are no entries, and what any toolchain made is one under its own name. */
  private Optional<Item> named(String name) {
    String[] parts = name.split("/", -1);
    if (parts.length != 3 || parts[2].equals(RemoteTier.ANY)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Named(
              TargetId.fromPathSegment(parts[0]), Digest.parse(parts[1]), Digest.parse(parts[2])));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The name of an entry. */
  private final class Named implements Item {
    private final TargetId target;
    private final Digest request;
    private final Digest toolchain;

    Named(TargetId target, Digest request, Digest toolchain) {
      this.target = target;
      this.request = request;
      this.toolchain = toolchain;
    }

    @Override
    public String request() {
      return target + " " + request;
    }

    @Override
    public String name() {
      return RemoteTier.name(target, request, toolchain.toString());
    }

    @Override
    public Optional<RemoteEntry> read() throws IOException, DamagedEntryException {
      Optional<RemoteEntry> found = RemotePlace.this.read(name(), request, target);
      if (found.isPresent() && !found.get().stored().entry().toolchain().equals(toolchain)) {
        throw new DamagedEntryException("a record of something else than its name says");
      }
      return found;
    }
  }

  private Optional<RemoteEntry> read(String name, Digest request, TargetId target)
      throws IOException, DamagedEntryException {
    Optional<byte[]> value = client.get(name);
    return value.isPresent()
        ? RemoteEntry.decode(value.get(), request, target, lists, (code, size) -> client.get(code))
        : Optional.empty();
  }

  /** Without a listing of its own, a remote only tells when it is written. */
  @Override
  void prepare() {}

  @Override
  boolean has(RemoteEntry entry) throws IOException {
    CacheEntry record = entry.stored().entry();
    return sound(exactName(record), record)
        .filter(present -> DirectoryPlace.isSame(present.text(), entry.text()))
        .isPresent();
  }

  /** Returns what a name has; what is damaged there is written anew. */
  private Optional<RemoteEntry> sound(String name, CacheEntry wanted) throws IOException {
    try {
      return read(name, wanted.request(), wanted.target());
    } catch (DamagedEntryException e) {
      return Optional.empty();
    }
  }

  private static String exactName(CacheEntry record) {
    return RemoteTier.name(record.target(), record.request(), record.toolchain().toString());
  }

  @Override
  void write(RemoteEntry entry) throws IOException {
    put(exactName(entry.stored().entry()), entry);
  }

  @Override
  void announce(RemoteEntry entry) throws IOException {
    CacheEntry record = entry.stored().entry();
    String name = RemoteTier.name(record.target(), record.request(), RemoteTier.ANY);
    boolean isNewer =
        sound(name, record)
            .filter(
                present ->
                    present.stored().entry().created().isAfter(record.created())
                        || DirectoryPlace.isSame(present.text(), entry.text()))
            .isEmpty();
    if (isNewer) {
      put(name, entry);
    }
  }

  /** Returns when the code object is there, whichever thread writes it. */
  private void putOnce(CacheEntry record, CodeObject code) throws IOException {
    AtomicBoolean written = codes.computeIfAbsent(record.codeObject(), x -> new AtomicBoolean());
    synchronized (written) {
      if (!written.get()) {
        client.put(RemoteEntry.nameOfCodeApart(record), RemoteEntry.bytes(code));
        written.set(true);
      }
    }
  }

  private void put(String name, RemoteEntry entry) throws IOException {
    CacheEntry record = entry.stored().entry();
    if (RemoteEntry.isApart(record)) {
      // First: who finds the entry may ask for it at once.
      putOnce(record, entry.stored().codeObject());
    }
    client.put(
        name, RemoteEntry.encode(entry.text(), record, entry.stored().codeObject(), entry.lists()));
  }

  @Override
  boolean isRemote() {
    return true;
  }

  @Override
  public void close() {
    client.close();
  }
}
