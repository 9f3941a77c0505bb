// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.stream.Stream;

/**
 * A kernel of the binary family.
 *
 * @param operation what it computes
 * @param type of both operands and of the result
 * @param layout of the operands
 */
record BinaryKernel(BinaryOperation operation, DType type, OperandLayout layout) {

  /** Returns every one. */
  static Stream<BinaryKernel> all() {
    return Stream.of(DType.values())
        .flatMap(
            type ->
                Stream.of(BinaryOperation.values())
                    .flatMap(
                        operation ->
                            Stream.of(OperandLayout.values())
                                .map(layout -> new BinaryKernel(operation, type, layout))));
  }

  /**
   * {@return the name of the {@code __global__} function, such as {@code binary_add_f32_strided}}
   */
  String name() {
    String contiguous = "binary_" + operation + "_" + type;
    return layout == OperandLayout.STRIDED ? contiguous + "_strided" : contiguous;
  }
}
