// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies between this machine's first two GPUs: {@code scripts/gpu run pair}. */
@Tag("gpu-pair")
class PeerCopyGpuTest {
  private static List<HipDevice> pair = List.of();

  @BeforeAll
  static void requireTwoDevices() {
    pair = HipRuntime.find().devices();
    assertThat(pair).as("a machine with two GPUs").hasSizeGreaterThan(1);
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
  @ValueSource(ints = {1, 4_099, (64 << 20) + 3})
  void copy_bothWays_hasTheSameBytes(int size) {
    byte[] bytes = random(size);
    try (DeviceBuffer here = pair.get(0).allocate(size);
        DeviceBuffer there = pair.get(1).allocate(size);
        DeviceBuffer back = pair.get(0).allocate(size)) {
      here.copyFrom(bytes);
      there.copyFrom(here);
      back.copyFrom(there);
      assertThat(contents(back)).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void copyOnAStream_ofEitherDevice_followsItsWork(int owner) {
    int size = 64 << 20;
    try (DeviceBuffer own = pair.get(owner).allocate(size);
        DeviceBuffer target = pair.get(1 - owner).allocate(size);
        HipStream stream = pair.get(owner).createStream()) {
      own.fill((byte) 1);
      target.fill((byte) 2);
      for (int i = 0; i < 50; i++) {
        own.fill((byte) 9, stream);
      }
      own.fill((byte) 3, stream);
      target.copyFrom(own, stream);
      own.fill((byte) 4, stream);
      stream.synchronize();
      assertThat(contents(target.slice(size - 4_096, 4_096))).containsOnly(3);
      assertThat(contents(own.slice(0, 4_096))).containsOnly(4);
    }
  }

  @Test
  void copy_waitsForTheDefaultStreamOfTheSource() {
    int size = 64 << 20;
    try (DeviceBuffer here = pair.get(0).allocate(size);
        DeviceBuffer there = pair.get(1).allocate(size)) {
      for (int i = 0; i < 50; i++) {
        here.fill((byte) 9, pair.get(0).defaultStream());
      }
      here.fill((byte) 5, pair.get(0).defaultStream());
      there.copyFrom(here);
      assertThat(contents(there.slice(size - 4_096, 4_096))).containsOnly(5);
    }
  }

  /** Such memory lies in a pool, to which access is given otherwise. */
  @Test
  void copy_ofMemoryOfAStream_hasTheSameBytes() {
    byte[] bytes = random(1 << 20);
    try (HipStream first = pair.get(0).createStream();
        HipStream second = pair.get(1).createStream();
        DeviceBuffer here = first.allocate(bytes.length);
        DeviceBuffer there = second.allocate(bytes.length)) {
      first.synchronize();
      second.synchronize();
      here.copyFrom(bytes);
      there.copyFrom(here, second);
      second.synchronize();
      assertThat(contents(there)).isEqualTo(bytes);
    }
  }

  @Test
  void copyThroughTheHost_hasTheSameBytes() {
    byte[] bytes = random(2 * PeerCopy.PIECE + 17);
    try (DeviceBuffer here = pair.get(0).allocate(bytes.length);
        DeviceBuffer there = pair.get(1).allocate(bytes.length)) {
      here.copyFrom(bytes);
      PeerCopy.throughHost(there, here);
      assertThat(contents(there)).isEqualTo(bytes);
    }
  }
}
