// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.standin.StandIn;

/** A program whose kernel is over when the work of somebody else makes the device fault. */
final class ForeignFaultProbe {
  /** Nothing tells that a fault is survived: it must have come in this time. */
  private static final int MILLISECONDS = 10_000;

  private ForeignFaultProbe() {}

  public static void main(String[] arguments) throws InterruptedException {
    Watchdog.start();
    HipDevice device = HipRuntime.find().devices().get(0);
    try (HipModule module = device.load(TestImages.known());
        HipStream stream = device.createStream()) {
      module.function("empty").launch(LaunchConfig.of(1, 1), stream, KernelArguments.of());
      stream.synchronize();
      StandIn unused = StandIn.build(StandIn.Version.valueOf(arguments[0])).faultByForeignWork(0);
      Thread.sleep(MILLISECONDS);
      System.out.println("goes on");
    }
  }
}
