// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.Revocation.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** All that is revoked, by a number that rises with each change. Immutable. */
public final class RevocationList {
  /** Nothing is revoked. */
  static final RevocationList EMPTY = new RevocationList(0, List.of());

  private final long serial;
  private final List<Revocation> entries;
  private final Map<Key, Revocation> byKey = new HashMap<>();

  /** By what entries are looked up. */
  private record Key(Kind kind, String what) {}

  RevocationList(long serial, List<Revocation> entries) {
    this.serial = serial;
    this.entries = List.copyOf(entries);
    for (Revocation each : entries) {
      // Of two of a source, the later one covers more.
      byKey.merge(
          new Key(each.kind(), each.what()),
          each,
          (one, other) -> one.time().isBefore(other.time()) ? other : one);
    }
  }

  /** {@return the number of the list} */
  public long serial() {
    return serial;
  }

  /** {@return what is revoked} */
  public List<Revocation> entries() {
    return entries;
  }

  Optional<Revocation> of(CacheEntry entry) {
    return byKey.isEmpty()
        ? Optional.empty()
        : Stream.of(
                new Key(Kind.CODE, entry.codeObject().toString()),
                new Key(Kind.TOOLCHAIN, entry.toolchain().toString()),
                new Key(Kind.SOURCE, entry.source()))
            .flatMap(key -> Stream.ofNullable(byKey.get(key)))
            .filter(revocation -> revocation.covers(entry))
            .findFirst();
  }

  /** Returns the next list, in which a revocation takes the place of one of the same. */
  RevocationList with(Revocation revocation) {
    List<Revocation> more = new ArrayList<>(entries);
    more.removeIf(
        each -> each.kind() == revocation.kind() && each.what().equals(revocation.what()));
    more.add(revocation);
    return new RevocationList(Math.addExact(serial, 1), more);
  }
}
