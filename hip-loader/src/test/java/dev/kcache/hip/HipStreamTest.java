// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Streams, the events in them, and memory that is allocated in their order. */
class HipStreamTest {
  private static final StandIn STAND_IN = StandIn.build(StandIn.Version.HIP_6_4);

  private HipDevice device;
  private HipDevice other;

  @BeforeEach
  void open() {
    STAND_IN.devices(StandIn.DEFAULT_DEVICE, "gfx1030").async(true);
    List<HipDevice> devices = HipRuntime.at(STAND_IN.library()).devices();
    device = devices.get(0);
    other = devices.get(1);
  }

  @AfterEach
  void nothingIsLeft() {
    device.synchronize();
    assertThat(STAND_IN.counters()).isEqualTo(Counters.cleanAfter(0));
  }

  @Test
  void isDone_tellsWorkUnderWayFromNone() {
    try (HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(8)) {
      assertThat(stream.isDone()).isTrue();
      STAND_IN.hold();
      buffer.fill((byte) 1, stream);
      boolean doneUnderWay = stream.isDone();
      STAND_IN.release();
      stream.synchronize();
      assertThat(doneUnderWay).isFalse();
      assertThat(stream.isDone()).isTrue();
    }
  }

  @Test
  void priority_isHandedOn() {
    try (HipStream stream = device.createStream(-1);
        DeviceBuffer buffer = device.allocate(8)) {
      buffer.fill((byte) 1, stream);
      stream.synchronize();
      assertThat(STAND_IN.calls("hipStreamCreateWithPriority")).isEqualTo(1);
    }
  }

  @Test
  void waitFor_ordersStreams_alsoOfAnotherDevice() {
    try (HipStream first = device.createStream();
        HipStream second = other.createStream();
        HipEvent event = device.createEvent();
        DeviceBuffer buffer = device.allocate(8);
        DeviceBuffer there = other.allocate(8)) {
      STAND_IN.hold();
      buffer.fill((byte) 1, first);
      event.record(first);
      second.waitFor(event);
      there.fill((byte) 1, second);
      boolean secondDone = second.isDone();
      STAND_IN.release();
      second.synchronize();
      assertThat(secondDone).isFalse();
      assertThat(event.isDone()).isTrue();
    }
  }

  @Test
  void event_withoutARecord_isDoneButHasNoTime() {
    try (HipEvent start = device.createEvent();
        HipEvent stop = device.createEvent();
        HipStream stream = device.createStream()) {
      assertThat(start.isDone()).isTrue();
      start.synchronize();
      stream.waitFor(start);
      assertThatThrownBy(() -> stop.elapsedSince(start))
          .isInstanceOfSatisfying(HipException.class, e -> assertThat(e.code()).isEqualTo(400));
    }
  }

  @Test
  void elapsedSince_isKnownOncePassed() {
    try (HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(8);
        HipEvent start = device.createEvent();
        HipEvent stop = device.createEvent()) {
      STAND_IN.hold();
      start.record(stream);
      buffer.fill((byte) 1, stream);
      stop.record(stream);
      boolean doneUnderWay = stop.isDone();
      Throwable tooEarly = catchThrowable(() -> stop.elapsedSince(start));
      STAND_IN.release();
      assertThat(doneUnderWay).isFalse();
      assertThat(tooEarly)
          .isInstanceOfSatisfying(HipException.class, e -> assertThat(e.code()).isEqualTo(600));
      stop.synchronize();
      assertThat(stop.isDone()).isTrue();
      assertThat(stop.elapsedSince(start)).isGreaterThan(Duration.ZERO);
    }
  }

