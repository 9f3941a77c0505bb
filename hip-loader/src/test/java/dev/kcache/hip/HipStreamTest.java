// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static dev.kcache.hip.Refusals.assertClosed;
import static dev.kcache.hip.Refusals.assertFails;
import static dev.kcache.hip.Refusals.assertIllegal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Streams, the events in them, and memory that is allocated in their order. */
@ParameterizedClass
@EnumSource(names = {"HIP_6_4", "CUDA_13_0"})
class HipStreamTest extends StandInTestBase {
  HipStreamTest(Version version) {
    super(version);
  }

  @BeforeEach
  void open() {
    standIn.async(true);
  }

  @AfterEach
  void close() {
    device.synchronize();
  }

  @Test
  void isDone_tellsWorkUnderWayFromNone() {
    try (HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(8)) {
      assertThat(stream.isDone()).isTrue();
      standIn.hold();
      buffer.fill((byte) 1, stream);
      boolean doneUnderWay = stream.isDone();
      standIn.release();
      stream.synchronize();
      assertThat(doneUnderWay).isFalse();
      assertThat(stream.isDone()).isTrue();
    }
  }

  @Test
  void priority_isHandedOn() {
    for (int priority : new int[] {-1, 0, 7}) {
      device.createStream(priority).close();
      assertThat(standIn.lastPriority()).isEqualTo(priority);
    }
    device.createStream().close();
    assertThat(standIn.lastPriority()).isZero();
  }

  @Test
  void waitFor_ordersStreams_alsoOfAnotherDevice() {
    try (HipStream first = device.createStream();
        HipStream second = other.createStream();
        HipEvent event = device.createEvent();
        DeviceBuffer buffer = device.allocate(8);
        DeviceBuffer there = other.allocate(8)) {
      standIn.hold();
      buffer.fill((byte) 1, first);
      event.record(first);
      second.waitFor(event);
      there.fill((byte) 1, second);
      boolean secondDone = second.isDone();
      standIn.release();
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
      assertFails("hipEventElapsedTime", 400, () -> stop.elapsedSince(start));
    }
  }

  @Test
  void elapsedSince_isKnownOncePassed() {
    try (HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(8);
        HipEvent start = device.createEvent();
        HipEvent stop = device.createEvent()) {
      standIn.hold();
      start.record(stream);
      buffer.fill((byte) 1, stream);
      stop.record(stream);
      boolean doneUnderWay = stop.isDone();
      Throwable tooEarly = catchThrowable(() -> stop.elapsedSince(start));
      standIn.release();
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
      assertIllegal(
          "a stream of device 0 cannot be used with an event of device 1",
          () -> there.record(stream));
      assertIllegal(
          "an event of device 1 cannot be used with an event of device 0",
          () -> event.elapsedSince(there));
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
      standIn.setFault(0, 700);
      assertThatThrownBy(stream::synchronize)
          .isInstanceOfSatisfying(HipException.class, e -> assertThat(e.isSticky()).isTrue());
      assertThatThrownBy(stream::isDone).isInstanceOf(HipException.class);
      standIn.setFault(0, 0);
    }
  }

  @Test
  void allocate_isWorkOfTheStream() {
    try (HipStream stream = device.createStream()) {
      byte[] bytes = new byte[100];
      assertThat(device.supportsStreamAllocation()).isTrue();
      long waits = standIn.calls("hipDeviceSynchronize");
      try (DeviceBuffer buffer = stream.allocate(100)) {
        buffer.fill((byte) 3, stream);
        stream.synchronize();
        buffer.copyTo(bytes);
      }
      assertThat(bytes).containsOnly(3);
      assertThat(standIn.calls("hipFreeAsync")).isEqualTo(1);
      assertThat(standIn.calls("hipFree")).isZero();
      assertThat(standIn.calls("hipDeviceSynchronize")).isEqualTo(waits);
    }
  }

  @Test
  void allocate_bufferMayOutliveTheStream() {
    HipStream stream = device.createStream();
    DeviceBuffer buffer = stream.allocate(100);
    stream.close();
    buffer.fill((byte) 3);
    assertThatIllegalStateException().isThrownBy(() -> buffer.fill((byte) 4, stream));
    assertThat(standIn.counters().streams()).isEqualTo(1);
    buffer.close();
    assertThat(standIn.counters().streams()).isZero();
  }

  @Test
  void allocate_thatFails_leavesTheStreamFree() {
    HipStream stream = device.createStream();
    standIn.fail("hipMallocAsync", 2, 0, 1);
    assertThatThrownBy(() -> stream.allocate(100)).isInstanceOf(HipException.class);
    stream.close();
    assertThat(standIn.counters().streams()).isZero();
  }

  @Test
  void allocate_withoutTheFunction_isOrdinaryMemory() {
    StandIn without = standIn.without("hipMallocAsync").devices(standIn.version().defaultDevice());
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
      standIn.hold();
      buffer.copyFrom(ByteBuffer.allocateDirect(8), stream);
      boolean doneUnderWay = stream.isDone();
      int keptUnderWay = stream.kept();
      standIn.release();
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
      standIn.async(false);
      for (int i = 0; i < 100_000; i++) {
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
      standIn.hold();
      for (int i = 0; i < 1000; i++) {
        buffer.copyFrom(ByteBuffer.allocateDirect(8), stream);
      }
      int kept = stream.kept();
      standIn.release();
      assertThat(kept).isEqualTo(1000);
    }
  }

  @Test
  void close_waitsForWorkUnderWay() {
    HipStream stream = device.createStream();
    try (DeviceBuffer buffer = device.allocate(8)) {
      buffer.fill((byte) 1, stream);
      stream.close();
      assertThat(standIn.calls("hipStreamSynchronize")).isEqualTo(1);
    }
  }
}
