// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A SHA-256 digest; its one text form is 64 lower-case hexadecimal digits, as {@code sha256sum}
 * prints it.
 *
 * <p>Immutable and safe for use by any number of threads.
 */
public final class Digest implements Comparable<Digest> {
  private static final int DIGITS = 64;
  private static final int BUFFER_BYTES = 1 << 16;

  private final String hex;

  private Digest(String hex) {
    this.hex = hex;
  }

  private Digest(byte[] sha256) {
    this(HexFormat.of().formatHex(sha256));
  }

  /**
   * {@return the digest of {@code bytes}}
   *
   * @param bytes what is hashed; may be empty
   */
  public static Digest of(byte[] bytes) {
    requireNonNull(bytes, "bytes");
    return new Digest(sha256().digest(bytes));
  }

  /**
   * {@return the digest of the remaining bytes of {@code bytes}, whose position is left alone}
   *
   * @param bytes what is hashed; may be empty
   */
  public static Digest of(ByteBuffer bytes) {
    requireNonNull(bytes, "bytes");
    MessageDigest sha256 = sha256();
    sha256.update(bytes.duplicate());
    return new Digest(sha256.digest());
  }

  /**
   * {@return the digest of the rest of a stream, which need not fit into memory}
   *
   * @param in is read to its end and not closed
   * @throws java.io.IOException if the stream can't be read
   */
  public static Digest of(InputStream in) throws IOException {
    requireNonNull(in, "in");
    MessageDigest sha256 = sha256();
    byte[] buffer = new byte[BUFFER_BYTES];
    for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
      sha256.update(buffer, 0, length);
    }
    return new Digest(sha256.digest());
  }

  /**
   * {@return the digest with the given text form}
   *
   * @param hex what {@link #toString} gives
   * @throws IllegalArgumentException if {@code hex} is not 64 lower-case hexadecimal digits
   */
  public static Digest parse(String hex) {
    requireNonNull(hex, "hex");
    if (hex.length() != DIGITS || !isLowerCaseHex(hex)) {
      throw new IllegalArgumentException(
          "not a SHA-256 digest in lower-case hex: " + Quoted.of(hex));
    }
    return new Digest(hex);
  }

  /** A list of a compile's files has hundreds: a regular expression takes longer than all else. */
  private static boolean isLowerCaseHex(String text) {
    for (int i = 0; i < text.length(); i++) {
      char digit = text.charAt(i);
      if ((digit < '0' || digit > '9') && (digit < 'a' || digit > 'f')) {
        return false;
      }
    }
    return true;
  }

  /** {@return a builder for the digest of a sequence of fields} */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public int compareTo(Digest other) {
    return hex.compareTo(other.hex);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Digest digest && hex.equals(digest.hex);
  }

  @Override
  public int hashCode() {
    return hex.hashCode();
  }

  /** Returns the 64 lower-case hexadecimal digits. */
  @Override
  public String toString() {
    return hex;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java runtime has SHA-256", e);
    }
  }

  /**
   * Digests a sequence of fields, each preceded by its length in bytes, so that no two different
   * sequences feed the same bytes. Not safe for use by several threads.
   */
  public static final class Builder {
    private final MessageDigest sha256 = sha256();

    private Builder() {}

    /**
     * Appends one field: the UTF-8 bytes of {@code text}.
     *
     * @param text may be empty, which differs from no field
     * @return this builder
     */
    public Builder text(String text) {
      requireNonNull(text, "text");
      return bytes(ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    /**
     * Appends one field: the remaining bytes of {@code bytes}, whose position is left alone.
     *
     * @param bytes may be empty, which differs from no field
     * @return this builder
     */
    public Builder bytes(ByteBuffer bytes) {
      requireNonNull(bytes, "bytes");
      sha256.update(bigEndian(bytes.remaining()));
      sha256.update(bytes.duplicate());
      return this;
    }

    /**
     * Appends one field: a number, such as the count of the fields that follow.
     *
     * @param number any value; it takes eight bytes
     * @return this builder
     */
    public Builder number(long number) {
      return bytes(bigEndian(number));
    }

    private static ByteBuffer bigEndian(long number) {
      return ByteBuffer.allocate(Long.BYTES).putLong(0, number);
    }

    /** {@return the digest of the fields so far; the builder is used up} */
    public Digest build() {
      return new Digest(sha256.digest());
    }
  }
}
