// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Files given as text. */
public final class TextTree implements SourceTree {
  private final Map<String, byte[]> files;

  /** Creates a tree of files by their paths; the arrays are not copied. */
  public TextTree(Map<String, byte[]> files) {
    this.files = Map.copyOf(files);
  }

  @Override
  public byte @Nullable [] read(String path) {
    return files.get(path);
  }
}
