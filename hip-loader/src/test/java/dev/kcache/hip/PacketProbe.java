// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/** A program that launches kernels and waits for events, some hundred times. */
final class PacketProbe {
  private static final int TIMES = 300;
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  private PacketProbe() {}

  public static void main(String[] arguments) {
    HipDevice device = HipRuntime.find().devices().get(0);
    try (HipModule module = device.load(TestImages.known());
        DeviceBuffer buffer = device.allocate(8);
        HipStream stream = device.createStream();
        HipEvent event = device.createEvent()) {
      for (int i = 0; i < TIMES; i++) {
        module.function("bounded").launch(ONE, stream, KernelArguments.of(buffer));
        event.record(stream);
        event.synchronize();
      }
    }
    System.out.println("done");
  }
}
