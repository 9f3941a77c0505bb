// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.process.Staging;

/** Where a command that compiles writes and reads beside the directory that it runs in. */
public final class OutputNames {
  /** Where the code object goes. */
  public static final String CODE_OBJECT = "../" + Staging.CODE_OBJECT;

  /** Where the list of files that the compiler read goes, as a rule of make. */
  public static final String DEPENDENCIES = "../" + Staging.DEPENDENCIES;

  /** The name of the directory of {@link #HEADERS}. */
  static final String HEADER_DIRECTORY = "include";

  /** Where the headers of {@link Dialect#headers} are. */
  public static final String HEADERS = "../" + HEADER_DIRECTORY;

  private OutputNames() {}
}
