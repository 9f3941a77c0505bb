// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.binding.CurrentDevice;
import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;
import dev.kcache.hip.binding.KernelLauncher;
import dev.kcache.hip.binding.PlatformCalls;
import dev.kcache.hip.binding.RuntimeKind;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GpuFaultsTest {
  /** Windows has neither HSA nor the functions of glibc that a fault takes on Linux. */
  @Test
  void runtimeThatAnswersFaultsByErrors_isAskedForNothing() {
    GpuFaults faults = GpuFaults.of(new OnWindows());

    faults.watch();
    faults.failed(700);

    assertThat(faults.survive(6, 4)).isEmpty();
    assertThat(faults.loss()).isNull();
    assertThat(faults.call(() -> 700)).isEqualTo(700);
  }

  private static final class OnWindows extends HipLibrary {
    OnWindows() {
      super(RuntimeKind.HIP);
    }

    @Override
    public boolean endsProcessAtFault() {
      return false;
    }

    private static AssertionError asked() {
      return new AssertionError("the runtime is asked");
    }

    @Override
    public Hip functions() {
      throw asked();
    }

    @Override
    public PlatformCalls platformCalls() {
      throw asked();
    }

    @Override
    public KernelLauncher nextLauncher() {
      throw asked();
    }

    @Override
    public CurrentDevice currentDevice(int ordinal) {
      throw asked();
    }

    @Override
    public boolean has(String function) {
      throw asked();
    }

    @Override
    public long address(String symbol) {
      throw asked();
    }

    @Override
    public Optional<String> flaw() {
      throw asked();
    }

    @Override
    public String file() {
      return "C:\\Windows\\System32\\amdhip64_7.dll";
    }

    @Override
    public long launchParamEnd() {
      throw asked();
    }
  }
}
