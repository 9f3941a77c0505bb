// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kcache.cache.CacheEntry;
import dev.kcache.cache.Toolchain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Parses records, and makes the dependencies that many of them have in common only once: they are
 * nine tenths of a record, and the same for most kernels of a toolchain.
 *
 * <p>A record ends in its dependencies. If its last bytes are those of a record that was parsed
 * before, down to the field's name, then so is what they say, provided that what precedes them
 * makes a record with a field of that name. Only bytes that {@link EntryCodec} itself would write
 * are compared with, so that nothing else can follow in them.
 *
 * <p>Safe for use by any number of threads.
 */
final class SharedDependencies {
  private static final byte[] NAME = "\"dependencies\"".getBytes(US_ASCII);
  private static final byte[] NO_DEPENDENCIES = "\"dependencies\":[]}".getBytes(US_ASCII);

  /** A toolchain has a few: what kernels include differs. */
  private static final int MOST = 64;

  private final ConcurrentHashMap<Integer, Known> knownByLength = new ConcurrentHashMap<>();

  /**
   * The end of a record.
   *
   * @param bytes from the field's name on
   * @param dependencies what they say
   */
  private record Known(ByteBuffer bytes, List<Toolchain.File> dependencies) {}

  /** As {@link EntryParser#parse}. */
  Optional<CacheEntry> parse(byte[] record) throws DamagedEntryException {
    int start = indexOfName(record);
    if (start < 0) {
      return EntryParser.parse(record);
    }
    Known known = knownByLength.get(record.length - start);
    if (known != null && known.bytes().equals(end(record, start))) {
      Optional<CacheEntry> rest = withoutDependencies(record, start);
      if (rest.isPresent()) {
        return rest.map(entry -> with(known.dependencies(), entry));
      }
    }
    Optional<CacheEntry> entry = EntryParser.parse(record);
    if (entry.isPresent() && isOurs(record, start, entry.get())) {
      remember(new Known(end(record, start), entry.get().dependencies()));
    }
    return entry;
  }

  private void remember(Known known) {
    if (knownByLength.size() >= MOST) {
      knownByLength.clear();
    }
    knownByLength.put(known.bytes().remaining(), known);
  }

  private static ByteBuffer end(byte[] record, int start) {
    return ByteBuffer.wrap(record, start, record.length - start).slice();
  }

  private static boolean isOurs(byte[] record, int start, CacheEntry entry) {
    try {
      return withoutDependencies(record, start)
              .filter(rest -> with(entry.dependencies(), rest).equals(entry))
              .isPresent()
          && Arrays.equals(record, EntryCodec.encode(entry));
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns what a record says before its dependencies; nothing if that is no record. */
  private static Optional<CacheEntry> withoutDependencies(byte[] record, int start) {
    byte[] rest = Arrays.copyOf(record, start + NO_DEPENDENCIES.length);
    System.arraycopy(NO_DEPENDENCIES, 0, rest, start, NO_DEPENDENCIES.length);
    try {
      return EntryParser.parse(rest);
    } catch (DamagedEntryException e) {
      return Optional.empty();
    }
  }

  private static int indexOfName(byte[] record) {
    for (int start = 0; start <= record.length - NAME.length; start++) {
      if (record[start] == NAME[0]
          && Arrays.equals(record, start, start + NAME.length, NAME, 0, NAME.length)) {
        return start;
      }
    }
    return -1;
  }

  private static CacheEntry with(List<Toolchain.File> dependencies, CacheEntry entry) {
    return new CacheEntry(
        entry.codeObject(),
        entry.size(),
        entry.codeObjectVersion(),
        entry.source(),
        entry.target(),
        entry.label(),
        entry.request(),
        entry.toolchain(),
        entry.options(),
        entry.command(),
        entry.log(),
        entry.compileTime(),
        entry.created(),
        dependencies);
  }
}
