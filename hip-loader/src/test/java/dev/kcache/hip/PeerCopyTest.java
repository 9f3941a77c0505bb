// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies between two devices of one runtime, whether or not they reach each other's memory. */
@ParameterizedClass
@EnumSource(names = {"HIP_5_2", "HIP_6_4", "HIP_7_2", "CUDA_13_0"})
class PeerCopyTest extends StandInTestBase {
  PeerCopyTest(Version version) {
    super(version);
  }

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static byte[] contents(DeviceBuffer buffer) {
    byte[] bytes = new byte[(int) buffer.size()];
    buffer.copyTo(bytes);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void copy_bothWays_hasTheSameBytes(boolean apart) {
    standIn.apart(apart);
    byte[] bytes = random(100_003);
    try (DeviceBuffer here = device.allocate(bytes.length);
        DeviceBuffer there = other.allocate(bytes.length + 5);
        DeviceBuffer back = device.allocate(bytes.length)) {
      here.copyFrom(bytes);
      there.fill((byte) 7);
      there.slice(5, bytes.length).copyFrom(here);
      back.copyFrom(there.slice(5, bytes.length));
      assertThat(contents(back)).isEqualTo(bytes);
      assertThat(contents(there.slice(0, 5))).containsOnly(7);
    }
    assertThat(standIn.calls("hipMemcpyPeerAsync")).isEqualTo(apart ? 0 : 2);
  }

  @Test
  void copy_ofSeveralPieces_leavesNoneOut() {
    standIn.apart(true);
    byte[] bytes = random(2 * PeerCopy.PIECE + 17);
    try (DeviceBuffer here = device.allocate(bytes.length);
        DeviceBuffer there = other.allocate(bytes.length)) {
      here.copyFrom(bytes);
      there.copyFrom(here);
      assertThat(contents(there)).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void copy_ofNothing_asksNothing(boolean apart) {
    standIn.apart(apart);
    try (DeviceBuffer here = device.allocate(0);
        DeviceBuffer there = other.allocate(8);
        HipStream stream = other.createStream()) {
      there.copyFrom(here);
      there.copyFrom(here, stream);
    }
    assertThat(standIn.calls("hipMemcpyPeerAsync")).isZero();
    assertThat(standIn.calls("hipHostMalloc")).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void copyOnAStream_ofEitherDevice_followsItsWork(boolean apart) {
    standIn.apart(apart).async(true).delay(2_000);
    for (HipDevice owner : new HipDevice[] {device, other}) {
      try (DeviceBuffer here = device.allocate(64);
          DeviceBuffer there = other.allocate(64);
          HipStream stream = owner.createStream()) {
        DeviceBuffer own = owner.equals(device) ? here : there;
        DeviceBuffer target = owner.equals(device) ? there : here;
        own.fill((byte) 3, stream);
        target.copyFrom(own, stream);
        own.fill((byte) 4, stream);
        stream.synchronize();
        assertThat(contents(target)).containsOnly(3);
        assertThat(contents(own)).containsOnly(4);
      }
    }
  }

  @Test
  void copyOnAStream_returnsBeforeItIsDone() {
    standIn.async(true);
    try (DeviceBuffer here = device.allocate(64);
        DeviceBuffer there = other.allocate(64);
        HipStream stream = other.createStream()) {
      standIn.hold();
      there.copyFrom(here, stream);
      boolean done = stream.isDone();
      standIn.release();
      stream.synchronize();
      assertThat(done).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void copy_waitsForTheDefaultStreamsOfBoth(boolean apart) {
    standIn.apart(apart).async(true).delay(2_000);
    try (DeviceBuffer here = device.allocate(64);
        DeviceBuffer there = other.allocate(64)) {
      there.fill((byte) 3, other.defaultStream());
      for (int i = 0; i < 20; i++) {
        here.fill((byte) 2, device.defaultStream());
      }
      here.fill((byte) 1, device.defaultStream());
      there.copyFrom(here);
      assertThat(contents(there)).containsOnly(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void copy_whileAnotherLibraryChangesTheDevice_isRight(boolean apart) {
    standIn.apart(apart).interfere(true);
    byte[] bytes = random(1_000);
    try (DeviceBuffer here = device.allocate(bytes.length);
        DeviceBuffer there = other.allocate(bytes.length)) {
      here.copyFrom(bytes);
      there.copyFrom(here);
      assertThat(contents(there)).isEqualTo(bytes);
    }
  }

  @Test
  void peerAccess_isEnabledOnce_alsoIfSomebodyElseHas() {
    try (DeviceBuffer here = device.allocate(8);
        DeviceBuffer there = other.allocate(8)) {
      there.copyFrom(here);
      there.copyFrom(here);
      assertThat(standIn.calls("hipDeviceEnablePeerAccess")).isEqualTo(1);
    }
    HipRuntime runtime = HipRuntime.at(standIn.library());
    try (DeviceBuffer here = runtime.devices().get(0).allocate(8);
        DeviceBuffer there = runtime.devices().get(1).allocate(8)) {
      there.copyFrom(here);
    }
    assertThat(standIn.calls("hipDeviceEnablePeerAccess")).isEqualTo(2);
  }

  @Test
  void peerAccess_thatFails_isAnError() {
    try (DeviceBuffer here = device.allocate(8);
        DeviceBuffer there = other.allocate(8)) {
      standIn.fail("hipDeviceEnablePeerAccess", 999, 0, 1);
      assertThatThrownBy(() -> there.copyFrom(here))
          .isInstanceOf(HipException.class)
          .hasMessageContaining("hipDeviceEnablePeerAccess");
      there.copyFrom(here);
      standIn.fail("hipMemcpyPeerAsync", 999, 0, 1);
      assertThatThrownBy(() -> there.copyFrom(here))
          .isInstanceOf(HipException.class)
          .hasMessageContaining("hipMemcpyPeerAsync");
    }
  }

  @Test
  void copy_thatIsTooLarge_orClosed_orOnAThirdStream_isRefused() {
    try (DeviceBuffer here = device.allocate(8);
        DeviceBuffer there = other.allocate(4)) {
      assertThatThrownBy(() -> there.copyFrom(here))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessage("8 bytes are more than the buffer's 4");
      DeviceBuffer closed = device.allocate(4);
      closed.close();
      assertThatThrownBy(() -> there.copyFrom(closed))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the device buffer is closed");
    }
    standIn.devices(
        standIn.version().defaultDevice(),
        standIn.version().defaultDevice(),
        standIn.version().defaultDevice());
    var devices = HipRuntime.at(standIn.library()).devices();
    try (DeviceBuffer here = devices.get(0).allocate(8);
        DeviceBuffer there = devices.get(1).allocate(8);
        HipStream third = devices.get(2).createStream()) {
      assertThatThrownBy(() -> there.copyFrom(here, third))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a stream of device 2 cannot be used with memory of device 1");
    }
  }

  @Test
  void copy_betweenRuntimes_isRefused() {
    StandIn second =
        StandIn.build(standIn.version() == Version.HIP_6_4 ? Version.HIP_5_2 : Version.HIP_6_4);
    second.devices(second.version().defaultDevice());
    HipDevice foreign = HipRuntime.at(second.library()).devices().get(0);
    try (DeviceBuffer here = device.allocate(8);
        DeviceBuffer there = foreign.allocate(8)) {
      assertThatThrownBy(() -> there.copyFrom(here))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("they are devices of different runtimes");
    }
    second.reset();
  }

  @Test
  void hostMemory_ofOneDevicesStream_isStillRefusedByTheOther() {
    try (DeviceBuffer there = other.allocate(8);
        HipStream stream = device.createStream()) {
      assertThatThrownBy(() -> there.copyFrom(ByteBuffer.allocateDirect(8), stream))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a stream of device 0 cannot be used with memory of device 1");
    }
  }
}
