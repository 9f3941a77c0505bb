// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * The digests of the toolchain's files. A file is read once, and then its {@link FileStamp} is
 * compared once per {@link FileStamps.Round}. A file that changed a moment ago is read each time,
 * since a second change might leave the same stamp.
 *
 * <p>Safe for use by any number of threads, of which one works at a time: no two read the same
 * library of a hundred megabytes.
 */
public final class FileDigests {
  /**
   * A digest, and the stamp by which it is known.
   *
   * @param stamp the file's stamp when it was read
   * @param digest of the content
   */
  public record Known(String stamp, Digest digest) {}

  private record Checked(Optional<Digest> digest, FileStamps.Round round) {}

  /**
   * The result of a look at a file; without a digest if the file can't be read.
   *
   * @param learnt whether the digest is new, and to be kept if the file has settled
   */
  private record Looked(FileStamp stamp, Optional<Digest> digest, boolean learnt) {}

  private final ProbeCache cache;
  private final FileStamps stamps;
  private final Map<String, Checked> checked = new HashMap<>();
  private final Map<String, Known> known = new HashMap<>();
  private boolean loaded;
  private boolean changed;

  public FileDigests(ProbeCache cache, FileStamps stamps) {
    this.cache = cache;
    this.stamps = stamps;
  }

  /** Returns the digest of a file's content; empty if it is not a regular file or can't be read. */
  public synchronized Optional<Digest> digest(Path file) {
    return digest(file.toString(), stamps.round());
  }

  /**
   * Reads files on all processors before their digests are needed; one after the other, a
   * compiler's libraries take half a second. Ignores what this round has seen, since the digests
   * are about to be stored with the current stamps.
   */
  public synchronized void readAhead(Collection<String> files) {
    load();
    FileStamps.Round round = stamps.round();
    Map<String, Looked> looked = new ConcurrentHashMap<>();
    // The largest first, each to the next free thread: a stream would give neighbours to one.
    List<String> waiting = new ArrayList<>(files);
    waiting.sort(Comparator.comparingLong((String file) -> new File(file).length()).reversed());
    AtomicInteger next = new AtomicInteger();
    IntStream.range(0, Math.min(waiting.size(), Runtime.getRuntime().availableProcessors()))
        .parallel()
        .forEach(
            thread -> {
              for (int i = next.getAndIncrement(); i < waiting.size(); i = next.getAndIncrement()) {
                String file = waiting.get(i);
                looked.put(file, look(file, FileStamp.of(file)));
              }
            });
    looked.forEach((file, seen) -> checked.put(file, new Checked(keep(file, seen, round), round)));
  }

  /** Returns whether files still have these digests. */
  public synchronized boolean areUnchanged(List<Toolchain.File> files) {
    FileStamps.Round round = stamps.round();
    for (Toolchain.File file : files) {
      Optional<Digest> digest = digest(file.path(), round);
      if (digest.isEmpty() || !digest.get().equals(file.digest())) {
        return false;
      }
    }
    return true;
  }

  private Optional<Digest> digest(String file, FileStamps.Round round) {
    Checked recent = checked.get(file);
    if (recent != null && recent.round() == round) {
      return recent.digest();
    }
    load();
    Optional<Digest> digest = keep(file, look(file, round.of(file)), round);
    checked.put(file, new Checked(digest, round));
    return digest;
  }

  /** Forgets a file that was just replaced. */
  public synchronized void forget(Path file) {
    checked.remove(file.toString());
    stamps.forget(file);
  }

  /** Writes new digests to the probe cache. */
  public synchronized void save() {
    if (changed) {
      cache.writeDigests(known);
      changed = false;
    }
  }

  private void load() {
    if (!loaded) {
      loaded = true;
      known.putAll(cache.readDigests());
    }
  }

  /** Changes nothing, so that many threads may call it while one holds the lock. */
  private Looked look(String file, FileStamp stamp) {
    Known before = known.get(file);
    if (!stamp.regular()) {
      return new Looked(stamp, Optional.empty(), false);
    }
    if (before != null && before.stamp().equals(stamp.text())) {
      return new Looked(stamp, Optional.of(before.digest()), false);
    }
    // The round's stamp may be of another file than the one that is read now.
    FileStamp fresh = FileStamp.of(file);
    try {
      return new Looked(fresh, Optional.of(read(Path.of(file))), true);
    } catch (IOException e) {
      return new Looked(fresh, Optional.empty(), false);
    }
  }

  private Optional<Digest> keep(String file, Looked looked, FileStamps.Round round) {
    if (looked.learnt() && looked.stamp().isSettled(round.began())) {
      known.put(file, new Known(looked.stamp().text(), looked.digest().orElseThrow()));
      changed = true;
    }
    return looked.digest();
  }

  private static Digest read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return Digest.of(in);
    }
  }
}
