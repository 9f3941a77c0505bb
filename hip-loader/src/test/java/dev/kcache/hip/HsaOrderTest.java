// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.StandIn.Version;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Work that must wait for other work, and what work uses until it is done. Each piece takes a
 * while, so that what does not wait comes too early.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HsaOrderTest extends LaunchTestBase {
  private static final int COUNT = 64;
  private static final int LAUNCHES = 10;
  private static final int MICROSECONDS = 5000;

  HsaOrderTest() {
    super(Version.HSA_6_4);
  }

  private DeviceBuffer ones() {
    float[] ones = new float[COUNT];
    Arrays.fill(ones, 1);
    DeviceBuffer buffer = device.allocate(4L * COUNT);
    buffer.copyFrom(ones);
    return buffer;
  }

  private void scale(DeviceBuffer buffer, HipStream on) {
    module
        .function("scale")
        .launch(LaunchConfig.of(1, COUNT), on, KernelArguments.of(buffer, 2.0, (long) COUNT));
  }

  private static float first(PinnedBuffer pinned) {
    return pinned.bytes().order(ByteOrder.nativeOrder()).getFloat(0);
  }

  @Test
  void copy_waitsForTheKernelsBeforeIt() {
    try (DeviceBuffer buffer = ones();
        PinnedBuffer pinned = device.allocatePinned(4 * COUNT)) {
      standIn.async(true).delay(MICROSECONDS);
      for (int i = 0; i < LAUNCHES; i++) {
        scale(buffer, stream);
      }
      buffer.copyTo(pinned.bytes(), stream);
      stream.synchronize();
      assertThat(first(pinned)).isEqualTo(1 << LAUNCHES);
    }
  }

  @Test
  void stream_waitsForAnEventOfAnother() {
    try (DeviceBuffer buffer = ones();
        PinnedBuffer pinned = device.allocatePinned(4 * COUNT);
        HipStream second = device.createStream();
        HipEvent event = device.createEvent()) {
      standIn.async(true).delay(MICROSECONDS);
      for (int i = 0; i < LAUNCHES; i++) {
        scale(buffer, stream);
      }
      event.record(stream);
      second.waitFor(event);
      buffer.copyTo(pinned.bytes(), second);
      second.synchronize();
      assertThat(first(pinned)).isEqualTo(1 << LAUNCHES);
    }
  }

  @Test
  void synchronize_waitsForTheLastKernel() {
    float[] values = new float[COUNT];
    try (DeviceBuffer buffer = ones();
        HipStream second = device.createStream()) {
      standIn.async(true).delay(20 * MICROSECONDS);
      scale(buffer, stream);
      stream.synchronize();
      standIn.delay(0);
      buffer.copyTo(ByteBuffer.allocateDirect(4 * COUNT), second);
      second.synchronize();
      buffer.copyTo(values);
    }
    assertThat(values).containsOnly(2);
  }

  /** Two kernels that wait in one queue have arguments of their own. */
  @Test
  void argumentsOfKernelsInFlight_areTheirOwn() {
    float[] values = new float[COUNT];
    try (DeviceBuffer buffer = ones();
        DeviceBuffer another = ones()) {
      standIn.async(true).hold();
      scale(buffer, stream);
      scale(another, stream);
      standIn.release();
      stream.synchronize();
      buffer.copyTo(values);
      assertThat(values).containsOnly(2);
      another.copyTo(values);
      assertThat(values).containsOnly(2);
    }
  }

  /** The memory for arguments goes round more than once. */
  @Test
  void argumentsOfKernelsThatAreOver_makeRoom() {
    standIn.async(true);
    for (int i = 0; i < 6000; i++) {
      launch("bounded", KernelArguments.of(out));
    }
    stream.synchronize();
    assertThat(standIn.counters().launches()).isEqualTo(6000);
  }

  /** Signals and locked memory are given back by later calls, but not before they were used. */
  @Test
  void whatACopyUses_staysUntilItIsDone() {
    ByteBuffer bytes = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
    byte[] read = new byte[64];
    standIn.async(true).hold();
    for (int i = 0; i < LAUNCHES; i++) {
      launch("empty", KernelArguments.of());
      out.copyFrom(bytes.put(0, (byte) 7).duplicate(), stream);
    }
    assertThat(stream.isDone()).isFalse();
    standIn.release();
    stream.synchronize();
    out.copyTo(read);
    assertThat(read[0]).isEqualTo((byte) 7);
  }
}
