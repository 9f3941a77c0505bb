// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.InflaterInputStream;

/** Compressed bundles whose sizes and hash were put right, so that the bytes behind them count. */
final class Resealed {
  private static final int MOST = 1 << 16;

  private Resealed() {}

  /** Returns {@code image} with a header that fits, if it has bytes that can be uncompressed. */
  static Optional<byte[]> of(byte[] image) {
    if (image.length < 32
        || !ImageFormat.COMPRESSED_BUNDLE.begins(new ImageReader(ByteBuffer.wrap(image)))) {
      return Optional.empty();
    }
    ByteBuffer header = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    Compression form = new Compression(header.getShort(4) & 3, header.getShort(6) & 1);
    if (form.version() == 0) {
      return Optional.empty();
    }
    byte[] compressed = Arrays.copyOfRange(image, form.headerSize(), image.length);
    return uncompressed(form, compressed)
        .map(bytes -> form.wrap(compressed, bytes.length, Compression.hash(bytes)));
  }

  private static Optional<byte[]> uncompressed(Compression form, byte[] compressed) {
    try {
      byte[] bytes =
          form.method() == 0
              ? new InflaterInputStream(new ByteArrayInputStream(compressed)).readNBytes(MOST)
              : Zstd.decompress(compressed, MOST);
      return Optional.of(bytes);
    } catch (IOException | ZstdException e) {
      return Optional.empty();
    }
  }
}
