// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.file.Path;

/** Thrown where a file cannot be replaced or deleted, since it is open elsewhere: on Windows. */
final class FileInUseException extends IOException {
  private static final long serialVersionUID = 1L;

  FileInUseException(Path file, IOException cause) {
    super(
        file
            + " is held open by another program, such as a virus scanner, or may not be changed;"
            + " exclude the cache directory there, or have it end",
        cause);
  }
}
