// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.util.ArrayList;
import java.util.List;

/**
 * A program that launches the kernels that its arguments name, waits for the last device's stream,
 * and says when it is back. An argument is {@code device:kernel}, on a stream of its own; {@code
 * wait} waits for all devices; {@code exit} and {@code return} end the program there.
 */
final class GpuFaultProbe {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  private GpuFaultProbe() {}

  public static void main(String[] arguments) {
    Watchdog.start();
    HipRuntime hip = HipRuntime.find();
    List<HipDevice> devices = hip.devices();
    List<HipModule> modules = new ArrayList<>();
    devices.forEach(device -> modules.add(device.load(TestImages.knownFor(device.target()))));
    List<HipStream> streams = new ArrayList<>();
    // What the runtime will call has to be there still.
    Unreachable.collect();
    for (String argument : arguments) {
      if (argument.equals("wait")) {
        devices.forEach(HipDevice::synchronize);
        continue;
      }
      if (argument.equals("exit")) {
        System.exit(3);
      }
      if (argument.equals("return")) {
        return;
      }
      int ordinal = argument.charAt(0) - '0';
      HipStream stream = devices.get(ordinal).createStream();
      streams.add(stream);
      String kernel = argument.substring(2);
      modules
          .get(ordinal)
          .function(kernel)
          .launch(ONE, stream, arguments(kernel, devices.get(ordinal)));
    }
    System.out.println("waiting");
    streams.get(streams.size() - 1).synchronize();
    System.out.println("waited");
  }

  private static KernelArguments arguments(String kernel, HipDevice device) {
    return switch (kernel) {
      case "fault" -> KernelArguments.of(0x12345);
      case "bounded" -> KernelArguments.of(device.allocate(8));
      default -> KernelArguments.of();
    };
  }
}
