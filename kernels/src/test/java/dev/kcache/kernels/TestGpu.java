// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipDeviceNotFoundException;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A GPU that a contract is tried on, with the real compiler for it: a stand-in, or this machine's
 * own.
 */
interface TestGpu {
  /** Returns the platform of its runtime. */
  Platform platform();

  /** Returns whether kernels run on a GPU. */
  boolean isReal();

  /** Makes a stand-in as it was after its load, with work of streams that isn't done at once. */
  void reset();

  /**
   * Compiles units for the host and lets a stand-in run them, until its next reset. Does nothing on
   * a real GPU.
   */
  default void run(List<KernelUnit> units) throws InterruptedException {}

  /** Runs kernels that were compiled for the host, until the next reset, unless this is a GPU. */
  default void run(Path hostKernels) {}

  /** Checks that everything was closed, and no handle used wrongly, where that is counted. */
  void checkNothingIsLeft();

  /** Returns how many launches show whether memory grows with them. */
  int manyLaunches();

  /** Returns the environment of a manager that uses this GPU and a cache directory. */
  Map<String, String> environment(Path directory);

  /** Returns another user of the same runtime in this process. */
  OtherUser otherUser(HipDevice device);

  /** Returns the stand-in for AMD's runtime, whose kernels hipcc compiles. */
  static TestGpu ofAmdStandIn() {
    return new LibraryGpu(Platform.AMD, Optional.of(StandIn.build(Version.HIP_6_4)));
  }

  /** Returns the stand-in for AMD's HSA, whose kernels hipcc compiles. */
  static TestGpu ofHsaStandIn() {
    return new LibraryGpu(Platform.AMD, Optional.of(StandIn.build(Version.HSA_6_4)));
  }

  /** Returns the stand-in for NVIDIA's driver; skips the test where there is no nvcc. */
  static TestGpu ofNvidiaStandIn() {
    assumeNvcc();
    return new LibraryGpu(Platform.NVIDIA, Optional.of(StandIn.build(Version.CUDA_13_0)));
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
    return new LibraryGpu(hip.platform(), Optional.empty());
  }
}
