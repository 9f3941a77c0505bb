// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.cache.Toolchain;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The digests of the toolchain's files. A file is read once; after that its {@link FileStamp} is
 * compared, at most once per interval. A file that changed a moment ago is read every time, since a
 * second change might leave the same stamp.
 *
 * <p>Safe for use by any number of threads, one at a time: a compiler library of a hundred
 * megabytes is not read by two.
 */
final class FileDigests {
  /**
   * A digest with what it is known by.
   *
   * @param stamp the file's stamp when it was read
   * @param digest of the content
   */
  record Known(String stamp, Digest digest) {}

  private record Checked(Optional<Digest> digest, Instant when) {}

  private static final int BUFFER = 1 << 18;

  private final Memo memo;
  private final InstantSource clock;
  private final Duration interval;
  private final Map<String, Checked> checked = new HashMap<>();
  private final Map<String, Known> known = new HashMap<>();
  private boolean loaded;
  private boolean changed;

  FileDigests(Memo memo, InstantSource clock, Duration interval) {
    this.memo = memo;
    this.clock = clock;
    this.interval = interval;
  }

  /** Returns the digest of a file's content; empty if it is no regular file or can't be read. */
  synchronized Optional<Digest> digest(Path file) {
    return digest(file.toString(), clock.instant());
  }

  /** Returns whether files have the content now that they are said to have. */
  synchronized boolean areUnchanged(List<Toolchain.File> files) {
    Instant now = clock.instant();
    for (Toolchain.File file : files) {
      Optional<Digest> digest = digest(file.path(), now);
      if (digest.isEmpty() || !digest.get().equals(file.digest())) {
        return false;
      }
    }
    return true;
  }

  private Optional<Digest> digest(String file, Instant now) {
    Checked recent = checked.get(file);
    if (recent != null && isWithin(interval, recent.when(), now)) {
      return recent.digest();
    }
    load();
    Optional<Digest> digest = current(file, now);
    checked.put(file, new Checked(digest, now));
    return digest;
  }

  /** Has a file looked at again that was just replaced. */
  synchronized void forget(Path file) {
    checked.remove(file.toString());
  }

  /** Writes what was learnt to the memo. */
  synchronized void save() {
    if (changed) {
      memo.writeDigests(known);
      changed = false;
    }
  }

  static boolean isWithin(Duration interval, Instant then, Instant now) {
    return !now.isBefore(then) && now.isBefore(then.plus(interval));
  }

  private void load() {
    if (!loaded) {
      loaded = true;
      known.putAll(memo.readDigests());
    }
  }

  private Optional<Digest> current(String file, Instant now) {
    FileStamp stamp = FileStamp.of(file);
    if (!stamp.regular()) {
      return Optional.empty();
    }
    Known before = known.get(file);
    if (before != null && before.stamp().equals(stamp.text())) {
      return Optional.of(before.digest());
    }
    try {
      Digest digest = read(Path.of(file));
      if (stamp.isSettled(now)) {
        known.put(file, new Known(stamp.text(), digest));
        changed = true;
      }
      return Optional.of(digest);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Digest read(Path file) throws IOException {
    MessageDigest sha256 = sha256();
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = Files.newInputStream(file)) {
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        sha256.update(buffer, 0, length);
      }
    }
    return Digest.parse(HexFormat.of().formatHex(sha256.digest()));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java runtime has SHA-256", e);
    }
  }
}
