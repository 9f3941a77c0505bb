// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static dev.kcache.hip.Refusals.assertClosed;
import static dev.kcache.hip.Refusals.assertFails;
import static dev.kcache.hip.Refusals.assertIllegal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.hip.standin.StandIn.Version;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What buffers refuse, before the runtime is called, and when they end. */
@ParameterizedClass
@EnumSource(names = {"HIP_6_4", "CUDA_13_0"})
class DeviceBufferTest extends StandInTestBase {
  private HipStream stream;

  DeviceBufferTest(Version version) {
    super(version);
  }

  @BeforeEach
  void open() {
    stream = device.createStream();
  }

  @AfterEach
  void close() {
    stream.close();
  }

  @Test
  void allocate_negativeSize_isRefused() {
    assertIllegal("size must not be negative: -1", () -> device.allocate(-1));
    assertIllegal("size must not be negative: -1", () -> stream.allocate(-1));
    assertIllegal("size must not be negative: -1", () -> device.allocatePinned(-1));
  }

  @Test
  void allocate_moreThanThereIs_isTheRuntimesError() {
    assertFails("hipMalloc", 2, () -> device.allocate(1L << 50));
  }

  @Test
  void freeMemory_shrinksByWhatIsAllocated() {
    long before = device.freeMemory();
    try (DeviceBuffer buffer = device.allocate(1 << 20)) {
      assertThat(device.freeMemory()).isEqualTo(before - buffer.size());
    }
    assertThat(device.freeMemory()).isEqualTo(before);
  }

  @Test
  void emptyBuffer_needsNoRuntime() {
    try (DeviceBuffer empty = device.allocate(0);
        DeviceBuffer inOrder = stream.allocate(0);
        PinnedBuffer pinned = device.allocatePinned(0)) {
      empty.copyFrom(new byte[0]);
      empty.copyFrom(pinned.bytes(), stream);
      empty.copyFrom(inOrder);
      empty.copyTo(new int[0]);
      empty.fill((byte) 1);
      empty.fillInts(1, stream);
      assertThat(empty.slice(0, 0).size()).isZero();
    }
    for (String function :
        List.of("hipMalloc", "hipFree", "hipHostMalloc", "hipMemcpyHtoD", "hipMemcpyDtoDAsync")) {
      assertThat(standIn.calls(function)).as(function).isZero();
    }
  }

  @Test
  void copies_thatDoNotFit_areRefused() {
    try (DeviceBuffer buffer = device.allocate(7);
        DeviceBuffer larger = device.allocate(8)) {
      ByteBuffer direct = ByteBuffer.allocateDirect(8);
      assertRefused("8 bytes are more than the buffer's 7", () -> buffer.copyFrom(new byte[8]));
      assertRefused("8 bytes are more than the buffer's 7", () -> buffer.copyFrom(new int[2]));
      assertRefused("8 bytes are more than the buffer's 7", () -> buffer.copyFrom(direct, stream));
      assertRefused("8 bytes are more than the buffer's 7", () -> buffer.copyTo(new long[1]));
      assertRefused("8 bytes are more than the buffer's 7", () -> buffer.copyTo(direct, stream));
      assertRefused("8 bytes are more than the buffer's 7", () -> buffer.copyFrom(larger));
      assertRefused("8 bytes are more than the buffer's 7", () -> buffer.copyFrom(larger, stream));
    }
    assertThat(standIn.calls("hipMemcpyHtoD")).isZero();
    assertThat(standIn.calls("hipMemcpyDtoH")).isZero();
  }

  private static void assertRefused(String message, ThrowingCallable copy) {
    assertThatThrownBy(copy).isInstanceOf(IndexOutOfBoundsException.class).hasMessage(message);
  }

  @Test
  void slice_outside_isRefused() {
    try (DeviceBuffer buffer = device.allocate(10)) {
      assertThat(buffer.slice(10, 0).size()).isZero();
      assertRefused(
          "5 bytes at offset 6 are not all inside of the buffer's 10", () -> buffer.slice(6, 5));
      assertRefused(
          "1 bytes at offset -1 are not all inside of the buffer's 10", () -> buffer.slice(-1, 1));
      assertRefused(
          "-1 bytes at offset 1 are not all inside of the buffer's 10", () -> buffer.slice(1, -1));
      assertRefused(
          "9223372036854775807 bytes at offset 9223372036854775807 are not all inside of the buffer's 10",
          () -> buffer.slice(Long.MAX_VALUE, Long.MAX_VALUE));
      assertRefused(
          "1 bytes at offset 4 are not all inside of the buffer's 4",
          () -> buffer.slice(2, 4).slice(4, 1));
    }
  }

