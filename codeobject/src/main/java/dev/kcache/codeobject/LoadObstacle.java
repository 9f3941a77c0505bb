// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import java.util.List;
import java.util.Optional;

/**
 * Why AMD's runtime cannot load an image that is well-formed.
 *
 * @param stripped whether the image lost tables that compilers always write, so that it cannot be
 *     what a compile was to give
 * @param reason what is wrong and what to do, without a full stop
 */
record LoadObstacle(boolean stripped, String reason) {
  /**
   * The most room that a kernel's arguments may take. The runtime has a ring of 1 MB in four parts,
   * and writes past a part where arguments with their alignment are larger.
   */
  private static final int MOST_ARGUMENT_BYTES = 1 << 17;

  /** Returns the obstacle that something was stripped from the image. */
  static LoadObstacle stripped(String what) {
    return new LoadObstacle(
        true,
        "stripped: it lacks %s, which AMD's runtime needs; keep symbols (no llvm-strip, no -s)"
            .formatted(what));
  }

  /** Returns the obstacle that a variable has no bytes and lies where the memory ends. */
  static LoadObstacle placeless(String variable) {
    return new LoadObstacle(
        false,
        "the variable %s has no bytes and lies where the memory ends, which AMD's runtime may not survive; give it a size"
            .formatted(Quoted.of(variable)));
  }

  /** Returns the obstacle that a kernel's arguments are too large, if one has such. */
  static Optional<LoadObstacle> ofArguments(List<KernelMetadata> kernels) {
    return kernels.stream()
        .filter(kernel -> room(kernel) > MOST_ARGUMENT_BYTES)
        .findFirst()
        .map(
            kernel ->
                new LoadObstacle(
                    false,
                    "the kernel %s takes %d bytes of arguments, aligned to %d, but AMD's runtime has room for %d; pass a pointer"
                        .formatted(
                            Quoted.of(kernel.name()),
                            kernel.kernargSize(),
                            kernel.kernargAlignment(),
                            MOST_ARGUMENT_BYTES)));
  }

  private static long room(KernelMetadata kernel) {
    return (long) kernel.kernargSize() + kernel.kernargAlignment();
  }
}
