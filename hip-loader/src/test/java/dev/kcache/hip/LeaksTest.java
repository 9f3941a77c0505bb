// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of what nobody closed. */
@ParameterizedClass
@EnumSource(names = {"HIP_6_4", "CUDA_13_0"})
class LeaksTest extends StandInTestBase {
  private final Logger logger = Logger.getLogger(Leaks.class.getName());
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  LeaksTest(Version version) {
    super(version);
  }

  @BeforeEach
  void listen() {
    logger.setFilter(
        entry -> {
          records.add(entry);
          return false;
        });
  }

  @AfterEach
  void stopListening() {
    logger.setFilter(null);
  }

  private HipDevice device(String reported) {
    return HipRuntime.find(
            Map.of(
                "KCACHE_HIP_LIBRARY", standIn.library().toString(), "KCACHE_HIP_LEAKS", reported))
        .devices()
        .get(0);
  }

  private static void leakOneOfEach(HipDevice device) {
    DeviceBuffer unclosed = device.allocate(8);
    unclosed.copyFrom(device.allocatePinned(8).bytes(), device.createStream());
    device.createEvent().record(device.createStream(-1));
    device.createStream().allocate(8).fill((byte) 1);
  }

  @Test
  void leaks_areGivenBackAndReportedWithWhereTheyWereOpened() {
    leakOneOfEach(device("1"));
    Unreachable.collectUntil(() -> standIn.counters().equals(Counters.cleanAfter(0)));
    Unreachable.collect();
    assertThat(records)
        .extracting(LogRecord::getMessage)
        .containsExactlyInAnyOrder(
            "not closed: device buffer",
            "not closed: device buffer",
            "not closed: pinned buffer",
            "not closed: stream",
            "not closed: stream",
            "not closed: stream",
            "not closed: event");
    assertThat(records)
        .allSatisfy(
            record ->
                assertThat(record.getThrown().getStackTrace())
                    .anySatisfy(
                        frame -> assertThat(frame.getMethodName()).isEqualTo("leakOneOfEach")));
  }

  @Test
  void leaks_areNotReportedUnlessAsked() {
    leakOneOfEach(device(""));
    Unreachable.collectUntil(() -> standIn.counters().equals(Counters.cleanAfter(0)));
    assertThat(records).isEmpty();
  }

  @Test
  void whatIsClosed_isNoLeak() {
    openAndClose(device("1"));
    Unreachable.collect();
    assertThat(records).isEmpty();
  }

  private static void openAndClose(HipDevice device) {
    try (DeviceBuffer buffer = device.allocate(8);
        HipStream stream = device.createStream();
        HipEvent event = device.createEvent()) {
      event.record(stream);
      buffer.copyFrom(ByteBuffer.allocateDirect(8), stream);
    }
  }

  @Test
  void part_keepsTheWhole() {
    usePart(device(""));
    Unreachable.collectUntil(() -> standIn.counters().deviceAllocations() == 0);
  }

  private void usePart(HipDevice device) {
    DeviceBuffer part = device.allocate(8).slice(2, 2);
    Unreachable.collect();
    part.fill((byte) 1);
    assertThat(standIn.counters().deviceAllocations()).isEqualTo(1);
  }

  @Test
  void defaultStream_keepsMemoryOfCopiesWhenItIsUnreachable() {
    standIn.async(true).hold();
    try (DeviceBuffer buffer = device("").allocate(8)) {
      copyOnDefaultStream(buffer);
      standIn.release();
    }
    long waits = standIn.calls("hipStreamSynchronize");
    Unreachable.collectUntil(() -> standIn.calls("hipStreamSynchronize") > waits);
    assertThat(standIn.fault(0)).isZero();
  }

  @Test
  void abandonedMemoryOfAStream_waitsForOtherStreams() {
    HipDevice device = device("");
    try (HipStream owner = device.createStream();
        HipStream user = device.createStream()) {
      long waits = standIn.calls("hipDeviceSynchronize");
      useAndForget(owner, user);
      Unreachable.collectUntil(() -> standIn.calls("hipFreeAsync") == 1);
      assertThat(standIn.calls("hipDeviceSynchronize")).isEqualTo(waits + 1);
    }
  }

  private static void useAndForget(HipStream owner, HipStream user) {
    owner.allocate(8).fill((byte) 1, user);
  }

  private static void copyOnDefaultStream(DeviceBuffer buffer) {
    buffer.copyFrom(ByteBuffer.allocateDirect(8), buffer.device().defaultStream());
  }

  /** Who was told of the fault need not hear of everything that the context took along. */
  @Test
  void lostContext_isNotReportedForAllThatWasOpen() {
    DeviceBuffer buffer = device("").allocate(8);
    standIn.setFault(0, 700);
    buffer.close();
    assertThat(records).isEmpty();
    standIn.reset();
  }

  @Test
  void failureToGiveBack_isLogged() {
    DeviceBuffer buffer = device("").allocate(8);
    standIn.fail("hipFree", 1, 0, 1);
    buffer.close();
    assertThat(records)
        .singleElement()
        .satisfies(
            record -> {
              assertThat(record.getMessage()).isEqualTo("not given back: device buffer");
              assertThat(record.getThrown()).isInstanceOf(HipException.class);
            });
    standIn.reset();
  }
}
