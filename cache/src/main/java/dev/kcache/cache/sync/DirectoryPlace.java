// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.fleet.RemoteEntry;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DamagedEntryException;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.EntryDirectory.LeftOut;
import dev.kcache.cache.store.Layer;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A cache directory or a layer. Reading changes nothing in it. What is written has the rights of
 * the directory: those of a layer if everybody can read it, else the owner's alone.
 */
final class DirectoryPlace extends EntryPlace {
  private final DiskStore store;

  /** Notes no use, and moves nothing aside. */
  private final Layer onlooker;

  DirectoryPlace(Path root, Map<String, String> environment) {
    store = DiskStore.open(root, access(root, environment));
    onlooker = store.asLayer();
  }

  private static Access access(Path root, Map<String, String> environment) {
    try {
      Set<PosixFilePermission> rights = Files.getPosixFilePermissions(root);
      if (rights.contains(PosixFilePermission.GROUP_WRITE)
          && environment.getOrDefault("KCACHE_SHARED", "").equals("group")) {
        return Access.GROUP;
      }
      return rights.contains(PosixFilePermission.OTHERS_READ) ? Access.LAYER : Access.PRIVATE;
    } catch (IOException e) {
      return Access.PRIVATE;
    }
  }

  @Override
  public String describe() {
    try {
      return store.root().toRealPath().toString();
    } catch (IOException e) {
      return store.root().normalize().toString();
    }
  }

  @Override
  public boolean exists() {
    return Files.isDirectory(store.root());
  }

  @Override
  Listing list(Set<TargetId> targets) throws IOException {
    Optional<String> fault = onlooker.isReadable() ? Optional.empty() : onlooker.fault();
    if (fault.isPresent()) {
      throw new IOException(fault.get());
    }
    Predicate<TargetId> wanted = target -> targets.isEmpty() || targets.contains(target);
    LeftOut leftOut = onlooker.leftOut(wanted);
    List<Item> items =
        onlooker.entries().stream()
            .filter(entry -> wanted.test(entry.target()))
            .<Item>map(Stored::new)
            .toList();
    return new Listing(
        items,
        leftOut.damaged().stream().map(file -> file + ": not a sound record").toList(),
        leftOut.others());
  }

  /** A record that was listed. */
  private final class Stored implements Item {
    private final CacheEntry record;

    Stored(CacheEntry record) {
      this.record = record;
    }

    @Override
    public String request() {
      return record.target() + " " + record.request();
    }

    @Override
    public String name() {
      return record.source() + " for " + record.target() + ", request " + record.request();
    }

    @Override
    public Optional<RemoteEntry> read() throws DamagedEntryException {
      Optional<SignedRecord> text = onlooker.text(record);
      if (text.isEmpty()) {
        return Optional.empty();
      }
      StoredEntry stored =
          onlooker.peek(record).orElseThrow(() -> damaged("code object", record.codeObject()));
      Map<Digest, DependencyList> lists = new LinkedHashMap<>();
      for (Optional<DependencyList> list :
          List.of(onlooker.dependencies(record), onlooker.toolchainFiles(record))) {
        DependencyList sound = list.orElseThrow(() -> damaged("list", record.dependencies()));
        lists.put(sound.digest(), sound);
      }
      return Optional.of(new RemoteEntry(stored, List.copyOf(lists.values()), text.get()));
    }

    private static DamagedEntryException damaged(String part, Digest digest) {
      return new DamagedEntryException("its %s %s is missing or damaged".formatted(part, digest));
    }
  }

  @Override
  void prepare() throws IOException {
    Optional<String> fault = store.writeFault();
    if (fault.isPresent()) {
      throw new IOException(fault.get());
    }
  }

  @Override
  boolean has(RemoteEntry entry) {
    CacheEntry record = entry.stored().entry();
    return onlooker.text(record).filter(text -> isSame(text, entry.text())).isPresent()
        && onlooker.peek(record).isPresent()
        && onlooker.dependencies(record).isPresent()
        && onlooker.toolchainFiles(record).isPresent();
  }

  static boolean isSame(SignedRecord one, SignedRecord other) {
    return Arrays.equals(one.text(), other.text())
        && Arrays.equals(one.signature(), other.signature());
  }

  @Override
  void write(RemoteEntry entry) throws IOException {
    try {
      store.putCopy(entry.stored(), entry.text(), entry.lists().toArray(new DependencyList[0]));
    } catch (IOException e) {
      throw new IOException(store.complaint(e), e);
    }
  }

  /** Takes another directory's list of what is revoked if there is none here. */
  void takeRevocations(DirectoryPlace from) throws IOException {
    Optional<byte[]> list = from.onlooker.revocations();
    if (list.isPresent() && onlooker.revocations().isEmpty()) {
      try {
        store.putRevocations(list.get());
      } catch (IOException e) {
        throw new IOException(store.complaint(e), e);
      }
    }
  }

  /** A directory finds the newest by itself. */
  @Override
  void announce(RemoteEntry entry) {}

  @Override
  boolean isRemote() {
    return false;
  }

  @Override
  public void close() {}
}
