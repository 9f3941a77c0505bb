// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.cache.source.IncludeClosure.File;
import dev.kcache.cache.source.IncludeClosure.Lookup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a scanner has found of a closure. Not safe for use by several threads. */
final class ClosureFiles {
  static final long SIZE_LIMIT = 64L << 20;

  /** Deeper than any directory of sources; bounds what is staged above a source. */
  private static final int CLIMB_LIMIT = 64;

  final Map<SourcePath, File> files = new LinkedHashMap<>();
  final List<Lookup> lookups = new ArrayList<>();
  private final SourceSnapshot snapshot;
  private long size;

  ClosureFiles(SourceSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  long size() {
    return size;
  }

  static boolean climbsTooFar(SourcePath.Walk walk) {
    return walk.from().depth() - walk.lowest() > CLIMB_LIMIT;
  }

  /**
   * Looks a name up for a file that names it, and notes that.
   *
   * @return the file that it leads to, or null if there is none
   * @throws SourceProblem if it can't be read or staged
   */
  @Nullable SourcePath find(SourcePath.Walk walk, String display, String includer, int line) {
    if (climbsTooFar(walk)) {
      throw new SourceProblem(
          includer, line, "climbs more than " + CLIMB_LIMIT + " directories up");
    }
    SourcePath found;
    try {
      found = snapshot.find(walk, display);
    } catch (SourceProblem e) {
      throw new SourceProblem(includer, line, e.file() + ": " + e.problem());
    }
    if (found != null && walk.relative().indexOf('\\') >= 0) {
      // Compilers write it as a slash where they list what they have read.
      throw new SourceProblem(
          includer, line, "'" + walk.relative() + "': rename the file without a backslash");
    }
    lookups.add(new Lookup(walk, found != null, includer, line));
    return found;
  }

  /** Returns a file, which may be there by another name; null if there is none. */
  @Nullable File add(SourcePath path, String display, int depth, String includer, int line) {
    byte[] content = snapshot.read(path, display);
    if (content == null || files.containsKey(path)) {
      return files.get(path);
    }
    File file = new File(path, content, display, depth, includer, line);
    files.put(path, file);
    size += content.length;
    return file;
  }

  /**
   * Bounds the files and their bytes.
   *
   * @param includer names the file that goes too far, at {@code line}
   * @throws SourceProblem if there are too many
   */
  void checkSize(int most, String includer, int line) {
    if (files.size() > most || size > SIZE_LIMIT) {
      throw new SourceProblem(
          includer,
          line,
          "the source and its includes are more than "
              + most
              + " files or "
              + (SIZE_LIMIT >> 20)
              + " MiB; include less");
    }
  }
}
