// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import org.jspecify.annotations.Nullable;

/**
 * The short texts of one document that come again and again, each kept once: a note repeats some
 * dozens of keys, value kinds and address spaces for every argument of every kernel, and they would
 * else be most of what reading it takes.
 *
 * <p>A text that finds no free place near its own is not kept, and none is ever given up for
 * another. So neither many texts nor texts of one hash make this large or slow.
 */
final class RepeatedTexts {
  /** More bytes than any name that LLVM's documentation has for a key or a value. */
  static final int LONGEST = 64;

  /** A power of two, and a few times what there is to keep. */
  private static final int PLACES = 256;

  private static final int NEAR = 8;

  private final @Nullable String[] places = new @Nullable String[PLACES];

  /** Returns the kept text that the first {@code size} bytes encode, if it is kept. */
  @Nullable String find(byte[] encoded, int size) {
    int hash = 0;
    for (int i = 0; i < size; i++) {
      hash = 31 * hash + encoded[i];
    }
    int place = place(hash);
    for (int i = 0; i < NEAR; i++) {
      String kept = places[(place + i) % PLACES];
      if (kept == null || isEncoded(kept, encoded, size)) {
        return kept;
      }
    }
    return null;
  }

  /** Keeps a text if there is room; only ASCII is ever found again. */
  void keep(String text) {
    int place = place(text.hashCode());
    for (int i = 0; i < NEAR; i++) {
      if (places[(place + i) % PLACES] == null) {
        places[(place + i) % PLACES] = text;
        return;
      }
    }
  }

  private static int place(int hash) {
    return (hash ^ hash >>> 16) & (PLACES - 1);
  }

  /** A byte of anything but ASCII is negative, and no character is. */
  private static boolean isEncoded(String text, byte[] encoded, int size) {
    if (text.length() != size) {
      return false;
    }
    for (int i = 0; i < size; i++) {
      if (text.charAt(i) != encoded[i]) {
        return false;
      }
    }
    return true;
  }
}