  @Test
  void slice_livesAsLongAsTheWhole() {
    DeviceBuffer buffer = device.allocate(10);
    DeviceBuffer part = buffer.slice(2, 5).slice(1, 2);
    part.close();
    part.fill((byte) 7);
    byte[] bytes = new byte[10];
    buffer.copyTo(bytes);
    assertThat(bytes[3]).isEqualTo((byte) 7);
    buffer.close();
    assertClosed("device buffer", () -> part.fill((byte) 1));
  }

  @Test
  void isAligned_tellsWhereTheMemoryBegins() {
    DeviceBuffer part;
    try (DeviceBuffer buffer = device.allocate(64);
        DeviceBuffer empty = device.allocate(0)) {
      assertThat(buffer.isAligned(16)).isTrue();
      assertThat(empty.isAligned(16)).isTrue();
      assertThat(buffer.slice(3, 0).isAligned(2)).isFalse();
      part = buffer.slice(12, 8);
    }
    assertThat(part.isAligned(4)).isTrue();
    assertThat(part.isAligned(8)).isFalse();
    assertIllegal("an alignment must be positive: 0", () -> part.isAligned(0));
    assertIllegal("an alignment must be positive: -4", () -> part.isAligned(-4));
  }

  @Test
  void heapMemory_onAStream_isRefused() {
    String message =
        "a copy on a stream needs memory outside of the Java heap: use HipDevice.allocatePinned or ByteBuffer.allocateDirect, or copy without a stream";
    try (DeviceBuffer buffer = device.allocate(8)) {
      assertIllegal(message, () -> buffer.copyFrom(ByteBuffer.allocate(8), stream));
      assertIllegal(message, () -> buffer.copyTo(FloatBuffer.allocate(2), stream));
    }
  }

  @Test
  void otherByteOrder_isRefused() {
    ByteOrder foreign =
        ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
            ? ByteOrder.BIG_ENDIAN
            : ByteOrder.LITTLE_ENDIAN;
    String message =
        "the buffer's elements are in %s order, the device's in %s: call order(ByteOrder.nativeOrder()) on the ByteBuffer before a view of it is made"
            .formatted(foreign, ByteOrder.nativeOrder());
    try (DeviceBuffer buffer = device.allocate(8)) {
      for (ByteBuffer bytes : List.of(ByteBuffer.allocate(8), ByteBuffer.allocateDirect(8))) {
        bytes.order(foreign);
        buffer.copyFrom(bytes);
        for (var view :
            List.of(
                bytes.asShortBuffer(),
                bytes.asCharBuffer(),
                bytes.asIntBuffer(),
                bytes.asLongBuffer(),
                bytes.asFloatBuffer(),
                bytes.asDoubleBuffer())) {
          assertIllegal(message, () -> buffer.copyFrom(view));
          assertIllegal(message, () -> buffer.copyTo(view));
        }
      }
    }
  }

  @Test
  void readOnlyTarget_isRefused() {
    try (DeviceBuffer buffer = device.allocate(8)) {
      for (ByteBuffer bytes : List.of(ByteBuffer.allocate(8), ByteBuffer.allocateDirect(8))) {
        assertIllegal(
            "a read-only buffer cannot be copied to",
            () -> buffer.copyTo(bytes.asReadOnlyBuffer()));
      }
    }
  }

