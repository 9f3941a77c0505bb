// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Detached signatures: a line for each, with the key's id and the signature in Base64. */
public final class SignatureText {
  /** The most bytes of a text. */
  public static final int MAX_BYTES = 4096;

  static final String ALGORITHM = "ed25519";
  static final int MAX_LINES = 16;

  private static final Pattern LINE =
      Pattern.compile(ALGORITHM + " ([0-9a-f]{16}) ([0-9A-Za-z+/]{86}==)");

  private SignatureText() {}

  /** A signature and the id of the key that is said to have made it. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares lines
  record Line(String key, byte[] signature) {}

  /** Returns the lines of a text; none if any of it is something else. */
  static List<Line> parse(byte[] text) {
    if (text.length == 0 || text.length > MAX_BYTES || text[text.length - 1] != '\n') {
      return List.of();
    }
    List<Line> lines = new ArrayList<>();
    String all = new String(text, 0, text.length - 1, ISO_8859_1);
    for (String line : all.split("\n", -1)) {
      Matcher parts = LINE.matcher(line);
      if (!parts.matches() || lines.size() == MAX_LINES) {
        return List.of();
      }
      lines.add(new Line(parts.group(1), Base64.getDecoder().decode(parts.group(2))));
    }
    return lines;
  }

  /** Returns whether one of the keys has signed {@code content}. */
  static boolean verifies(byte[] text, byte[] content, List<TrustedKey> keys) {
    for (Line line : parse(text)) {
      for (TrustedKey key : keys) {
        if (key.id().equals(line.key()) && verifies(line.signature(), content, key)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean verifies(byte[] signature, byte[] content, TrustedKey key) {
    try {
      Signature check = Signature.getInstance(TrustedKey.ALGORITHM);
      check.initVerify(key.key());
      check.update(content);
      return check.verify(signature);
    } catch (GeneralSecurityException e) {
      // Such as a number that is too large.
      return false;
    }
  }
}
