// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import dev.kcache.cache.CacheResult;
import dev.kcache.cache.KernelSource;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.kernels.KernelManager;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A process that launches a cached kernel once and prints the time of each stage: see {@link
 * Child}.
 */
public final class FirstLaunch {
  /** The names of the figures; the first is the start of the process. */
  static final List<String> STAGES =
      List.of("process, JVM", "library", "context", "code object", "load", "launch");

  private final List<Long> times = new ArrayList<>(List.of(System.nanoTime()));

  private FirstLaunch() {}

  /** Launches, with the environment of the process. */
  public static void main(String[] arguments) {
    System.out.println(Child.STARTED);
    new FirstLaunch().run();
  }

  /** Runs it in a JVM like this one. */
  static Child inFreshJvm(Map<String, String> environment) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(FirstLaunch::isPassedOn)
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(FirstLaunch.class.getName());
    return Child.run(command, environment);
  }

  /** Without the options for debugging or monitoring this JVM. */
  private static boolean isPassedOn(String option) {
    return !option.startsWith("-agent") && !option.startsWith("-javaagent");
  }

  private void run() {
    HipDevice device = HipRuntime.find().device("0");
    passed();
    try (HipStream stream = device.createStream()) {
      passed();
      try (KernelManager kernels = KernelManager.builder().device(device).build()) {
        KernelSource source = GpuKernels.emptySource();
        CacheResult found = kernels.cache().deviceRequests().resolve(source, device.target());
        requireHit(found);
        passed();
        HipFunction kernel = kernels.kernel(source, GpuKernels.EMPTY);
        passed();
        kernel.launch(LaunchConfig.of(1, 64), stream, KernelArguments.of());
        stream.synchronize();
        passed();
      }
    }
    for (int i = 1; i < times.size(); i++) {
      System.out.println(
          String.format(Locale.ROOT, "%.9e", (times.get(i) - times.get(i - 1)) / 1e9));
    }
  }

  private void passed() {
    times.add(System.nanoTime());
  }

  private static void requireHit(CacheResult found) {
    if (found.origin() == CacheResult.Origin.COMPILED) {
      throw new IllegalStateException(
          "the kernel was compiled again: is the cache directory writable? Set KCACHE_DIR to one that is");
    }
  }
}
