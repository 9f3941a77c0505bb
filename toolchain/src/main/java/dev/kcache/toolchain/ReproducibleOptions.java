// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

/** Clang's options that make a result independent of time and place. */
public final class ReproducibleOptions {
  /** Comes right after the user's options, so that no {@code -W} among them undoes it. */
  public static final String DATE_TIME = "-Werror=date-time";

  /** Keeps the working directory out of the result. */
  public static final String COMPILATION_DIRECTORY = "-ffile-compilation-dir=.";

  /** The cuid in questions, which are about no request. */
  public static final String QUERY_CUID = "-cuid=0";

  private ReproducibleOptions() {}

  /**
   * {@return the option that makes the names of a job's symbols reproducible}
   *
   * @param job the compile, by whose request the name is made
   */
  public static String cuid(Toolchain.Job job) {
    requireNonNull(job, "job");
    return "-cuid=" + job.request().toString().substring(0, 16);
  }
}
