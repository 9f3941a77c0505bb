// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

/**
 * Code that compiles where something is there.
 *
 * @param name what it asks for, such as {@code function __popc unsigned int (unsigned int)}
 * @param file the header of HIP's that has it
 * @param code a line or a few; an at sign stands for a name of its own
 */
record Probe(String name, String file, String code) {
  /** Returns the entry of a list that stands for all of a header. */
  String ofFile() {
    return "all of " + file;
  }
}