  @Test
  void event_ofAnotherDevice_isRefused() {
    try (HipStream stream = device.createStream();
        HipEvent event = device.createEvent();
        HipEvent there = other.createEvent()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> there.record(stream))
          .withMessage("a stream of device 0 cannot be used with an event of device 1");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> event.elapsedSince(there))
          .withMessage("an event of device 1 cannot be used with an event of device 0");
    }
  }

  @Test
  void closed_refusesEveryUse() {
    HipStream stream = device.createStream();
    HipEvent event = device.createEvent();
    try (HipStream open = device.createStream();
        HipEvent mark = device.createEvent();
        DeviceBuffer buffer = device.allocate(8)) {
      stream.close();
      stream.close();
      event.close();
      event.close();
      assertClosed("stream", stream::synchronize);
      assertClosed("stream", stream::isDone);
      assertClosed("stream", () -> stream.allocate(8));
      assertClosed("stream", () -> stream.waitFor(mark));
      assertClosed("stream", () -> mark.record(stream));
      assertClosed("stream", () -> buffer.fill((byte) 0, stream));
      assertClosed("event", () -> open.waitFor(event));
      assertClosed("event", () -> event.record(open));
      assertClosed("event", event::synchronize);
      assertClosed("event", event::isDone);
      assertClosed("event", () -> event.elapsedSince(mark));
      assertClosed("event", () -> mark.elapsedSince(event));
    }
  }

  private static void assertClosed(String what, ThrowingCallable use) {
    assertThatIllegalStateException().isThrownBy(use).withMessage("the " + what + " is closed");
  }

  @Test
  void defaultStream_staysOpen() {
    HipStream stream = device.defaultStream();
    stream.close();
    try (DeviceBuffer buffer = device.allocate(8)) {
      buffer.fill((byte) 1, stream);
      stream.synchronize();
      assertThat(stream.isDone()).isTrue();
      assertThat(device.defaultStream()).isSameAs(stream);
    }
  }

  @Test
  void synchronize_tellsOfAFault() {
    try (HipStream stream = device.createStream()) {
      STAND_IN.setFault(0, 700);
      assertThatThrownBy(stream::synchronize)
          .isInstanceOfSatisfying(HipException.class, e -> assertThat(e.isSticky()).isTrue());
      assertThatThrownBy(stream::isDone).isInstanceOf(HipException.class);
      STAND_IN.setFault(0, 0);
    }
  }

  @Test
  void allocate_isWorkOfTheStream() {
    try (HipStream stream = device.createStream()) {
      byte[] bytes = new byte[100];
      assertThat(device.supportsStreamAllocation()).isTrue();
      long waits = STAND_IN.calls("hipDeviceSynchronize");
      try (DeviceBuffer buffer = stream.allocate(100)) {
        buffer.fill((byte) 3, stream);
        stream.synchronize();
        buffer.copyTo(bytes);
      }
      assertThat(bytes).containsOnly(3);
      assertThat(STAND_IN.calls("hipFreeAsync")).isEqualTo(1);
      assertThat(STAND_IN.calls("hipFree")).isZero();
      assertThat(STAND_IN.calls("hipDeviceSynchronize")).isEqualTo(waits);
    }
  }

  @Test
  void allocate_bufferMayOutliveTheStream() {
    HipStream stream = device.createStream();
    DeviceBuffer buffer = stream.allocate(100);
    stream.close();
    buffer.fill((byte) 3);
    assertThatIllegalStateException().isThrownBy(() -> buffer.fill((byte) 4, stream));
    assertThat(STAND_IN.counters().streams()).isEqualTo(1);
    buffer.close();
    assertThat(STAND_IN.counters().streams()).isZero();
  }

  @Test
  void allocate_thatFails_leavesTheStreamFree() {
    HipStream stream = device.createStream();
    STAND_IN.fail("hipMallocAsync", 2, 0, 1);
    assertThatThrownBy(() -> stream.allocate(100)).isInstanceOf(HipException.class);
    stream.close();
    assertThat(STAND_IN.counters().streams()).isZero();
  }

  @Test
  void allocate_withoutTheFunction_isOrdinaryMemory() {
    StandIn without = STAND_IN.without("hipMallocAsync").devices(StandIn.DEFAULT_DEVICE);
    HipDevice old = HipRuntime.at(without.library()).devices().get(0);
    assertThat(old.supportsStreamAllocation()).isFalse();
    try (HipStream stream = old.createStream();
        DeviceBuffer buffer = stream.allocate(100)) {
      buffer.fill((byte) 3, stream);
      assertThat(without.calls("hipMalloc")).isEqualTo(1);
    }
    assertThat(without.counters()).isEqualTo(Counters.cleanAfter(0));
  }

  @Test
  void copies_keepTheirMemoryUntilTheStreamHasPassedThem() {
    try (HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(8)) {
      STAND_IN.hold();
      buffer.copyFrom(ByteBuffer.allocateDirect(8), stream);
      boolean doneUnderWay = stream.isDone();
      int keptUnderWay = stream.kept();
      STAND_IN.release();
      stream.synchronize();
      assertThat(doneUnderWay).isFalse();
      assertThat(keptUnderWay).isEqualTo(1);
      assertThat(stream.kept()).isZero();
    }
  }

  @Test
  void isDone_letsMemoryGo() {
    try (HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(8)) {
      buffer.copyFrom(ByteBuffer.allocateDirect(8), stream);
      device.synchronize();
      assertThat(stream.kept()).isEqualTo(1);
      assertThat(stream.isDone()).isTrue();
      assertThat(stream.kept()).isZero();
    }
  }

  @Test
  void manyCopies_keepNoMoreThanIsUnderWay() {
    ByteBuffer direct = ByteBuffer.allocateDirect(8);
    try (HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(8)) {
      STAND_IN.async(false);
      for (int i = 0; i < 1_000_000; i++) {
        buffer.copyFrom(direct, stream);
      }
      assertThat(stream.kept()).isEqualTo(1);
      for (int i = 0; i < 10_000; i++) {
        buffer.copyFrom(direct.duplicate(), stream);
      }
      assertThat(stream.kept()).isLessThanOrEqualTo(2 * InFlight.GENERATION);
    }
  }

  @Test
  void copiesUnderWay_keepAllTheirMemory() {
    try (HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(8)) {
      STAND_IN.hold();
      for (int i = 0; i < 1000; i++) {
        buffer.copyFrom(ByteBuffer.allocateDirect(8), stream);
      }
      int kept = stream.kept();
      STAND_IN.release();
      assertThat(kept).isEqualTo(1000);
    }
  }

  @Test
  void close_waitsForWorkUnderWay() {
    HipStream stream = device.createStream();
    try (DeviceBuffer buffer = device.allocate(8)) {
      buffer.fill((byte) 1, stream);
      stream.close();
      assertThat(STAND_IN.calls("hipStreamSynchronize")).isEqualTo(1);
    }
  }
}
