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

  private final String selector;
  private final String[] devices;

  HipDeviceNotFoundException(String message, DeviceSelector selector, List<String> devices) {
    super(message);
    this.selector = selector.toString();
    this.devices = devices.toArray(String[]::new);
  }

  /** Returns the selector, in its canonical form. */
  public String selector() {
    return selector;
  }

  /** Returns a description of each device; empty if there was none. */
  public List<String> devices() {
    return List.of(devices);
  }
}
