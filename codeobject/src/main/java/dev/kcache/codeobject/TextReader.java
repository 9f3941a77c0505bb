// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes strings of the UTF-8 in an untrusted image, and counts what they take as the {@linkplain
 * ImageReader#take image's memory}.
 *
 * <p>Short words are kept: a note repeats some dozens of keys, value kinds and address spaces for
 * every argument of every kernel, and they would else be most of what reading it takes. Only the
 * first words are kept, so neither many words nor words of one hash make this large or slow.
 */
final class TextReader {
  /** What a string takes beside its characters. */
  private static final int STRING_MEMORY = 48;

  /**
   * What decoding takes for each byte of a text that is not ASCII: two tries at the characters, the
   * string, and its bytes once more to compare.
   */
  private static final int DECODING_MEMORY = 12;

  /** More bytes than any name that LLVM's documentation has for a key or a value. */
  private static final int LONGEST_WORD = 64;

  /** A few times what there is to keep. */
  private static final int MOST_WORDS = 256;

  /** What a kept word takes beside the string and its bytes. */
  private static final int WORD_MEMORY = 136;

  private final ImageReader image;

  /** The words that were read, by their bytes; the first ones stay. */
  private final Map<ByteBuffer, String> words = new HashMap<>();

  /** The bytes of the text that is being read. */
  private ByteBuffer encoded = ByteBuffer.allocate(256);

  TextReader(ImageReader image) {
    this.image = image;
  }

  /**
   * Returns the text of {@code size} bytes at {@code offset}.
   *
   * @param field the offset of what to blame
   */
  String text(long field, long offset, int size, String what) {
    fetch(field, offset, size, what);
    return decode(field, what);
  }

  /** Returns a text that is likely to come again; equal ones are mostly the same object. */
  String word(long field, long offset, int size, String what) {
    fetch(field, offset, size, what);
    @Nullable String kept = size > LONGEST_WORD ? null : words.get(encoded);
    if (kept != null) {
      return kept;
    }
    String word = decode(field, what);
    if (size <= LONGEST_WORD && words.size() < MOST_WORDS) {
      image.take(field, WORD_MEMORY + (long) size, what);
      words.put(ByteBuffer.wrap(Arrays.copyOf(encoded.array(), size)), word);
    }
    return word;
  }

  private void fetch(long field, long offset, int size, String what) {
    if (size > encoded.capacity()) {
      int grown = 2 * Integer.highestOneBit(size);
      image.take(field, STRING_MEMORY + grown, what);
      encoded = ByteBuffer.allocate(grown);
    }
    image.copy(offset, encoded.array(), size, what);
    encoded.limit(size);
  }

  private String decode(long field, String what) {
    int size = encoded.limit();
    long characters = isAscii() ? size : DECODING_MEMORY * (long) size;
    image.take(field, STRING_MEMORY + characters, what);
    String text = new String(encoded.array(), 0, size, UTF_8);
    // Decoding puts this character where the bytes are wrong; it may also just be there.
    if (text.indexOf('\ufffd') >= 0) {
      byte[] again = text.getBytes(UTF_8);
      if (!ByteBuffer.wrap(again).equals(encoded)) {
        throw new MalformedCodeObjectException(field, what + " must be UTF-8");
      }
    }
    return text;
  }

  private boolean isAscii() {
    for (int i = 0; i < encoded.limit(); i++) {
      if (encoded.get(i) < 0) {
        return false;
      }
    }
    return true;
  }
}
