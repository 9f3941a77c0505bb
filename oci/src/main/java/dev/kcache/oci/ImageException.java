// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import dev.kcache.codeobject.KcacheException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when an image can't be read or written. No tag and no file was made or changed then; a
 * registry may have layers that no image names, which it removes by itself.
 */
public final class ImageException extends KcacheException {
  private static final long serialVersionUID = 1L;

  /** Whether what was read is damaged. */
  private final boolean damaged;

  ImageException(String message, boolean damaged, @Nullable Throwable cause) {
    super(message, cause);
    this.damaged = damaged;
  }

  /** Returns that a file, an image or a directory is damaged. */
  static ImageException damaged(String message, @Nullable Throwable cause) {
    return new ImageException(message, true, cause);
  }

  /** Returns that a registry does not answer or refuses, or that a file can't be written. */
  static ImageException unavailable(String message, @Nullable Throwable cause) {
    return new ImageException(message, false, cause);
  }

  /**
   * {@return whether what was read is damaged; else a registry can't be reached or refuses, or a
   * file can't be read or written}
   */
  public boolean isDamaged() {
    return damaged;
  }
}