  @Test
  void fillInts_ofUnalignedMemory_isRefused() {
    try (DeviceBuffer buffer = device.allocate(16)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> buffer.slice(0, 15).fillInts(1))
          .withMessageMatching(
              "a buffer of 15 bytes at address 0x[0-9a-f]+ does not consist of aligned ints");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> buffer.slice(1, 8).fillInts(1, stream))
          .withMessageStartingWith("a buffer of 8 bytes at address 0x");
    }
  }

  @Test
  void overlappingParts_areRefused() {
    try (DeviceBuffer buffer = device.allocate(16)) {
      assertIllegal(
          "the source of the copy overlaps its target",
          () -> buffer.slice(0, 8).copyFrom(buffer.slice(7, 8)));
      assertIllegal(
          "the source of the copy overlaps its target",
          () -> buffer.slice(7, 8).copyFrom(buffer.slice(0, 8), stream));
      buffer.slice(0, 8).copyFrom(buffer.slice(8, 8));
    }
  }

  @Test
  void streamOfAnotherDevice_isRefused() {
    try (DeviceBuffer there = other.allocate(8)) {
      assertIllegal(
          "a stream of device 0 cannot be used with memory of device 1",
          () -> there.fill((byte) 0, stream));
      assertIllegal(
          "a stream of device 0 cannot be used with memory of device 1",
          () -> there.copyFrom(ByteBuffer.allocateDirect(1), stream));
    }
  }

  @Test
  void closedBuffer_refusesEveryUse() {
    DeviceBuffer buffer = device.allocate(8);
    ByteBuffer direct = ByteBuffer.allocateDirect(8);
    buffer.close();
    buffer.close();
    try (DeviceBuffer open = device.allocate(8)) {
      assertClosed("device buffer", () -> buffer.copyFrom(new byte[0]));
      assertClosed("device buffer", () -> buffer.copyFrom(new byte[8]));
      assertClosed("device buffer", () -> buffer.copyFrom(direct, stream));
      assertClosed("device buffer", () -> buffer.copyTo(new byte[8]));
      assertClosed("device buffer", () -> buffer.copyTo(direct, stream));
      assertClosed("device buffer", () -> buffer.copyFrom(open));
      assertClosed("device buffer", () -> open.copyFrom(buffer));
      assertClosed("device buffer", () -> open.copyFrom(buffer, stream));
      assertClosed("device buffer", () -> buffer.fill((byte) 0));
      assertClosed("device buffer", () -> buffer.fill((byte) 0, stream));
      assertClosed("device buffer", () -> buffer.fillInts(0));
      assertClosed("device buffer", () -> buffer.fillInts(0, stream));
    }
  }

  @Test
  void close_waitsForWorkOfOtherStreams() {
    try (DeviceBuffer source = device.allocate(8)) {
      DeviceBuffer target = device.allocate(8);
      standIn.async(true);
      target.copyFrom(source, stream);
      long before = standIn.calls("hipDeviceSynchronize");
      target.close();
      assertThat(standIn.calls("hipDeviceSynchronize")).isEqualTo(before + 1);
      assertThat(standIn.fault(0)).isZero();
    }
  }

  /** The runtime's own fills, and copies on the device, may return before they are done. */
  @Test
  void workOfTheDeviceAlone_isWaitedFor() {
    try (DeviceBuffer source = device.allocate(8);
        DeviceBuffer target = device.allocate(8)) {
      source.fill((byte) 1);
      assertThat(standIn.calls("hipStreamSynchronize")).isEqualTo(1);
      target.copyFrom(source);
      assertThat(standIn.calls("hipStreamSynchronize")).isEqualTo(2);
    }
  }

  @Test
  void close_doesNotThrowIfTheRuntimeFails() {
    DeviceBuffer buffer = device.allocate(8);
    standIn.fail("hipFree", 1, 0, 1);
    buffer.close();
    assertThat(standIn.counters().deviceAllocations()).isEqualTo(1);
    stream.close();
    standIn.reset();
  }

  @Test
  void failedCopy_saysWhichFunctionFailed() {
    try (DeviceBuffer buffer = device.allocate(8)) {
      for (String function :
          List.of("hipMemcpyHtoD", "hipMemcpyDtoH", "hipMemsetD8Async", "hipMemcpyHtoDAsync")) {
        standIn.fail(function, 1, 0, 1);
      }
      assertFails("hipMemcpyHtoD", 1, () -> buffer.copyFrom(new byte[8]));
      assertFails("hipMemcpyDtoH", 1, () -> buffer.copyTo(new byte[8]));
      assertFails("hipMemsetD8Async", 1, () -> buffer.fill((byte) 0));
      assertFails(
          "hipMemcpyHtoDAsync", 1, () -> buffer.copyFrom(ByteBuffer.allocateDirect(8), stream));
    }
    assertThat(stream.kept()).isZero();
  }
}
