// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import org.jspecify.annotations.Nullable;

/** A file or directory in a tree. The path is absolute there, without {@code .} and {@code ..}. */
public record SourcePath(SourceTree tree, String path) {
  public static boolean hasControl(String name) {
    return name.chars().anyMatch(Character::isISOControl);
  }

  /** Returns the directory that this lies in; the root's is the root. */
  public SourcePath parent() {
    return new SourcePath(tree, path.substring(0, Math.max(1, path.lastIndexOf('/'))));
  }

  public String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Returns the file or directory with a single name in this directory. */
  public SourcePath resolve(String name) {
    return new SourcePath(tree, (path.equals("/") ? "" : path) + "/" + name);
  }

  int depth() {
    return path.equals("/") ? 0 : (int) path.chars().filter(c -> c == '/').count();
  }

  /** Returns the directory {@code depth} names deep that this lies in, or this. */
  SourcePath ancestor(int depth) {
    SourcePath ancestor = this;
    while (ancestor.depth() > depth) {
      ancestor = ancestor.parent();
    }
    return ancestor;
  }

  /** Returns whether this is {@code other} or a directory that it lies in. */
  boolean contains(SourcePath other) {
    return tree.equals(other.tree)
        && (path.equals("/") || path.equals(other.path) || other.path.startsWith(path + "/"));
  }

  /** Follows a relative name from this directory. */
  public Walk walk(String relative) {
    SourcePath end = this;
    int depth = depth();
    int lowest = depth;
    boolean climbs = false;
    for (String name : relative.split("/", -1)) {
      if (name.equals("..")) {
        climbs = true;
        end = end.parent();
        lowest = Math.min(lowest, --depth);
      } else if (!name.isEmpty() && !name.equals(".")) {
        end = end.resolve(name);
        depth++;
      }
    }
    return new Walk(this, relative, lowest, climbs, lowest < 0 ? null : end);
  }

  /**
   * A relative name followed from a directory. {@code lowest} is the depth of the highest directory
   * passed, negative if that is above the root; then there is no {@code end}.
   */
  public record Walk(
      SourcePath from, String relative, int lowest, boolean climbs, @Nullable SourcePath end) {}
}
