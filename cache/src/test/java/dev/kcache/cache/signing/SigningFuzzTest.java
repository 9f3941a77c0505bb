// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import static dev.kcache.toolchain.standin.Invariants.require;
import static dev.kcache.toolchain.standin.Invariants.requireMessage;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.util.Arrays;
import java.util.List;

/**
 * Any bytes are what the readers of signatures, keys and revocations take, or refused; see {@code
 * scripts/fuzz signing}.
 */
class SigningFuzzTest {
  private static final Path FILE = Path.of("file");

  @DictionaryEntries({
    "ed25519 0123456789abcdef ",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
    "-----BEGIN PUBLIC KEY-----",
    "-----END PUBLIC KEY-----",
    "MCowBQYDK2VwAyEA",
    "{\"schema\":\"kcache.revocations/1\",\"serial\":",
    "\"entries\":[{\"code\":\"",
    "\"reason\":\"",
    "\"time\":"
  })
  @FuzzTest
  void read(byte[] bytes) throws IOException {
    List<SignatureText.Line> lines = SignatureText.parse(bytes);
    require(lines.size() <= SignatureText.MAX_LINES, "few lines");
    for (SignatureText.Line line : lines) {
      require(line.signature().length == 64, "a whole signature");
    }
    TrustedKey other = TrustedKey.of(Holder.KEY, FILE);
    require(!SignatureText.verifies(bytes, bytes, List.of(other)), "nobody has signed that");
    readKeys(bytes);
    readRevocations(bytes);
  }

  /** Made once: that takes a while. */
  private static final class Holder {
    private static final PublicKey KEY = make();

    private static PublicKey make() {
      try {
        return KeyPairGenerator.getInstance(TrustedKey.ALGORITHM).generateKeyPair().getPublic();
      } catch (GeneralSecurityException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void readKeys(byte[] bytes) {
    try {
      for (PemText.Block block : PemText.parse(bytes)) {
        byte[] again = PemText.encode(block.label(), block.bytes()).getBytes(ISO_8859_1);
        require(
            Arrays.equals(PemText.parse(again).get(0).bytes(), block.bytes()), "the same block");
        var unused = TrustedKey.parse(block.bytes(), FILE);
      }
    } catch (IllegalArgumentException | KeyFileException e) {
      requireMessage(e);
    }
  }

  private static void readRevocations(byte[] bytes) throws IOException {
    try {
      RevocationCodec.Parts parts = RevocationCodec.parts(bytes);
      require(
          Arrays.equals(RevocationCodec.join(parts.signature(), parts.list()), bytes),
          "the two parts are the file");
    } catch (IOException e) {
      requireMessage(e);
    }
    RevocationList list;
    try {
      list = RevocationCodec.parse(bytes);
    } catch (IOException e) {
      requireMessage(e);
      return;
    }
    require(list.serial() > 0, "a serial");
    RevocationList again = RevocationCodec.parse(RevocationCodec.encode(list));
    require(again.entries().equals(list.entries()), "the same entries");
  }
}
