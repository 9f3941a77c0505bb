// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.HipDeviceNotFoundException;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A GPU that a contract is tried on, with the real compiler for it: a stand-in, or this machine's
 * own.
 *
 * @param platform of its runtime
 * @param standIn what stands in for the runtime, unless it is real
 */
record TestGpu(Platform platform, Optional<StandIn> standIn) {

  /** Returns the stand-in for AMD's runtime, whose kernels hipcc compiles. */
  static TestGpu ofAmdStandIn() {
    return new TestGpu(Platform.AMD, Optional.of(StandIn.build(Version.HIP_6_4)));
  }

  /** Returns the stand-in for AMD's HSA, whose kernels hipcc compiles. */
  static TestGpu ofHsaStandIn() {
    return new TestGpu(Platform.AMD, Optional.of(StandIn.build(Version.HSA_6_4)));
  }

  /** Returns the stand-in for NVIDIA's driver; skips the test where there is no nvcc. */
  static TestGpu ofNvidiaStandIn() {
    assumeNvcc();
    return new TestGpu(Platform.NVIDIA, Optional.of(StandIn.build(Version.CUDA_13_0)));
  }

  /** Skips the test where there is no nvcc. */
  static void assumeNvcc() {
    assumeTrue(hasNvcc(), "there is no nvcc on the PATH");
  }

  private static boolean hasNvcc() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "nvcc")));
  }

  /** Returns this machine's own GPU; skips the test where there is none. */
  static TestGpu ofThisMachine() {
    HipRuntime hip = HipRuntime.find();
    hip.unavailability().ifPresent(cause -> abort(cause.getMessage()));
    try {
      hip.device("0");
    } catch (HipDeviceNotFoundException e) {
      abort(e.getMessage());
    }
    return new TestGpu(hip.platform(), Optional.empty());
  }

  boolean isReal() {
    return standIn.isEmpty();
  }

  /** Makes a stand-in as it was after its load, with work of streams on threads of their own. */
  void reset() {
    standIn.ifPresent(
        runtime ->
            runtime
                .devices(runtime.version().defaultDevice(), runtime.version().otherDevice())
                .async(true));
  }

  /** Checks that everything was closed, and no handle used wrongly, where that is counted. */
  void checkNothingIsLeft() {
    standIn.ifPresent(
        runtime -> {
          Counters counters = runtime.counters();
          assertThat(counters).isEqualTo(Counters.cleanAfter(counters.launches()));
        });
  }

  /** Returns the environment of a manager that uses this GPU and a cache directory. */
  Map<String, String> environment(Path directory) {
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
}
