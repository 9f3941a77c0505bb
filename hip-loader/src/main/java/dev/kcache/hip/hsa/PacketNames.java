// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import org.jspecify.annotations.Nullable;

/**
 * The kernels of a queue's packets, by the packets' numbers, so that a failure can be blamed. A
 * kernel is named before its packet is valid, since it may fail from then on; packets of no kernel
 * and those that nobody wrote yet have no name.
 *
 * <p>Written by one thread at a time; read by any, also while it is written.
 */
final class PacketNames {
  private final @Nullable String[] names;

  /** Creates names for a queue of {@code size} packets, and one that comes next. */
  PacketNames(int size) {
    names = new String[size + 1];
  }

  private int place(long packet) {
    return (int) (packet % names.length);
  }

  void set(long packet, @Nullable String kernel) {
    names[place(packet)] = kernel;
  }

  @Nullable String get(long packet) {
    return names[place(packet)];
  }
}
