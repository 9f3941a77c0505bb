// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KcacheException;
import java.util.List;

/**
 * Thrown when a selector names none of the devices, or several, or there is no device at all. The
 * message is one line that lists the devices, or says why there is none and what to do.
 */
public final class HipDeviceNotFoundException extends KcacheException {
  private static final long serialVersionUID = 1;

  /** The selector that names no device, or several. */
  private final String selector;

  /** The devices that there are, each described in one line. */
  private final String[] devices;

  HipDeviceNotFoundException(String message, DeviceSelector selector, List<String> devices) {
    super(message);
    this.selector = selector.toString();
    this.devices = devices.toArray(String[]::new);
  }

  /** {@return the selector, in its canonical form} */
  public String selector() {
    return selector;
  }

  /** {@return a description of each device; empty if there was none} */
  public List<String> devices() {
    return List.of(devices);
  }
}
