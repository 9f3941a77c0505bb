// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

/** The files beside the working directory that a compile reads and writes. */
public final class OutputNames {
  /** The code object. */
  public static final String CODE_OBJECT = "../out.co";

  /** The list of files that the compiler read, as a make rule. */
  public static final String DEPENDENCIES = "../out.d";

  /** The directory of {@link Dialect#headers}. */
  public static final String HEADERS = "../include";

  private OutputNames() {}
}
