// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * A program that prints what calls cost on the runtime that is found, in nanoseconds, the best of
 * five: a query of an idle stream, a wait for it, and a launch with a wait. With {@code
 * KCACHE_SURVIVE_GPU_FAULTS=1}, and without, it shows the price of surviving.
 */
final class SurvivalCostProbe {
  private static final int CALLS = 20_000;
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  private SurvivalCostProbe() {}

  public static void main(String[] arguments) {
    HipDevice device = HipRuntime.find().devices().get(0);
    try (HipModule module = device.load(TestImages.knownFor(device.target()));
        HipStream stream = device.createStream()) {
      HipFunction empty = module.function("empty");
      KernelArguments none = KernelArguments.of();
      print("query", stream::isDone);
      print("wait", stream::synchronize);
      print(
          "launch and wait",
          () -> {
            empty.launch(ONE, stream, none);
            stream.synchronize();
          });
    }
  }

  private static void print(String what, Runnable call) {
    long best = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long start = System.nanoTime();
      for (int i = 0; i < CALLS; i++) {
        call.run();
      }
      best = Math.min(best, System.nanoTime() - start);
    }
    System.out.println(what + " " + best / CALLS);
  }
}
