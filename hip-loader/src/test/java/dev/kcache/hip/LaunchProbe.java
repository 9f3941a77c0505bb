// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.binding.KernelLauncher;
import java.util.List;
import java.util.Map;

/**
 * A program that launches so often that a faster way is made, goes on until that is used, and tells
 * what it computed and by which way.
 */
final class LaunchProbe {
  private static final int MOST = 100_000_000;

  private LaunchProbe() {}

  /**
   * Runs it with a runtime library to its end, and returns what it printed.
   *
   * @param faster whether to go on until the faster way is used, or end soon after it might be
   * @param allowed whether to say that native access is allowed
   */
  static String run(String library, boolean faster, boolean allowed) {
    return RuntimeProbe.run(
        LaunchProbe.class,
        Map.of("KCACHE_HIP_LIBRARY", library),
        allowed ? List.of("--enable-native-access=ALL-UNNAMED") : List.of(),
        Boolean.toString(faster));
  }

  public static void main(String[] args) {
    boolean faster = Boolean.parseBoolean(args[0]);
    HipDevice device = HipRuntime.find().device("0");
    try (HipModule module = device.load(TestImages.knownFor(device.target()));
        HipStream stream = device.createStream();
        DeviceBuffer x = device.allocate(4)) {
      HipFunction scale = module.function("scale");
      KernelArguments arguments = KernelArguments.of(x, 1.0, 1L);
      LaunchConfig config = LaunchConfig.of(1, 1);
      KernelLauncher first = device.context().library().nextLauncher();
      for (int i = 0;
          i < (faster ? MOST : 3000) && device.context().library().nextLauncher() == first;
          i++) {
        scale.launch(config, stream, arguments);
      }
      x.copyFrom(new float[] {1});
      for (int i = 0; i < 10; i++) {
        scale.launch(config, stream, KernelArguments.of(x, 2.0, 1L));
      }
      stream.synchronize();
      float[] scaled = new float[1];
      x.copyTo(scaled);
      System.out.println(
          device.context().library().nextLauncher().getClass().getSimpleName() + " " + scaled[0]);
    }
  }
}
