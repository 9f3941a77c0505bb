// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;

/**
 * A form of a compressed bundle, written by the format's own description.
 *
 * @param version 1 to 3
 * @param method 0 for zlib, 1 for zstd
 */
record Compression(int version, int method) {
  static final List<Compression> ALL =
      IntStream.rangeClosed(1, 3)
          .boxed()
          .flatMap(version -> Stream.of(new Compression(version, 0), new Compression(version, 1)))
          .toList();

  /** The fastest, for the fuzz test's sake. */
  private static final int ZSTD_LEVEL = 1;

  int headerSize() {
    return switch (version) {
      case 1 -> 20;
      case 2 -> 24;
      default -> 32;
    };
  }

  byte[] compress(byte[] bundle) {
    byte[] compressed = method == 0 ? deflate(bundle) : Zstd.compress(bundle, ZSTD_LEVEL);
    return wrap(compressed, bundle.length, hash(bundle));
  }

  /** Returns a header and {@code compressed}, whatever that is. */
  byte[] wrap(byte[] compressed, long size, long hash) {
    int fileSize = headerSize() + compressed.length;
    ByteBuffer image = ByteBuffer.allocate(fileSize).order(ByteOrder.LITTLE_ENDIAN);
    image.put("CCOB".getBytes(ISO_8859_1)).putShort((short) version).putShort((short) method);
    switch (version) {
      case 1 -> image.putInt((int) size);
      case 2 -> image.putInt(fileSize).putInt((int) size);
      default -> image.putLong(fileSize).putLong(size);
    }
    return image.putLong(hash).put(compressed).array();
  }

  static long hash(byte[] bundle) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("MD5").digest(bundle))
          .order(ByteOrder.LITTLE_ENDIAN)
          .getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  static byte[] deflate(byte[] bytes) {
    ByteArrayOutputStream deflated = new ByteArrayOutputStream();
    try (OutputStream out = new DeflaterOutputStream(deflated)) {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return deflated.toByteArray();
  }

  @Override
  public String toString() {
    return "version " + version + (method == 0 ? ", zlib" : ", zstd");
  }
}
