// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.hip.standin.StandIn.Version;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Launches that the runtime refuses. */
@ParameterizedClass
@EnumSource(names = {"HIP_5_2", "CUDA_13_0"})
class FailedLaunchTest extends LaunchTestBase {
  FailedLaunchTest(Version version) {
    super(version);
  }

  @ParameterizedTest
  @CsvSource({
    "hipGetDevice,         101",
    "hipModuleLaunchKernel, 719",
    "hipModuleLaunchKernel, 2"
  })
  void launch_thatTheRuntimeFails_saysSoAndReleasesEverything(String function, int error) {
    HipFunction empty = module.function("empty");
    // On the default stream CUDA, too, has to be asked what is current.
    HipStream created = device.createStream();
    HipStream queue = function.equals("hipGetDevice") ? device.defaultStream() : created;
    standIn.fail(function, error);

    HipException failure =
        catchThrowableOfType(
            HipException.class,
            () -> empty.launch(LaunchConfig.of(1, 1), queue, KernelArguments.of()));

    standIn.fail(function, error, 0, 0);
    assertThat(failure.function()).isEqualTo(function);
    assertThat(failure.code()).isEqualTo(error);
    assertThat(failure.isSticky()).isEqualTo(error == 719);
    empty.launch(LaunchConfig.of(1, 1), created, KernelArguments.of());
    created.close();
  }
}
