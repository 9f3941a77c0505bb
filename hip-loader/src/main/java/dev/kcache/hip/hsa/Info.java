// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads attributes of one thing: an agent, a pool, a symbol.
 *
 * @param function the function of C, for messages
 */
record Info(String function, Query query) {
  /** Larger than any attribute that is read here. */
  private static final int SIZE = 256;

  /** The function with all but these parameters. */
  interface Query {
    int get(int attribute, byte[] value);
  }

  /**
   * Returns a {@code uint32_t}.
   *
   * @throws HsaFailure if the function fails
   */
  int number(int attribute) {
    return read(attribute).getInt(0);
  }

  /** Returns a {@code uint32_t}, or 0 where the runtime does not know the attribute. */
  int numberIfKnown(int attribute) {
    byte[] value = new byte[SIZE];
    return query.get(attribute, value) == Status.SUCCESS ? wrap(value).getInt(0) : 0;
  }

  /** Returns a {@code uint64_t}, or 0 where the runtime does not know the attribute. */
  long longIfKnown(int attribute) {
    byte[] value = new byte[SIZE];
    return query.get(attribute, value) == Status.SUCCESS ? wrap(value).getLong(0) : 0;
  }

  long longNumber(int attribute) {
    return read(attribute).getLong(0);
  }

  String text(int attribute) {
    return HipLibrary.text(read(attribute).array());
  }

  String textIfKnown(int attribute) {
    byte[] value = new byte[SIZE];
    return query.get(attribute, value) == Status.SUCCESS ? HipLibrary.text(value) : "";
  }

  /** Returns the bytes of an attribute, in native order. */
  ByteBuffer read(int attribute) {
    byte[] value = new byte[SIZE];
    HsaFailure.check(function, query.get(attribute, value));
    return wrap(value);
  }

  private static ByteBuffer wrap(byte[] value) {
    return ByteBuffer.wrap(value).order(ByteOrder.nativeOrder());
  }
}
