// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

/** Where a command that compiles writes and reads beside the directory that it runs in. */
public final class OutputNames {
  /** Where the code object goes. */
  public static final String CODE_OBJECT = "../out.co";

  /** Where the list of files that the compiler read goes, as a rule of make. */
  public static final String DEPENDENCIES = "../out.d";

  /** Where the headers of {@link Dialect#headers} are. */
  public static final String HEADERS = "../include";

  private OutputNames() {}
}
