// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Map;

/** A program whose kernel touches memory that is not there, and what it is told of it. */
final class FaultProbe {
  private FaultProbe() {}

  /** Runs it with a runtime library to its end, and returns what it printed. */
  static String run(String library) {
    return RuntimeProbe.run(FaultProbe.class, Map.of("KCACHE_HIP_LIBRARY", library), List.of());
  }

  public static void main(String[] args) {
    HipDevice device = HipRuntime.find().device("0");
    try (HipModule module = device.load(TestImages.knownFor(device.target()));
        HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(8)) {
      HipFunction fault = module.function("fault");
      fault.launch(LaunchConfig.of(1, 1), stream, KernelArguments.of(1));
      System.out.println("launched");
      HipException failure = catchThrowableOfType(HipException.class, stream::synchronize);
      System.out.printf(
          "%s: %s (%d), %s%n",
          failure.function(),
          failure.errorName(),
          failure.code(),
          failure.isSticky() ? "sticky" : "not sticky");
      HipException next =
          catchThrowableOfType(HipException.class, () -> buffer.fill((byte) 1, stream));
      System.out.println("again: " + next.errorName());
    }
    System.out.println("closed");
  }
}
