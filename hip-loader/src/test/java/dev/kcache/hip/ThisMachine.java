// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.codeobject.Platform;

/** The GPU of the machine that the tests run on, if it has one. */
final class ThisMachine {
  private ThisMachine() {}

  /** Skips a test, with the reason, where there is no GPU to run it on. */
  static void requireDevice() {
    HipRuntime hip = HipRuntime.find();
    hip.unavailability().ifPresent(cause -> abort(cause.getMessage()));
    try {
      HipDevice device = hip.device("0");
      assumeTrue(
          TestImages.hasKnownFor(device.target()), "no code object of the tests runs on " + device);
    } catch (HipDeviceNotFoundException e) {
      abort(e.getMessage());
    }
  }

  /** As the other, for what only one platform has. */
  static void requireDevice(Platform platform) {
    requireDevice();
    assumeTrue(
        HipRuntime.find().platform() == platform, "the GPU of this machine is not " + platform);
  }

  static HipDevice device() {
    return HipRuntime.find().device("0");
  }
}
