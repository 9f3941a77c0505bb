// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.util.Native;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The zstd library, and the only class that knows it. Its native part is loaded when a bundle first
 * needs it, since most programs never meet one: it is unpacked into a temporary directory, which
 * may be impossible.
 */
final class Zstandard {
  /** The content size of a frame that does not state it. */
  static final long UNKNOWN = -1;

  private Zstandard() {}

  /** Thrown when bytes are not zstd's. */
  static final class DamagedException extends Exception {
    private static final long serialVersionUID = 1L;

    private DamagedException(@Nullable String message) {
      super(message);
    }
  }

  /**
   * Returns the library.
   *
   * @throws ZstandardUnavailableException if its native part can't be loaded; the next call tries
   *     again
   */
  static Zstandard load() {
    try {
      Native.load();
      return new Zstandard();
    } catch (LinkageError e) {
      throw new ZstandardUnavailableException(e);
    }
  }

  /** Returns the size of the frame at {@code start}, which may be below {@code length}. */
  long frameSize(byte[] bytes, int start, int length) throws DamagedException {
    return checked(() -> Zstd.findFrameCompressedSize(bytes, start, length));
  }

  /** Returns the size that a sound frame says that it unpacks to, or {@link #UNKNOWN}. */
  long contentSize(byte[] bytes, int start, int length) {
    return Zstd.getFrameContentSize(bytes, start, length);
  }

  /** Fills {@code target} from the frame at {@code start} and returns how much it gave. */
  long decompress(byte[] target, byte[] bytes, int start, int length) throws DamagedException {
    return checked(() -> Zstd.decompressByteArray(target, 0, target.length, bytes, start, length));
  }

  private static long checked(LongSupplier function) throws DamagedException {
    try {
      return function.getAsLong();
    } catch (ZstdException e) {
      throw new DamagedException(e.getMessage());
    }
  }
}
