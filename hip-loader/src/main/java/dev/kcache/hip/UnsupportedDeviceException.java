// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KcacheException;

/**
 * Thrown when kcache cannot work with a device: its processor is unknown, or the runtime does not
 * report one or reports nonsense.
 */
public final class UnsupportedDeviceException extends KcacheException {
  private static final long serialVersionUID = 1;

  UnsupportedDeviceException(String message) {
    super(message);
  }
}
