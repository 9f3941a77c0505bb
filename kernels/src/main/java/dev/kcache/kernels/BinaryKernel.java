// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/**
 * A kernel of the binary family.
 *
 * @param operation what it computes
 * @param type of both operands and of the result
 * @param layout of the operands
 */
public record BinaryKernel(BinaryOperation operation, ElementType type, OperandLayout layout) {

  /**
   * {@return the name of the {@code __global__} function, such as {@code binary_add_f32_strided}}
   */
  public String name() {
    String contiguous = "binary_" + operation + "_" + type;
    return layout == OperandLayout.STRIDED ? contiguous + "_strided" : contiguous;
  }
}
