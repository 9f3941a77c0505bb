// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/**
 * A variable or a parameter that PTX declares.
 *
 * @param at where its name is, or was expected
 * @param alignment what its address is a multiple of, in bytes
 * @param size in bytes; 0 for an array of unknown size
 */
record PtxVariable(long at, int alignment, int size) {
  /** Returns the size of a type, in bytes; 0 for what is no type of a variable. */
  private static int sizeOf(String type) {
    return switch (type) {
      case ".b8", ".u8", ".s8" -> 1;
      case ".b16", ".u16", ".s16", ".f16", ".bf16" -> 2;
      case ".b32", ".u32", ".s32", ".f32", ".f16x2", ".bf16x2" -> 4;
      case ".b64", ".u64", ".s64", ".f64" -> 8;
      case ".b128" -> 16;
      case ".texref", ".samplerref", ".surfref" -> 8; // handles
      default -> 0;
    };
  }

  /**
   * Reads a declaration from after its state space to after its name and dimensions; the token
   * behind it is the current one then.
   */
  static PtxVariable read(PtxTokens in) {
    int alignment = 0;
    int size = 0;
    int elements = 1;
    boolean isPointer = false;
    for (in.require("a type"); in.isDirective(); in.require("a name")) {
      String word = in.repeatedWord("a type");
      switch (word) {
        case ".align" -> {
          int stated = alignment(in);
          // Behind .ptr it is the alignment of the pointer's target.
          alignment = isPointer ? alignment : stated;
        }
        case ".ptr" -> isPointer = true;
        case ".v2" -> elements = 2;
        case ".v4" -> elements = 4;
        case ".const", ".global", ".local", ".shared" -> {
          // What a pointer points into.
        }
        default -> {
          size = sizeOf(word);
          if (size == 0) {
            throw in.malformed("a type must be one known here, is " + Quoted.of(word));
          }
        }
      }
    }
    if (size == 0 || !in.isWord()) {
      throw in.malformed("a variable must have a type and a name");
    }
    int element = size * elements;
    return dimensioned(in, alignment == 0 ? element : alignment, element);
  }

  private static int alignment(PtxTokens in) {
    in.require("an alignment");
    int alignment = in.number("an alignment");
    if (Integer.bitCount(alignment) != 1 || alignment > 1 << 20) {
      throw in.malformed("an alignment must be a power of two up to 2^20, is " + alignment);
    }
    return alignment;
  }

  private static PtxVariable dimensioned(PtxTokens in, int alignment, long element) {
    long at = in.start();
    long size = element;
    in.require("what follows a name");
    while (in.is('[')) {
      in.require("a size");
      if (in.is(']')) {
        size = 0;
      } else {
        size *= in.number("a size");
        in.require(']');
      }
      if (size > Integer.MAX_VALUE) {
        throw in.malformed("a variable must have at most 2^31-1 bytes, has " + size);
      }
      in.require("what follows a size");
    }
    return new PtxVariable(at, alignment, (int) size);
  }

  /** Returns where this is placed, in bytes, if {@code end} is where what is before it ends. */
  int placedAfter(int end) {
    long offset = ((long) end + alignment - 1) / alignment * alignment;
    if (offset + size > Integer.MAX_VALUE) {
      throw new MalformedCodeObjectException(
          at, "all variables together must have at most 2^31-1 bytes");
    }
    return (int) offset;
  }
}
