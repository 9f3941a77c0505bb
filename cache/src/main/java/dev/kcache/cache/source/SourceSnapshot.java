// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The files that have been read so far, missing ones included, so that sources derived from one
 * another see one state of the disk. Files given as text are not remembered: they never change, and
 * a tree that a derived source has replaced can be freed. Not safe for use by several threads; each
 * derived source takes a copy.
 */
public final class SourceSnapshot {
  private final Map<SourcePath, Optional<byte[]>> files;
  private final Map<SourcePath, List<String>> standardHeaders;

  public SourceSnapshot() {
    files = new HashMap<>();
    standardHeaders = new HashMap<>();
  }

  public SourceSnapshot(SourceSnapshot other) {
    files = new HashMap<>(other.files);
    standardHeaders = new HashMap<>(other.standardHeaders);
  }

  /** Returns a file's bytes, not to be changed, or null if it is not there. */
  public byte @Nullable [] read(SourcePath file, String display) {
    if (file.tree() instanceof TextTree text) {
      return text.read(file.path());
    }
    if (file.tree() instanceof OverlayTree overlay) {
      byte[] given = overlay.given(file.path());
      return given != null ? given : read(new SourcePath(overlay.below(), file.path()), display);
    }
    Optional<byte[]> known = files.get(file);
    if (known == null) {
      known = Optional.ofNullable(load(file, display));
      files.put(file, known);
    }
    return known.orElse(null);
  }

  /** Returns the file that a walk leads to, or null if there is none. */
  @Nullable SourcePath find(SourcePath.Walk walk, String display) {
    SourcePath end = walk.end();
    if (end == null || walk.relative().endsWith("/")) {
      return null;
    }
    if (walk.climbs() && !leads(walk, end, display)) {
      return null;
    }
    return read(end, display) == null ? null : end;
  }

  /** Returns the names in a directory that standard headers have. */
  List<String> standardHeaders(SourcePath directory) {
    if (directory.tree() instanceof TextTree) {
      return List.of();
    }
    return standardHeaders.computeIfAbsent(
        directory, missing -> StandardHeaders.among(missing.tree().list(missing.path())));
  }

  private static byte @Nullable [] load(SourcePath file, String display) {
    try {
      return file.tree().read(file.path());
    } catch (IOException e) {
      throw unreadable(display, e);
    }
  }

  private static boolean leads(SourcePath.Walk walk, SourcePath end, String display) {
    try {
      String spelling = walk.from().path() + "/" + walk.relative();
      return walk.from().tree().leadsTo(spelling, end.path());
    } catch (IOException e) {
      throw unreadable(display, e);
    }
  }

  private static SourceProblem unreadable(String display, IOException e) {
    return new SourceProblem(display, 0, String.valueOf(e.getMessage()), e);
  }
}
