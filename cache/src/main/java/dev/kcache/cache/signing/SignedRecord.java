// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

/** A record's exact bytes with their signatures. Nobody changes the arrays. */
public final class SignedRecord {
  private final byte[] text;
  private final byte[] signature;

  /**
   * Creates a record.
   *
   * @param text the record
   * @param signature the text with its signatures; empty if there is none
   */
  public SignedRecord(byte[] text, byte[] signature) {
    this.text = text;
    this.signature = signature;
  }

  /** {@return the record's bytes} */
  public byte[] text() {
    return text;
  }

  /** {@return the text with its signatures; empty if there is none} */
  public byte[] signature() {
    return signature;
  }
}
