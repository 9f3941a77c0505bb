// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.util.Native;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Unpacks the compressed form of an offload bundle, as {@code --offload-compress} makes it. Every
 * field of the header is checked, the hash included, which clang only prints.
 *
 * <p>Layout, little-endian: {@code CCOB}, 16-bit version and method, then by version the sizes of
 * the whole bundle (not in version 1) and of the uncompressed one, 32 bits each (64 in version 3),
 * and 64 bits of hash; see <a
 * href="https://clang.llvm.org/docs/ClangOffloadBundler.html#compression-and-decompression">clang's
 * bundler</a>. As there and in the runtime, the size says where the bundle ends; zeros may follow,
 * which is how a section is padded.
 *
 * <p>A claimed size is believed, and memory taken for it, only if it is at most {@link #MOST_BYTES}
 * and the compressed bytes could give as much.
 */
final class CompressedBundle {
  /**
   * The largest bundle that is unpacked, in bytes: no image may make us take a larger array. That
   * is less than 64 MB to leave something for looking into it.
   */
  static final int MOST_BYTES = 48_000_000;

  /** The magic and the count of an uncompressed bundle. */
  private static final int FEWEST_BYTES = 32;

  private static final int VERSION = 4;
  private static final int METHOD = 6;
  private static final int SIZES = 8;

  private static final int ZLIB = 0;
  private static final int ZSTD = 1;

  /** The most that deflate makes of one byte, by zlib's technical details. */
  private static final long ZLIB_RATIO = 1032;

  /** The smallest block and the most that one gives, by RFC 8878, section 3.1.1.2. */
  private static final int ZSTD_BLOCK_HEADER = 3;

  private static final long ZSTD_BLOCK = 128 << 10;

  /** The content size of a frame that does not state it. */
  private static final long ZSTD_SIZE_UNKNOWN = -1;

  private final byte[] image;
  private final int method;
  private final int sizeField;
  private final int hashField;
  private final int start;
  private final int end;
  private final int size;
  private final long hash;

  private CompressedBundle(byte[] bytes) {
    image = bytes;
    ImageReader reader = new ImageReader(ByteBuffer.wrap(bytes));
    int version = reader.u16(VERSION, "the version");
    if (version < 1 || version > 3) {
      throw new MalformedCodeObjectException(
          VERSION, "the version of a compressed bundle must be 1 to 3, is " + version);
    }
    method = reader.u16(METHOD, "the compression method");
    if (method != ZLIB && method != ZSTD) {
      throw new MalformedCodeObjectException(
          METHOD, "the compression method must be 0 (zlib) or 1 (zstd), is " + method);
    }
    int width = version == 3 ? Long.BYTES : Integer.BYTES;
    sizeField = version == 1 ? SIZES : SIZES + width;
    hashField = sizeField + width;
    start = hashField + Long.BYTES;
    reader.requireInside(0, 0, start, "the header of a compressed bundle");
    end = version == 1 ? bytes.length : end(reader, number(reader, SIZES, width));
    size = size(number(reader, sizeField, width));
    hash = reader.u64(hashField, "the hash");
  }

  /**
   * Returns the uncompressed bytes of a compressed bundle, in an array of their own; what they are
   * is not looked at.
   *
   * @throws MalformedCodeObjectException if the header and the compressed bytes contradict
   *     themselves or each other
   * @throws ZstandardUnavailableException if zstd is needed and can't be had
   */
  static byte[] unpack(byte[] image) {
    CompressedBundle bundle = new CompressedBundle(image);
    byte[] bytes = bundle.method == ZLIB ? bundle.inflate() : bundle.decompressZstd();
    bundle.checkHash(bytes);
    return bytes;
  }

  /** Returns the memory that reading an unpacked bundle may take, beside its own bytes. */
  static long memoryBeside(byte[] unpacked) {
    long all = ImageReader.MOST_MEMORY + ImageReader.MOST_COPIED_UNCHECKED;
    return Math.min(ImageReader.MOST_MEMORY, all - unpacked.length);
  }

  private static long number(ImageReader reader, int field, int width) {
    String what = "a size";
    return width == Long.BYTES ? reader.u64(field, what) : reader.u32(field, what);
  }

  private int end(ImageReader reader, long fileSize) {
    reader.requireInside(SIZES, 0, fileSize, "the compressed bundle");
    if (fileSize < start) {
      throw new MalformedCodeObjectException(
          SIZES, "the size must be at least its header's %d, is %d", start, fileSize);
    }
    for (int i = (int) fileSize; i < image.length; i++) {
      if (image[i] != 0) {
        throw new MalformedCodeObjectException(
            i, "nothing but zeros may follow a compressed bundle of %d bytes", fileSize);
      }
    }
    return (int) fileSize;
  }

  private int size(long claim) {
    if (claim < FEWEST_BYTES || claim > MOST_BYTES) {
      throw wrongSize("%d to %d".formatted(FEWEST_BYTES, MOST_BYTES), claim);
    }
    long compressed = (long) end - start;
    long most =
        method == ZLIB ? compressed * ZLIB_RATIO : compressed / ZSTD_BLOCK_HEADER * ZSTD_BLOCK;
    if (claim > most) {
      throw wrongSize("at most %d, for %d compressed bytes".formatted(most, compressed), claim);
    }
    return (int) claim;
  }

  private byte[] inflate() {
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(image, start, end - start);
      byte[] bytes = new byte[size];
      int filled = 0;
      for (int n = -1; n != 0 && filled < size; filled += n) {
        n = inflater.inflate(bytes, filled, size - filled);
      }
      // The end of the stream may still be to come, and so may a byte too many.
      if (filled < size || inflater.inflate(new byte[1]) != 0 || !inflater.finished()) {
        throw wrongSize("what the compressed bytes give", size);
      }
      requireEnd(end - inflater.getRemaining());
      return bytes;
    } catch (DataFormatException e) {
      throw new MalformedCodeObjectException(
          start + inflater.getBytesRead(),
          "the compressed bytes must be zlib's: " + e.getMessage());
    } finally {
      inflater.end();
    }
  }

  private byte[] decompressZstd() {
    loadZstd();
    int length = end - start;
    try {
      requireEnd(start + Zstd.findFrameCompressedSize(image, start, length));
      long stated = Zstd.getFrameContentSize(image, start, length);
      if (stated != ZSTD_SIZE_UNKNOWN && stated != size) {
        throw wrongSize(Long.toUnsignedString(stated) + ", as zstd's own header says", size);
      }
      byte[] bytes = new byte[size];
      if (Zstd.decompressByteArray(bytes, 0, size, image, start, length) != size) {
        throw wrongSize("what the compressed bytes give", size);
      }
      return bytes;
    } catch (ZstdException e) {
      throw new MalformedCodeObjectException(
          start, "the compressed bytes must be one frame of zstd's: " + e.getMessage());
    }
  }

  /**
   * Loads the native part of zstd's library, which most programs never need: it is unpacked into a
   * temporary directory, which may be impossible. The next call tries again then.
   */
  private static void loadZstd() {
    try {
      Native.load();
    } catch (LinkageError e) {
      throw new ZstandardUnavailableException(e);
    }
  }

  private void requireEnd(long streamEnd) {
    if (streamEnd != end) {
      throw new MalformedCodeObjectException(
          streamEnd, "the compressed bytes must end with the bundle, at " + end);
    }
  }

  private void checkHash(byte[] bytes) {
    long actual = hash(bytes);
    if (actual != hash) {
      throw new MalformedCodeObjectException(
          hashField,
          "the hash must be %016x, that of the uncompressed bytes, is %016x",
          actual,
          hash);
    }
  }

  /** Returns the first half of the MD5, which is no protection, only a checksum. */
  private static long hash(byte[] bytes) {
    try {
      byte[] md5 = MessageDigest.getInstance("MD5").digest(bytes);
      return ByteBuffer.wrap(Arrays.copyOf(md5, Long.BYTES))
          .order(ByteOrder.LITTLE_ENDIAN)
          .getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has MD5", e);
    }
  }

  private MalformedCodeObjectException wrongSize(String expected, long claim) {
    return new MalformedCodeObjectException(
        sizeField,
        "the uncompressed size must be %s, is %s",
        expected,
        Long.toUnsignedString(claim));
  }
}
