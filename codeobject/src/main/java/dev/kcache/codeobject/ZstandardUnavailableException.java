// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/**
 * Thrown when a bundle is compressed with zstd and zstd's native library can't be loaded, as where
 * programs may not run from the temporary directory. That says nothing about the bundle. Nothing is
 * kept, and the next call tries again; bundles that are plain or use zlib are read all the same.
 */
public final class ZstandardUnavailableException extends KcacheException {
  private static final long serialVersionUID = 1L;

  ZstandardUnavailableException(Throwable cause) {
    super(
        "the bundle is compressed with zstd, whose library cannot be loaded ("
            + firstLine(cause)
            + "); set -DZstdTempFolder to a directory that programs may be run from, or make the"
            + " bundle with --no-offload-compress",
        cause);
  }

  private static String firstLine(Throwable cause) {
    return String.valueOf(cause.getMessage()).lines().findFirst().orElse("").strip();
  }
}
