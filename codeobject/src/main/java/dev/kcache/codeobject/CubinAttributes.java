// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/**
 * Reads the attributes in the sections {@code .nv.info} of a cubin: each has a byte that tells its
 * form, one that tells what it is, and two bytes of value or the size of the value that follows.
 * Attributes that are not known here are passed over by their form: toolkits add some now and then.
 */
final class CubinAttributes {
  /** What may be launched at most: three numbers. */
  static final int MAX_THREADS = 0x05;

  /** Where the arguments are: a symbol, and the offset and the size in a constant bank. */
  static final int PARAM_CBANK = 0x0a;

  /** The only block dims: three numbers. */
  static final int REQNTID = 0x10;

  /** Of a symbol, the bytes of its stack frame. */
  static final int FRAME_SIZE = 0x11;

  /** An argument: its place among the others, its offset and its size. */
  static final int KPARAM_INFO = 0x17;

  /** The size of all arguments. */
  static final int CBANK_PARAM_SIZE = 0x19;

  /** Of a symbol, the registers of each thread. */
  static final int REGCOUNT = 0x2f;

  /** An argument that is too large for the older form. */
  static final int KPARAM_INFO_V2 = 0x45;

  private static final int NO_VALUE = 1;
  private static final int BYTE_VALUE = 2;
  private static final int SHORT_VALUE = 3;
  private static final int SIZED_VALUE = 4;

  private CubinAttributes() {}

  /** Receives attributes, in order. */
  interface Visitor {
    /**
     * Receives an attribute.
     *
     * @param value where its value is
     * @param size the size of the value in bytes
     */
    void visit(int attribute, long value, int size);
  }

  /** Shows the attributes of a section, in order. */
  static void read(ImageReader elf, ElfSection section, Visitor visitor) {
    long end = section.offset() + section.size();
    for (long at = section.offset(); at < end; ) {
      int form = elf.u8(at, "an attribute");
      int attribute = elf.u8(at + 1, "an attribute");
      int size =
          switch (form) {
            case NO_VALUE -> 0;
            case BYTE_VALUE -> 1;
            case SHORT_VALUE -> 2;
            case SIZED_VALUE -> elf.u16(at + 2, "an attribute's size");
            default ->
                throw new MalformedCodeObjectException(
                    at, "an attribute's form must be 1 to 4, is " + form);
          };
      long value = form == SIZED_VALUE ? at + 4 : at + 2;
      long next = form == SIZED_VALUE ? value + size : at + 4;
      if (next > end) {
        throw new MalformedCodeObjectException(
            at, "an attribute must lie inside its section, which ends at " + end);
      }
      visitor.visit(attribute, value, size);
      at = next;
    }
  }

  /** Refuses an attribute whose value has another size than it should have. */
  static void requireSize(long value, int size, int expected) {
    if (size != expected) {
      throw new MalformedCodeObjectException(
          value, "an attribute's value must have %d bytes, has %d", expected, size);
    }
  }
}
