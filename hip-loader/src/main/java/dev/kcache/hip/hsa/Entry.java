// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

/** Something that a {@link HandleTable} gives a handle to. */
abstract class Entry {
  /** The handle; 0 until there is one. */
  long handle;
}
