// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import com.sun.jna.Pointer;

/** A pointer to native memory that can be moved, so that reading allocates nothing. */
final class NativePointer extends Pointer {
  NativePointer() {
    super(0);
  }

  void move(long address) {
    peer = address;
  }
}
