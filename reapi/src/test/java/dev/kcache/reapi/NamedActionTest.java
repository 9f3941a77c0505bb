// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.kcache.reapi.proto.Digest;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Against bytes and digests that a script made from the rules of the wire format alone. */
class NamedActionTest {
  private static final String EMPTY =
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

  @Test
  void action_hasTheCanonicalBytes() {
    NamedAction a = NamedAction.of("a");
    assertThat(hex(a.command().data())).isEqualTo("0a066b63616368650a0161");
    String command = "8789328f8424396186d066082bcd248e78b0b7829b2a590ccc64f995b7bfb1f3";
    assertThat(a.command().digest()).isEqualTo(digest(command, 11));
    assertThat(hex(a.action().data()))
        .isEqualTo("0a440a40" + ascii(command) + "100b" + "12420a40" + ascii(EMPTY));
    assertThat(a.action().digest())
        .isEqualTo(digest("f2f0330af7c84310b220e0e36628ced170fccaac5c8cf738c2a2ab5e4b6d5c68", 138));
  }

  @Test
  void name_decidesTheDigest() {
    assertThat(NamedAction.of("gfx90a/" + "0".repeat(64) + "/any").action().digest())
        .isEqualTo(digest("725b4b30d8f16aa3aff20cbf41d431c36e4caec91634bd8d3cd539b6e789efe9", 138));
  }

  @Test
  void emptyDirectory_isTheEmptyBlob() {
    assertThat(Blob.EMPTY.digest()).isEqualTo(digest(EMPTY, 0));
  }

  private static Digest digest(String hash, int size) {
    return Digest.newBuilder().setHash(hash).setSizeBytes(size).build();
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  private static String ascii(String text) {
    return hex(ByteString.copyFromUtf8(text));
  }
}
