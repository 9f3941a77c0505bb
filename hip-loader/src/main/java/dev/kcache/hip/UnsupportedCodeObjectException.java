// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KcacheException;

/**
 * Thrown when the runtime of this machine cannot load a code object, because of its version or
 * because it was stripped. The runtime was not called.
 */
public final class UnsupportedCodeObjectException extends KcacheException {
  private static final long serialVersionUID = 1;

  private final int abiVersion;
  private final int newestSupported;

  UnsupportedCodeObjectException(int abiVersion, int newestSupported, HipVersion runtime) {
    this(
        "code object version %d cannot be loaded by HIP %s, which knows up to version %d; compile with -mcode-object-version=%d"
            .formatted(abiVersion, runtime, newestSupported, newestSupported),
        abiVersion,
        newestSupported);
  }

  UnsupportedCodeObjectException(String message, int abiVersion, int newestSupported) {
    super(message);
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
