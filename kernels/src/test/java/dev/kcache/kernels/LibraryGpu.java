// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A GPU whose runtime is a library.
 *
 * @param platform of its runtime
 * @param standIn what stands in for the runtime, unless it is real
 */
record LibraryGpu(Platform platform, Optional<StandIn> standIn) implements TestGpu {
  @Override
  public boolean isReal() {
    return standIn.isEmpty();
  }

  @Override
  public void reset() {
    standIn.ifPresent(
        runtime ->
            runtime
                .devices(runtime.version().defaultDevice(), runtime.version().otherDevice())
                .async(true));
  }

  @Override
  public void run(Path hostKernels) {
    standIn.ifPresent(runtime -> runtime.kernels(hostKernels));
  }

  @Override
  public void run(List<KernelUnit> units) throws InterruptedException {
    if (!isReal()) {
      HostKernels.build(units).forEach(this::run);
    }
  }

  @Override
  public void checkNothingIsLeft() {
    standIn.ifPresent(
        runtime -> {
          Counters counters = runtime.counters();
          assertThat(counters).isEqualTo(Counters.cleanAfter(counters.launches()));
        });
  }

  @Override
  public int manyLaunches() {
    return isReal() ? 1_000_000 : 200_000;
  }

  @Override
  public Map<String, String> environment(Path directory) {
    Map<String, String> environment = new HashMap<>();
    standIn.ifPresentOrElse(
        runtime -> {
          environment.put("PATH", System.getenv("PATH"));
          if (runtime.version().isHsa()) {
            environment.put("KCACHE_RUNTIME", "hsa");
            environment.put("KCACHE_HSA_LIBRARY", runtime.library().toString());
          } else {
            environment.put("KCACHE_HIP_LIBRARY", runtime.library().toString());
          }
        },
        () -> environment.putAll(System.getenv()));
    environment.put("KCACHE_DIR", directory.toString());
    return environment;
  }

  @Override
  public OtherUser otherUser(HipDevice device) {
    return new LibraryUser(device);
  }
}
