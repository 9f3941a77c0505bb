// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A tree in which files given as text lie in a directory, in the place of others of their names.
 */
public final class OverlayTree implements SourceTree {
  private final SourceTree below;
  private final Map<String, byte[]> files = new HashMap<>();

  /**
   * Creates a tree with files in a directory; the arrays are not copied.
   *
   * @param files by names that begin with a slash
   */
  public OverlayTree(SourcePath directory, SortedMap<String, byte[]> files) {
    below = directory.tree();
    String prefix = directory.path().equals("/") ? "" : directory.path();
    files.forEach((name, content) -> this.files.put(prefix + name, content));
  }

  /** Returns the files given as text, in order. */
  public List<SourcePath> files() {
    return files.keySet().stream().sorted().map(path -> new SourcePath(this, path)).toList();
  }

  SourceTree below() {
    return below;
  }

  /** Returns a file given as text, or null. */
  byte @Nullable [] given(String path) {
    return files.get(path);
  }

  @Override
  public byte @Nullable [] read(String path) throws IOException {
    byte[] given = files.get(path);
    return given != null ? given : below.read(path);
  }

  /** The directories that lead to such a file are staged. */
  @Override
  public boolean leadsTo(String spelling, String path) throws IOException {
    return files.containsKey(path) || below.leadsTo(spelling, path);
  }

  @Override
  public List<String> list(String path) {
    return below.list(path);
  }

  @Override
  public boolean isSame(String path, String other) {
    return path.equals(other) || below.isSame(path, other);
  }
}
