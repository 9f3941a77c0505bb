// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.hip.standin.StandIn.Version;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(names = {"HIP_6_4", "CUDA_13_0"})
class PinnedBufferTest extends StandInTestBase {
  PinnedBufferTest(Version version) {
    super(version);
  }

  @BeforeEach
  void open() {
    standIn.async(true);
  }

  @Test
  void bytes_areViewsOfTheSameMemory() {
    try (PinnedBuffer pinned = device.allocatePinned(16)) {
      ByteBuffer first = pinned.bytes();
      first.putInt(0x01020304);
      assertThat(pinned.bytes().position()).isZero();
      assertThat(pinned.bytes().getInt(0)).isEqualTo(0x01020304);
    }
  }

  @Test
  void close_waitsForTheDeviceAndFrees() {
    try (HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(16)) {
      PinnedBuffer pinned = device.allocatePinned(16);
      buffer.copyFrom(pinned.bytes(), stream);
      pinned.close();
      pinned.close();
      assertThat(standIn.calls("hipDeviceSynchronize")).isEqualTo(1);
      assertThat(standIn.calls("hipHostFree")).isEqualTo(1);
      assertThat(standIn.fault(0)).isZero();
      assertThatIllegalStateException()
          .isThrownBy(pinned::bytes)
          .withMessage("the pinned buffer is closed");
    }
  }

  @Test
  void allocate_withoutMemory_isTheRuntimesError() {
    standIn.fail("hipHostMalloc", 2, 0, 1);
    assertThatThrownBy(() -> device.allocatePinned(16))
        .isInstanceOf(HipException.class)
        .hasMessageStartingWith("hipHostMalloc: hipErrorOutOfMemory (2)");
  }

  @Test
  void views_keepTheMemoryOfABufferThatNobodyHas() {
    List<FloatBuffer> views = new ArrayList<>();
    views.add(device.allocatePinned(16).bytes().slice().asFloatBuffer().put(0, 42));
    Unreachable.collect();
    assertThat(standIn.counters().pinnedAllocations()).isEqualTo(1);
    assertThat(views.get(0).get(0)).isEqualTo(42);
    views.clear();
    Unreachable.collectUntil(() -> standIn.counters().pinnedAllocations() == 0);
  }
}
