// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.fleet.RemoteEntry;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.DamagedEntryException;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.EntryDirectory.LeftOut;
import dev.kcache.cache.store.Layer;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.cache.sync.EntryPlace.Item;
import dev.kcache.cache.sync.EntryPlace.Listing;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.zip.ZipException;

/** A record that was listed in a directory or a pack. Reading it changes nothing there. */
record LayerItem(Layer layer, CacheEntry record) implements Item {
  /**
   * Returns the entries of a layer for these targets; for all if none is named.
   *
   * @throws ZipException if it is a damaged pack; the message says why
   * @throws IOException if it can't be used; the message says why
   */
  static Listing list(Layer layer, Set<TargetId> targets) throws IOException {
    Optional<String> fault = layer.isReadable() ? Optional.empty() : layer.fault();
    if (fault.isPresent()) {
      throw layer.isDamaged() ? new ZipException(fault.get()) : new IOException(fault.get());
    }
    Predicate<TargetId> wanted = target -> targets.isEmpty() || targets.contains(target);
    LeftOut leftOut = layer.leftOut(wanted);
    List<Item> items =
        layer.entries().stream()
            .filter(entry -> wanted.test(entry.target()))
            .<Item>map(entry -> new LayerItem(layer, entry))
            .toList();
    return new Listing(
        items,
        leftOut.damaged().stream().map(file -> file + ": not a sound record").toList(),
        leftOut.others());
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
    Optional<SignedRecord> text = layer.text(record);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    StoredEntry stored =
        layer.peek(record).orElseThrow(() -> damaged("code object", record.codeObject()));
    Map<Digest, DependencyList> lists = new LinkedHashMap<>();
    for (Optional<DependencyList> list :
        List.of(layer.dependencies(record), layer.toolchainFiles(record))) {
      DependencyList sound = list.orElseThrow(() -> damaged("list", record.dependencies()));
      lists.put(sound.digest(), sound);
    }
    return Optional.of(new RemoteEntry(stored, List.copyOf(lists.values()), text.get()));
  }

  private static DamagedEntryException damaged(String part, Digest digest) {
    return new DamagedEntryException("its %s %s is missing or damaged".formatted(part, digest));
  }
}
