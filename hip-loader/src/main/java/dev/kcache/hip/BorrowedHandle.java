// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * A handle of something that is part of another and lives as long as that: using it uses the owner,
 * and closing it has no effect.
 */
final class BorrowedHandle extends Handle {
  private final Handle owner;
  private final long value;

  BorrowedHandle(Handle owner, long value) {
    super("borrowed handle", value);
    this.owner = owner;
    this.value = value;
  }

  @Override
  long acquire() {
    long unused = owner.acquire();
    return value;
  }

  @Override
  void release() {
    owner.release();
  }

  @Override
  void close() {}

  @Override
  boolean isClosed() {
    return owner.isClosed();
  }
}
