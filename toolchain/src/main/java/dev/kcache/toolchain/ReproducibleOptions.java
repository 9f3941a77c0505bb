// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

/** Options of clang's that make the result the same wherever and whenever a job is compiled. */
public final class ReproducibleOptions {
  /** Comes right after the options of the user, so that no {@code -W} of theirs undoes it. */
  public static final String DATE_TIME = "-Werror=date-time";

  /** Keeps the directory that a compile runs in out of its result. */
  public static final String COMPILATION_DIRECTORY = "-ffile-compilation-dir=.";

  /** The cuid of a question, which is about no request. */
  public static final String QUERY_CUID = "-cuid=0";

  private ReproducibleOptions() {}

  /**
   * Returns the option that makes the names of a job's symbols the same wherever it is compiled.
   */
  public static String cuid(Toolchain.Job job) {
    return "-cuid=" + job.request().toString().substring(0, 16);
  }
}
