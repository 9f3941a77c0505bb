// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The toolchain's own files that a compile read. A file of its own, since most kernels of a
 * toolchain share it and it is nine tenths of the data of a compile.
 *
 * <p>Its text form is that of {@code sha256sum}: for each file a line with the digest, two spaces
 * and the path, ordered by path. {@code sha256sum --check} reads it.
 *
 * <p>Immutable and safe for use by any number of threads.
 */
public final class DependencyList {
  /** Far more than a compile needs: a thousand dependencies take about 150 KiB. */
  static final int MAX_BYTES = 8 << 20;

  private static final int DIGITS = 64;
  private static final String GAP = "  ";

  private static final Pattern ESCAPE = Pattern.compile("\\\\(.?)", Pattern.DOTALL);

  /** The replacement for malformed UTF-8. */
  private static final char MALFORMED = '\ufffd';

  private final Digest digest;
  private final byte[] bytes;
  private final List<Toolchain.File> files;

  private DependencyList(Digest digest, byte[] bytes, List<Toolchain.File> files) {
    this.digest = digest;
    this.bytes = bytes;
    this.files = List.copyOf(files);
  }

  /** Returns the list of files that are given in any order. */
  public static DependencyList of(List<Toolchain.File> files) {
    List<Toolchain.File> sorted = new ArrayList<>(files);
    sorted.sort(Comparator.comparing(Toolchain.File::path));
    byte[] bytes = encode(sorted);
    return new DependencyList(Digest.of(bytes), bytes, sorted);
  }

  /**
   * Parses the text form.
   *
   * @throws DamagedEntryException if it is malformed or its SHA-256 is not {@code digest}
   */
  static DependencyList parse(byte[] bytes, Digest digest) throws DamagedEntryException {
    if (!Digest.of(bytes).equals(digest)) {
      throw new DamagedEntryException("bytes whose SHA-256 is not the file's name");
    }
    String text = new String(bytes, UTF_8);
    if (text.indexOf(MALFORMED) >= 0 && !Arrays.equals(text.getBytes(UTF_8), bytes)) {
      throw new DamagedEntryException("a list of dependencies that is not UTF-8");
    }
    List<Toolchain.File> files = new ArrayList<>();
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf('\n', start);
      if (end < 0) {
        throw new DamagedEntryException("a list of dependencies whose last line has no end");
      }
      Toolchain.File file = file(text.substring(start, end));
      if (!files.isEmpty() && files.get(files.size() - 1).path().compareTo(file.path()) > 0) {
        throw new DamagedEntryException("a list of dependencies out of order");
      }
      files.add(file);
      start = end + 1;
    }
    return new DependencyList(digest, bytes.clone(), files);
  }

  /** Returns the digest of the text form, which is its name in the store. */
  public Digest digest() {
    return digest;
  }

  /** Returns the files, ordered by path. */
  public List<Toolchain.File> files() {
    return files;
  }

  /** Returns whether the text form is these bytes. */
  public boolean hasBytes(byte[] other) {
    return Arrays.equals(bytes, other);
  }

  /** Returns the text form, which nobody may change. */
  byte[] bytes() {
    return bytes;
  }

  private static byte[] encode(List<Toolchain.File> files) {
    StringBuilder text = new StringBuilder();
    for (Toolchain.File file : files) {
      String escaped = escaped(file.path());
      // A line with an escaped path begins with a backslash, by which sha256sum knows it.
      text.append(escaped.equals(file.path()) ? "" : "\\")
          .append(file.digest())
          .append(GAP)
          .append(escaped)
          .append('\n');
    }
    return text.toString().getBytes(UTF_8);
  }

  private static Toolchain.File file(String line) throws DamagedEntryException {
    boolean isEscaped = line.startsWith("\\");
    String plain = isEscaped ? line.substring(1) : line;
    if (!plain.startsWith(GAP, DIGITS)) {
      throw damaged(line);
    }
    String path = plain.substring(DIGITS + GAP.length());
    if (isEscaped != path.indexOf('\\') >= 0) {
      throw damaged(line);
    }
    try {
      return new Toolchain.File(
          isEscaped ? unescaped(path) : path, Digest.parse(plain.substring(0, DIGITS)));
    } catch (IllegalArgumentException e) {
      throw damaged(line);
    }
  }

  /** Returns a text on one line, as {@code sha256sum} writes a path. */
  static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\n", "\\n");
  }

  /**
   * Reverses {@link #escaped}.
   *
   * @throws IllegalArgumentException if {@code text} is no result of {@link #escaped}
   */
  static String unescaped(String text) {
    return ESCAPE
        .matcher(text)
        .replaceAll(
            found ->
                switch (found.group(1)) {
                  case "n" -> "\n";
                  case "\\" -> "\\\\";
                  default ->
                      throw new IllegalArgumentException(
                          "a backslash before something else: " + text);
                });
  }

  private static DamagedEntryException damaged(String line) {
    return new DamagedEntryException("not a line of a list of dependencies: " + line);
  }
}
