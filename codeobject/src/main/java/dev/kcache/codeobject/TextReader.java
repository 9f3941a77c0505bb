// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes strings of the UTF-8 in an untrusted image, and counts what they take as the {@linkplain
 * ImageReader#take image's memory}.
 */
final class TextReader {
  /** What a string takes beside its characters. */
  private static final int STRING_MEMORY = 48;

  /**
   * What decoding takes for each byte of a text that is not ASCII: two tries at the characters, the
   * string, and its bytes once more to compare.
   */
  private static final int DECODING_MEMORY = 12;

  private final ImageReader image;
  private final RepeatedTexts repeated = new RepeatedTexts();

  /** The bytes of the text that is being read. */
  private byte[] encoded = new byte[256];

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
    return decode(field, size, what);
  }

  /** Returns a text that is likely to come again; equal ones are mostly the same object. */
  String word(long field, long offset, int size, String what) {
    if (size > RepeatedTexts.LONGEST) {
      return text(field, offset, size, what);
    }
    fetch(field, offset, size, what);
    @Nullable String kept = repeated.find(encoded, size);
    if (kept != null) {
      return kept;
    }
    String word = decode(field, size, what);
    repeated.keep(word);
    return word;
  }

  private void fetch(long field, long offset, int size, String what) {
    if (size > encoded.length) {
      int grown = 2 * Integer.highestOneBit(size);
      image.take(field, STRING_MEMORY + grown, what);
      encoded = new byte[grown];
    }
    image.copy(offset, encoded, size, what);
  }

  private String decode(long field, int size, String what) {
    long characters = isAscii(size) ? size : DECODING_MEMORY * (long) size;
    image.take(field, STRING_MEMORY + characters, what);
    String text = new String(encoded, 0, size, UTF_8);
    // Decoding puts this character where the bytes are wrong; it may also just be there.
    if (text.indexOf('\ufffd') >= 0) {
      byte[] again = text.getBytes(UTF_8);
      if (!Arrays.equals(again, 0, again.length, encoded, 0, size)) {
        throw new MalformedCodeObjectException(field, what + " must be UTF-8");
      }
    }
    return text;
  }

  private boolean isAscii(int size) {
    for (int i = 0; i < size; i++) {
      if (encoded[i] < 0) {
        return false;
      }
    }
    return true;
  }
}
