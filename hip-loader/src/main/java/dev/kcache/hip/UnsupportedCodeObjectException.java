// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * A code object has a version that the runtime of this machine cannot load. It has not been given
 * to the runtime.
 */
public final class UnsupportedCodeObjectException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int abiVersion;
  private final int newestSupported;

  UnsupportedCodeObjectException(int abiVersion, int newestSupported, HipVersion runtime) {
    super(
        "code object version %d cannot be loaded by HIP %s, which knows up to version %d; compile with -mcode-object-version=%d"
            .formatted(abiVersion, runtime, newestSupported, newestSupported));
    this.abiVersion = abiVersion;
    this.newestSupported = newestSupported;
  }

  /** Returns the version of the code object. */
  public int abiVersion() {
    return abiVersion;
  }

  /** Returns the newest version that the runtime loads. */
  public int newestSupported() {
    return newestSupported;
  }
}
