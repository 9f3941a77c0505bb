// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import dev.kcache.reapi.proto.Digest;

/**
 * How much goes into one message: what the server states, but no more than what gRPC takes where
 * nobody has set anything.
 *
 * @param bytes at most
 */
record BatchLimit(long bytes) {
  private static final long MESSAGE = 4 << 20;

  /** More than what is beside a blob's bytes: its digest, lengths and a status. */
  private static final int OVERHEAD = 256;

  /** More than what is beside the blobs. */
  private static final int MARGIN = 4096;

  /**
   * Returns the limit.
   *
   * @param stated by the server; 0 for none
   */
  static BatchLimit of(long stated) {
    return new BatchLimit(stated > 0 ? Math.min(stated, MESSAGE) : MESSAGE);
  }

  boolean fits(Digest digest) {
    return newBatch().add(digest);
  }

  Batch newBatch() {
    return new Batch();
  }

  /** A message that grows. */
  final class Batch {
    private long blobs;
    private long message = MARGIN;

    private Batch() {}

    /** Returns whether a blob still fits, and counts it if so. */
    boolean add(Digest digest) {
      long size = digest.getSizeBytes();
      if (blobs + size > bytes || message + size + OVERHEAD > MESSAGE) {
        return false;
      }
      blobs += size;
      message += size + OVERHEAD;
      return true;
    }
  }
}
