// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whose memory is whose. {@link IndexErrorsContract} has what kernels leave there. */
class IndexErrorsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final StandIn standIn = StandIn.build(Version.HIP_6_4);
  private HipDevice device;
  private IndexErrors errors;

  @BeforeEach
  void open() {
    standIn.reset().async(true);
    device = HipRuntime.at(standIn.library()).devices().get(0);
    errors = new IndexErrors(device);
  }

  @AfterEach
  void close() {
    errors.close();
    collectUntil(() -> standIn.counters().equals(Counters.cleanAfter(0)));
  }

  private static void collectUntil(BooleanSupplier condition) {
    Instant end = Instant.now().plus(PATIENCE);
    while (!condition.getAsBoolean() && Instant.now().isBefore(end)) {
      System.gc();
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  /** Leaves an error, as a kernel does, on a stream that nobody closes. */
  private WeakReference<HipStream> failOnAbandonedStream(List<DeviceBuffer> memories) {
    HipStream stream = device.createStream();
    memories.add(errors.memory(stream));
    memories.get(0).fill((byte) 1, stream);
    return new WeakReference<>(stream);
  }

  /** Its work may not be done when it is collected. */
  @Test
  void memory_ofACollectedStream_isGivenOnceTheDeviceIsDone() {
    List<DeviceBuffer> memories = new ArrayList<>();
    WeakReference<HipStream> abandoned = failOnAbandonedStream(memories);
    collectUntil(() -> abandoned.refersTo(null));
    long waits = standIn.calls("hipDeviceSynchronize");
    try (HipStream next = device.createStream()) {
      assertThat(errors.memory(next)).isSameAs(memories.get(0));
      assertThat(standIn.calls("hipDeviceSynchronize")).isGreaterThan(waits);
      errors.check(next);
    }
  }
}
