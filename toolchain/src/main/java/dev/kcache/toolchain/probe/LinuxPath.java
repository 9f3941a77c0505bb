// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A path of a Linux machine, whatever this JVM runs on: {@link java.nio.file.Path} would turn its
 * slashes round on Windows, and with them what is hashed. It does what a Path does on Linux.
 */
public final class LinuxPath implements Comparable<LinuxPath> {
  private static final String SLASH = "/";

  private final String text;

  private LinuxPath(String text) {
    this.text = text;
  }

  /**
   * Returns a path without the slashes that say nothing.
   *
   * @throws IllegalArgumentException if it has a NUL, as no path has
   */
  public static LinuxPath of(String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a path with a NUL: " + text.replace('\0', '?'));
    }
    String single = text.replaceAll("/{2,}", SLASH);
    boolean ends = single.length() > 1 && single.endsWith(SLASH);
    return new LinuxPath(ends ? single.substring(0, single.length() - 1) : single);
  }

  /** Returns whether it begins at the root. */
  public boolean isAbsolute() {
    return text.startsWith(SLASH);
  }

  /** Returns a path that begins here; {@code other} itself if that is absolute. */
  public LinuxPath resolve(String other) {
    LinuxPath path = of(other);
    if (path.isAbsolute() || text.isEmpty()) {
      return path;
    }
    return path.text.isEmpty() ? this : of(text + SLASH + path.text);
  }

  /** Returns the path without {@code .} and {@code ..}, as if nothing were a link. */
  public LinuxPath normalize() {
    Deque<String> names = new ArrayDeque<>();
    for (String name : text.split(SLASH, -1)) {
      boolean up = name.equals("..");
      if (up && !names.isEmpty() && !names.getLast().equals("..")) {
        names.removeLast();
      } else if (up ? !isAbsolute() : !name.isEmpty() && !name.equals(".")) {
        names.addLast(name);
      }
    }
    return new LinuxPath((isAbsolute() ? SLASH : "") + String.join(SLASH, names));
  }

  /** Returns the directory that it is in; null for the root and for a single name. */
  public @Nullable LinuxPath parent() {
    int slash = text.lastIndexOf('/');
    if (slash < 0 || text.equals(SLASH)) {
      return null;
    }
    return new LinuxPath(slash == 0 ? SLASH : text.substring(0, slash));
  }

  /** Returns the last name; the whole text where there is no other. */
  public String name() {
    return text.substring(text.lastIndexOf('/') + 1);
  }

  /** Returns whether it is {@code directory}, or a path below it. */
  public boolean startsWith(LinuxPath directory) {
    return text.equals(directory.text)
        || (!directory.text.isEmpty()
            && text.startsWith(directory.text.endsWith(SLASH) ? SLASH : directory.text + SLASH));
  }

  @Override
  public int compareTo(LinuxPath other) {
    return text.compareTo(other.text);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LinuxPath path && text.equals(path.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** Returns its text, with slashes. */
  @Override
  public String toString() {
    return text;
  }
}
