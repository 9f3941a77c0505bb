// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.toolchain.Diagnostic;
import java.time.Duration;
import java.util.List;

/**
 * A code object with where it came from.
 *
 * @param codeObject the code object
 * @param origin where it came from
 * @param compileTime how long its compile took, now or when it was made
 * @param log what the compiler printed then, warnings included; often empty
 * @param kept whether the disk holds it for later processes
 */
public record CacheResult(
    CodeObject codeObject, Origin origin, Duration compileTime, String log, boolean kept) {
  /** Where a code object came from. */
  public enum Origin {
    /** This manager's memory. */
    MEMORY,
    /** The disk, verified. */
    DISK,
    /** The compiler, run for this request by this manager. */
    COMPILED
  }

  CacheResult from(Origin origin) {
    return new CacheResult(codeObject, origin, compileTime, log, kept);
  }

  /** Returns the diagnostics in the log, in order, warnings mostly; parsed anew by each call. */
  public List<Diagnostic> diagnostics() {
    return Diagnostic.parseLog(log);
  }
}
