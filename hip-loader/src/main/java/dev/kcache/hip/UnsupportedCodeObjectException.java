// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KcacheException;

/**
 * Thrown when the runtime of this machine cannot load a code object, because of its version or
 * because it was stripped. The runtime was not called.
 */
public final class UnsupportedCodeObjectException extends KcacheException {
  private static final long serialVersionUID = 1;

  /** The version that the code object has. */
  private final int abiVersion;

  /** The newest version that the runtime can load. */
  private final int newestSupported;

  UnsupportedCodeObjectException(CodeObject code, int newestSupported, HipVersion runtime) {
    this(
        "%s version %d cannot be loaded by HIP %s, which knows up to version %d; compile %s"
            .formatted(
                isGeneric(code) ? "generic code of code object" : "code object",
                code.abiVersion(),
                runtime,
                newestSupported,
                isGeneric(code)
                    ? "for the device's own processor"
                    : "with -mcode-object-version=%d, or LLVM IR that has a version with its flag amdhsa_code_object_version %d00"
                        .formatted(newestSupported, newestSupported)),
        code.abiVersion(),
        newestSupported);
  }

  /** Generic code has no older version. */
  private static boolean isGeneric(CodeObject code) {
    return code.target().processor().isGeneric();
  }

  UnsupportedCodeObjectException(String message, int abiVersion, int newestSupported) {
    super(message);
    this.abiVersion = abiVersion;
    this.newestSupported = newestSupported;
  }

  /** {@return the version of the code object} */
  public int abiVersion() {
    return abiVersion;
  }

  /** {@return the newest version that the runtime loads} */
  public int newestSupported() {
    return newestSupported;
  }

  @Override
  protected KcacheException copy() {
    return new UnsupportedCodeObjectException(
        String.valueOf(getMessage()), abiVersion, newestSupported);
  }
}
