// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/**
 * Reads one MessagePack document out of an untrusted image, value by value.
 *
 * <p>Every count is checked against the bytes that are left before anybody acts on it, and nothing
 * here recurses, so that neither a huge count nor deep nesting can exhaust memory or the stack.
 * Texts and keys have a greatest length, and what they take counts as the {@linkplain
 * ImageReader#take image's memory}; what is passed over takes none. Formats: <a
 * href="https://github.com/msgpack/msgpack/blob/master/spec.md">the MessagePack specification</a>;
 * numbers are big-endian.
 */
final class MessagePackReader {
  /** More than twice what LLVM has keys for; each is compared with those before it. */
  private static final int MOST_KEYS = 64;

  /** In bytes, as is {@link #LONGEST_TEXT}; LLVM's keys have at most 32. */
  private static final int LONGEST_KEY = 256;

  private static final String KEY = "a key";

  /** The mangled names of heavily templated kernels, which are the longest texts, have some kB. */
  private static final int LONGEST_TEXT = 1 << 20;

  /** What an array takes beside its elements. */
  private static final int ARRAY_MEMORY = 24;

  private static final int NIL = 0xc0;
  private static final int FALSE = 0xc2;
  private static final int TRUE = 0xc3;

  private final ImageReader image;
  private final long end;
  private final TextReader texts;
  private long position;

  /** Creates a reader of {@code size} bytes at {@code offset}, which lie inside the image. */
  MessagePackReader(ImageReader image, long offset, long size) {
    this.image = image;
    this.position = offset;
    this.end = offset + size;
    this.texts = new TextReader(image);
  }

  /** Returns the offset in the image of what is read next. */
  long position() {
    return position;
  }

  /** Refuses anything after what has been read. */
  void requireEnd(String what) {
    if (position != end) {
      throw new MalformedCodeObjectException(
          position, "%s must end here, has %d more bytes", what, end - position);
    }
  }

  /** Reads the head of a map; its keys and values follow in turn. Returns the number of keys. */
  int mapSize(String what) {
    long start = position;
    int head = u8(what);
    long size =
        switch (head) {
          case 0xde -> bytes(2, what);
          case 0xdf -> bytes(4, what);
          default -> fixed(head, 0x80, 0x8f, start, what, "a map");
        };
    return count(size, 2, start, what);
  }

  /** Reads the head of an array; its elements follow. Returns their number. */
  int arraySize(String what) {
    long start = position;
    int head = u8(what);
    long size =
        switch (head) {
          case 0xdc -> bytes(2, what);
          case 0xdd -> bytes(4, what);
          default -> fixed(head, 0x90, 0x9f, start, what, "an array");
        };
    return count(size, 1, start, what);
  }

  /** Reads a string. */
  String text(String what) {
    long start = position;
    int size = textSize(LONGEST_TEXT, what);
    String text = texts.text(start, position, size, what);
    position += size;
    return text;
  }

  /** Reads a string that is likely to come again; equal ones are mostly the same object. */
  String word(String what) {
    return word(LONGEST_TEXT, what);
  }

  private String word(int longest, String what) {
    long start = position;
    int size = textSize(longest, what);
    String word = texts.word(start, position, size, what);
    position += size;
    return word;
  }

  /** Reads the head of a string; its bytes follow. Returns their number. */
  private int textSize(int longest, String what) {
    long start = position;
    int head = u8(what);
    long size =
        switch (head) {
          case 0xd9 -> bytes(1, what);
          case 0xda -> bytes(2, what);
          case 0xdb -> bytes(4, what);
          default -> fixed(head, 0xa0, 0xbf, start, what, "a string");
        };
    int length = count(size, 1, start, what);
    if (length > longest) {
      throw new MalformedCodeObjectException(
          start, "%s must have at most %d bytes, has %d", what, longest, length);
    }
    return length;
  }

  /**
   * Reads the head of a map and then each key; {@code value} reads or skips what belongs to it.
   *
   * @throws MalformedCodeObjectException if a key comes twice, so that its value is in doubt, or
   *     there are more keys than any map of metadata has
   */
  void map(String what, KeyVisitor value) {
    long at = position;
    int size = mapSize(what);
    if (size > MOST_KEYS) {
      throw new MalformedCodeObjectException(
          at, "%s must have at most %d keys, has %d", what, MOST_KEYS, size);
    }
    image.take(at, ARRAY_MEMORY + (long) Integer.BYTES * size, what);
    String[] keys = new String[size];
    for (int i = 0; i < size; i++) {
      long start = position;
      keys[i] = word(LONGEST_KEY, KEY);
      requireNew(keys, i, start, what);
      value.visit(keys[i]);
    }
  }

  private static void requireNew(String[] keys, int last, long start, String what) {
    int hash = keys[last].hashCode();
    for (int i = 0; i < last; i++) {
      // Strings keep their hash, and few of one hash come without taking memory, which ends it.
      if (keys[i].hashCode() == hash && keys[i].equals(keys[last])) {
        throw new MalformedCodeObjectException(
            start, "%s must have each key once, repeats %s", what, Quoted.of(keys[last]));
      }
    }
  }

  /** Reads the value that belongs to a key of a map. */
  interface KeyVisitor {
    void visit(String key);
  }

  /** Reads an integer from 0 to {@link Integer#MAX_VALUE}. */
  int number(String what) {
    long start = position;
    int head = u8(what);
    long value =
        switch (head) {
          case 0xcc -> bytes(1, what);
          case 0xcd -> bytes(2, what);
          case 0xce -> bytes(4, what);
          case 0xcf, 0xd3 -> bytes(8, what);
          case 0xd0 -> (byte) bytes(1, what);
          case 0xd1 -> (short) bytes(2, what);
          case 0xd2 -> (int) bytes(4, what);
          default -> head >= 0xe0 ? (byte) head : fixed(head, 0x00, 0x7f, start, what, "a number");
        };
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new MalformedCodeObjectException(
          start,
          "%s must be 0 to %d, is %s",
          what,
          Integer.MAX_VALUE,
          head == 0xcf ? Long.toUnsignedString(value) : Long.toString(value));
    }
    return (int) value;
  }

  /** Reads a boolean; some compilers write 0 and 1. */
  boolean flag(String what) {
    long start = position;
    int head = u8(what);
    if (head == TRUE || head == 1) {
      return true;
    }
    if (head == FALSE || head == 0) {
      return false;
    }
    throw new MalformedCodeObjectException(start, what + " must be true or false");
  }

  /** Passes over one value of any kind with everything in it. */
  void skip(String what) {
    for (long values = 1; values > 0; values--) {
      values += skipHead(what);
    }
  }

  /** Passes over a value but for those that it contains; returns how many those are. */
  private long skipHead(String what) {
    long start = position;
    int head = u8(what);
    if (head <= 0x7f || head >= 0xe0 || head == NIL || head == FALSE || head == TRUE) {
      return 0;
    }
    if (head <= 0x8f) {
      return 2L * count(head & 0xf, 2, start, what);
    }
    if (head <= 0x9f) {
      return count(head & 0xf, 1, start, what);
    }
    if (head <= 0xbf) {
      return pass(head & 0x1f, start, what);
    }
    return switch (head) {
      case 0xc4, 0xd9 -> pass(bytes(1, what), start, what);
      case 0xc5, 0xda -> pass(bytes(2, what), start, what);
      case 0xc6, 0xdb -> pass(bytes(4, what), start, what);
      case 0xc7 -> pass(bytes(1, what) + 1, start, what);
      case 0xc8 -> pass(bytes(2, what) + 1, start, what);
      case 0xc9 -> pass(bytes(4, what) + 1, start, what);
      case 0xcc, 0xd0 -> pass(1, start, what);
      case 0xcd, 0xd1, 0xd4 -> pass(2, start, what);
      case 0xd5 -> pass(3, start, what);
      case 0xca, 0xce, 0xd2 -> pass(4, start, what);
      case 0xd6 -> pass(5, start, what);
      case 0xcb, 0xcf, 0xd3 -> pass(8, start, what);
      case 0xd7 -> pass(9, start, what);
      case 0xd8 -> pass(17, start, what);
      case 0xdc -> count(bytes(2, what), 1, start, what);
      case 0xdd -> count(bytes(4, what), 1, start, what);
      case 0xde -> 2L * count(bytes(2, what), 2, start, what);
      case 0xdf -> 2L * count(bytes(4, what), 2, start, what);
      default ->
          throw new MalformedCodeObjectException(
              start, "%s must be a MessagePack value, begins with 0x%02x", what, head);
    };
  }

  private long pass(long size, long start, String what) {
    position += count(size, 1, start, what);
    return 0;
  }

  /** Returns how many there are if that many, each of at least some bytes, can be left. */
  private int count(long count, int leastSize, long start, String what) {
    if (count > (end - position) / leastSize) {
      throw new MalformedCodeObjectException(
          start,
          "%s must fit into the %d bytes that are left, says to have %d",
          what,
          end - position,
          count);
    }
    return (int) count;
  }

  private static int fixed(int head, int first, int last, long start, String what, String kind) {
    if (head < first || head > last) {
      throw new MalformedCodeObjectException(
          start, "%s must be %s, begins with 0x%02x", what, kind, head);
    }
    return head - first;
  }

  private int u8(String what) {
    return (int) bytes(1, what);
  }

  private long bytes(int size, String what) {
    if (size > end - position) {
      throw new MalformedCodeObjectException(position, what + " must not end here");
    }
    long value = 0;
    for (int i = 0; i < size; i++) {
      value = value << 8 | image.u8(position++, what);
    }
    return value;
  }
}
