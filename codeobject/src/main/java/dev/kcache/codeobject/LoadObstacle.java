// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/**
 * Why AMD's runtime cannot load an image that is well-formed.
 *
 * @param stripped whether the image lost tables that compilers always write, so that it cannot be
 *     what a compile was to give
 * @param reason what is wrong and what to do, without a full stop
 */
record LoadObstacle(boolean stripped, String reason) {
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
        "the variable %s has no bytes and lies where the memory ends, which AMD's runtime does not survive; give it a size"
            .formatted(Quoted.of(variable)));
  }
}
