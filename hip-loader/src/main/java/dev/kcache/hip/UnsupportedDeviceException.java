// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KcacheException;

/**
 * kcache cannot work with a device: it doesn't know the processor, or the runtime doesn't tell it,
 * or tells what makes no sense.
 */
public final class UnsupportedDeviceException extends KcacheException {
  private static final long serialVersionUID = 1;

  UnsupportedDeviceException(String message) {
    super(message);
  }
}
