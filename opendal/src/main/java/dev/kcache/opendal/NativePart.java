// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.opendal.AsyncExecutor;
import org.apache.opendal.AsyncOperator;
import org.jspecify.annotations.Nullable;

/**
 * OpenDAL's native part, which takes up to half a second to load, and the threads on which it
 * works. Both last as long as the process. What fails once is not tried again: another try would
 * wait forever.
 */
final class NativePart {
  /** By default there are as many as requests. */
  private static final int THREADS = 2;

  private static @Nullable AsyncExecutor executor;
  private static @Nullable String problem;

  private NativePart() {}

  /**
   * Returns the threads; loads the native part first.
   *
   * @throws IOException if it is not there or does not work; the message is one line
   */
  static synchronized AsyncExecutor executor() throws IOException {
    if (executor == null && problem == null) {
      try {
        AsyncExecutor started = AsyncExecutor.createTokioExecutor(THREADS);
        // The threads complete the futures; they look for classes there alone.
        if (AsyncOperator.class.getClassLoader() == ClassLoader.getSystemClassLoader()) {
          executor = started;
        } else {
          problem =
              "OpenDAL works on the class path that Java starts with, and not in the class loader"
                  + " of a server, a plugin or a fat jar";
        }
      } catch (LinkageError | RuntimeException e) {
        problem =
            problem(e, System.getProperty("os.name"), System.getProperty("os.arch"), hasMusl());
      }
    }
    if (executor == null) {
      throw new IOException(problem);
    }
    return executor;
  }

  /** A machine may have both C libraries; what counts is this process's. */
  private static boolean hasMusl() {
    try {
      return Files.readString(Path.of("/proc/self/maps")).contains("/ld-musl-");
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns what is missing, and what to add, on one line. */
  static String problem(Throwable failure, String system, String architecture, boolean hasMusl) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String platform =
        system.toLowerCase(Locale.ROOT) + "-" + architecture.replace("amd64", "x86_64");
    if (!platform.equals("linux-x86_64") || hasMusl) {
      return "OpenDAL's native part is not there for "
          + platform
          + (hasMusl ? " with musl" : "")
          + ": org.apache.opendal:opendal has the classifier linux-x86_64, for glibc; look whether"
          + " the version in use has one for here";
    }
    return cause instanceof IOException
        ? "OpenDAL's native part is missing: add org.apache.opendal:opendal with the classifier"
            + " linux-x86_64, in the version of the one without, to the class path"
        : "OpenDAL's native part (classifier linux-x86_64) can't be loaded: "
            + String.valueOf(cause.getMessage()).replaceAll("\\s+", " ");
  }
}
