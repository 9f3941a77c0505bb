// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The blocks of a PEM file. Text between them is passed over, as OpenSSL does. */
final class PemText {
  static final String PRIVATE = "PRIVATE KEY";
  static final String PUBLIC = "PUBLIC KEY";

  private static final String BEGIN = "-----BEGIN ";
  private static final String END = "-----END ";
  private static final String DASHES = "-----";
  private static final int LINE = 64;

  private PemText() {}

  /**
   * Part of a file.
   *
   * @param label what it says it is
   * @param bytes what it holds
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares blocks
  record Block(String label, byte[] bytes) {}

  /**
   * Returns the blocks of a file.
   *
   * @throws IllegalArgumentException if one has no end, or is no Base64
   */
  static List<Block> parse(byte[] file) {
    List<Block> blocks = new ArrayList<>();
    String label = null;
    StringBuilder base64 = new StringBuilder();
    for (String line : new String(file, ISO_8859_1).lines().map(String::strip).toList()) {
      if (label == null) {
        if (line.startsWith(BEGIN) && line.endsWith(DASHES)) {
          label = line.substring(BEGIN.length(), Math.max(BEGIN.length(), line.length() - 5));
        }
      } else if (line.equals(END + label + DASHES)) {
        blocks.add(new Block(label, Base64.getDecoder().decode(base64.toString())));
        label = null;
        base64.setLength(0);
      } else {
        base64.append(line);
      }
    }
    if (label != null) {
      throw new IllegalArgumentException("a block without an end");
    }
    return blocks;
  }

  static String encode(String label, byte[] bytes) {
    return BEGIN
        + label
        + DASHES
        + "\n"
        + Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(bytes)
        + "\n"
        + END
        + label
        + DASHES
        + "\n";
  }
}
