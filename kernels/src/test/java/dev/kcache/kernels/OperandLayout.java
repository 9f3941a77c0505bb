// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** How the operands of a shipped kernel lie in memory. The result is always contiguous. */
enum OperandLayout {
  /** One element after the other, in the order of the result. */
  CONTIGUOUS,
  /** With a stride for each dimension, where 0 repeats (broadcasts) an operand. */
  STRIDED
}
