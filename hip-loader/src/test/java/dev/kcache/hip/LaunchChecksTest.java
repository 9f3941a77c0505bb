// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static dev.kcache.hip.Refusals.assertIllegal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.Platform;
import dev.kcache.hip.DeviceProperties.LaunchLimits;
import dev.kcache.hip.standin.StandIn.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Configurations that can't be launched, and the limits that their refusals name. */
class LaunchChecksTest extends LaunchTestBase {
  private static final int MOST = Integer.MAX_VALUE;

  LaunchChecksTest() {
    super(Version.HIP_5_2);
  }

  private void assertRefused(String kernel, LaunchConfig config, String message) {
    HipFunction function = module.function(kernel);
    assertIllegal(message, () -> function.launch(config, stream, KernelArguments.of()));
    assertThat(standIn.calls("hipModuleLaunchKernel")).isZero();
  }

  private static LaunchConfig config(Dim3 grid, Dim3 block) {
    return LaunchConfig.of(grid, block);
  }

  @Test
  void launch_beyondTheDevicesLimits_namesThem() {
    Dim3 one = new Dim3(1, 1, 1);
    LaunchLimits device = module.device().properties().limits();
    assertRefused(
        "empty",
        LaunchConfig.of(1, 1025),
        "empty: block dims 1025x1x1 are more than the device's %s (maxBlockDims)"
            .formatted(device.maxBlockDims()));
    assertRefused(
        "empty",
        config(one, new Dim3(64, 64, 1)),
        "empty: 4096 threads per block are more than the device's 1024 (maxThreadsPerBlock)");
    assertRefused(
        "empty",
        LaunchConfig.of(MOST, 4),
        "empty: a grid of %dx1x1 blocks of 4x1x1 threads has more than 4294967295 threads along one dimension"
            .formatted(MOST));
    assertRefused(
        "empty",
        LaunchConfig.of(1, 1).withSharedMemory(65537),
        "empty would take 65537 bytes of shared memory per block (0 static, 65537 dynamic), the"
            + " device has 65536 (sharedMemoryBytes)");
  }

  @Test
  void launch_beyondTheKernelsLimits_namesThem() {
    assertRefused(
        "bounded",
        LaunchConfig.of(1, 65),
        "bounded was compiled for at most 64 threads per block (max_flat_workgroup_size), not 65;"
            + " launch smaller blocks or compile it with __launch_bounds__(65)");
    assertRefused(
        "bounded",
        LaunchConfig.of(1, 64).withSharedMemory(MOST),
        "bounded would take 2147484671 bytes of shared memory per block (1024 static, 2147483647"
            + " dynamic), the device has 65536 (sharedMemoryBytes)");
  }

  @Test
  void check_ofOtherBlocksThanRequired_namesThem() {
    KernelMetadata kernel =
        TestImages.codeObject("/kernels/clang-21-opencl-gfx90a.co").kernels().get(0);
    LaunchChecks checks = checks(kernel, module.device().properties().limits());
    Dim3 one = new Dim3(1, 1, 1);

    checks.check(config(one, new Dim3(8, 4, 2)));
    assertIllegal(
        "blend was compiled for blocks of 8x4x2 (reqd_workgroup_size), not 64x1x1",
        () -> checks.check(config(one, new Dim3(64, 1, 1))));
  }

  @ParameterizedTest
  @CsvSource({"101, 1, 1", "1, 66, 1", "1, 1, 66", "100, 65, 66"})
  void check_ofAGridBeyondTheDevices_namesTheLimit(int x, int y, int z) {
    Dim3 grid = new Dim3(x, y, z);
    Dim3 most = new Dim3(100, 65, 65);
    LaunchChecks checks =
        checks(
            module.function("empty").metadata(), new LaunchLimits(65536, 65536, 1024, most, most));
    Dim3 one = new Dim3(1, 1, 1);

    checks.check(config(most, one));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> checks.check(config(grid, one)))
        .withMessage(
            "empty: grid dims %s are more than the device's 100x65x65 (maxGridDims)", grid);
  }

  private static LaunchChecks checks(KernelMetadata kernel, LaunchLimits limits) {
    return new LaunchChecks(kernel, kernel.sharedMemoryBytes(), limits, Platform.AMD);
  }

  @Test
  void launch_atTheLimits_isLaunched() {
    KernelArguments none = KernelArguments.of();
    HipFunction empty = module.function("empty");
    empty.launch(LaunchConfig.of(1, 1024).withSharedMemory(65536), stream, none);
    empty.launch(LaunchConfig.of(4194303, 1024), stream, none);
    empty.launch(config(new Dim3(MOST, 1, 1), new Dim3(2, 2, 2)), stream, none);
    assertThat(standIn.counters().launches()).isEqualTo(3);
  }

  /** That one was allowed says nothing of the next, nor of another function. */
  @Test
  void launch_afterAnAllowedOne_isCheckedAgain() {
    LaunchConfig config = LaunchConfig.of(1, 128);
    HipFunction empty = module.function("empty");
    HipFunction bounded = module.function("bounded");
    KernelArguments none = KernelArguments.of();
    empty.launch(config, stream, none);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> empty.launch(LaunchConfig.of(1, 2048), stream, none));
    assertThatIllegalArgumentException().isThrownBy(() -> bounded.launch(config, stream, none));
  }

  @Test
  void activeBlocks_ofWhatCannotBeLaunched_isRefused() {
    HipFunction bounded = module.function("bounded");
    assertIllegal(
        "block dims must be positive: 0x1x1", () -> bounded.activeBlocksPerComputeUnit(0, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bounded.activeBlocksPerComputeUnit(65, 0))
        .withMessageContaining("max_flat_workgroup_size");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bounded.activeBlocksPerComputeUnit(64, 65536))
        .withMessageContaining("sharedMemoryBytes");
    assertIllegal(
        "shared memory must not be negative: -1 bytes", () -> bounded.suggestedConfig(-1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> bounded.suggestedConfig(0, -1));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 256, 1",
    "1, 256, 1",
    "256, 256, 1",
    "257, 256, 2",
    "2147483647, 1, 2147483647",
    "549755813632, 256, 2147483647"
  })
  void covering_hasTheFewestBlocks(long threads, int threadsPerBlock, int blocks) {
    assertThat(LaunchConfig.covering(threads, threadsPerBlock))
        .isEqualTo(LaunchConfig.of(blocks, threadsPerBlock));
  }

  @Test
  void covering_tooMany_saysHowManyBlocksThatWouldBe() {
    assertIllegal(
        "9223372036854775807 threads in blocks of 2 take 4611686018427387904 blocks, which are"
            + " more than a grid can have",
        () -> LaunchConfig.covering(Long.MAX_VALUE, 2));
    assertThatIllegalArgumentException().isThrownBy(() -> LaunchConfig.covering(-1, 2));
    assertThatIllegalArgumentException().isThrownBy(() -> LaunchConfig.covering(1, 0));
  }

  @Test
  void count_ofHugeDims_doesNotOverflow() {
    assertThat(new Dim3(MOST, MOST, MOST).count()).isEqualTo(Long.MAX_VALUE);
    assertThat(new Dim3(2, 3, 4).count()).isEqualTo(24);
  }
}
