// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.kcache.reapi.proto.Digest;
import java.util.regex.Pattern;

/**
 * Bytes, and the digest by which a server has them.
 *
 * @param digest of {@code data}
 */
record Blob(Digest digest, ByteString data) {
  static final Blob EMPTY = of(ByteString.EMPTY);

  private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

  static Blob of(ByteString data) {
    Digest digest = Digest.newBuilder().setHash(sha256(data)).setSizeBytes(data.size()).build();
    return new Blob(digest, data);
  }

  /** Returns the canonical bytes of a message: without maps and unknown fields, these are all. */
  static Blob of(MessageLite message) {
    return of(message.toByteString());
  }

  /** Returns whether a server may mean a blob by it. */
  static boolean isDigest(Digest digest) {
    return SHA256.matcher(digest.getHash()).matches() && digest.getSizeBytes() >= 0;
  }

  /** Returns whether these bytes are those of a digest. */
  static boolean matches(Digest digest, ByteString data) {
    return data.size() == digest.getSizeBytes() && sha256(data).equals(digest.getHash());
  }

  private static String sha256(ByteString data) {
    return dev.kcache.codeobject.Digest.of(data.asReadOnlyByteBuffer()).toString();
  }
}
