// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;

/**
 * A public key that a file holds.
 *
 * @param id the first 16 digits of the SHA-256 of its X.509 bytes
 * @param key checks signatures
 * @param file where it is
 */
public record TrustedKey(String id, PublicKey key, Path file) {
  static final String ALGORITHM = "Ed25519";

  /** Far more than any team has keys. */
  static final int MAX_FILE_BYTES = 64 << 10;

  private static final int ID_DIGITS = 16;

  static TrustedKey of(PublicKey key, Path file) {
    String id = Digest.of(key.getEncoded()).toString().substring(0, ID_DIGITS);
    return new TrustedKey(id, key, file);
  }

  /**
   * {@return the public keys in a file, at least one}
   *
   * @param file holds PEM
   * @throws KeyFileException if it cannot be read, or holds anything else
   */
  public static List<TrustedKey> read(Path file) throws KeyFileException {
    List<TrustedKey> keys = new ArrayList<>();
    for (PemText.Block block : blocks(file)) {
      if (!block.label().equals(PemText.PUBLIC)) {
        throw new KeyFileException(
            file + " holds a " + printable(block.label()) + "; name a file with public keys");
      }
      keys.add(of(parse(block.bytes(), file), file));
    }
    if (keys.isEmpty()) {
      throw new KeyFileException(
          file + " holds no public key; write one with 'openssl pkey -pubout'");
    }
    return keys;
  }

  /** Returns the key in the bytes of a block. */
  static PublicKey parse(byte[] x509, Path file) throws KeyFileException {
    try {
      return KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(x509));
    } catch (GeneralSecurityException e) {
      throw new KeyFileException(file + " holds a key that is not a public key of Ed25519", e);
    }
  }

  static List<PemText.Block> blocks(Path file) throws KeyFileException {
    try {
      return PemText.parse(content(file));
    } catch (IllegalArgumentException e) {
      throw new KeyFileException(file + " is not a PEM file: " + e.getMessage(), e);
    }
  }

  private static byte[] content(Path file) throws KeyFileException {
    // Opening a pipe would block.
    if (!Files.isRegularFile(file)) {
      throw new KeyFileException(file + " is not there, or is not a regular file");
    }
    try (var in = Files.newInputStream(file)) {
      byte[] content = in.readNBytes(MAX_FILE_BYTES + 1);
      if (content.length > MAX_FILE_BYTES) {
        throw new KeyFileException(file + " is too long for a file with keys");
      }
      return content;
    } catch (IOException e) {
      throw new KeyFileException(file + " cannot be read", e);
    }
  }

  /** Returns a text of a file, fit to be shown. */
  static String printable(String text) {
    String safe = text.replaceAll("[^ -~]", "?");
    return safe.length() <= 40 ? safe : safe.substring(0, 40);
  }
}
