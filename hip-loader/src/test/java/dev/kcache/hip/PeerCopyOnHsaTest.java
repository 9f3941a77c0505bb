// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.StandIn.Version;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Copies between two devices of HSA, which go through the host. */
class PeerCopyOnHsaTest extends StandInTestBase {
  PeerCopyOnHsaTest() {
    super(Version.HSA_6_4);
  }

  @Test
  void copy_bothWays_hasTheSameBytes() {
    byte[] bytes = new byte[100_003];
    new Random(1).nextBytes(bytes);
    byte[] read = new byte[bytes.length];
    try (DeviceBuffer here = device.allocate(bytes.length);
        DeviceBuffer there = other.allocate(bytes.length);
        DeviceBuffer back = device.allocate(bytes.length)) {
      here.copyFrom(bytes);
      there.copyFrom(here);
      back.copyFrom(there);
      back.copyTo(read);
    }
    assertThat(read).isEqualTo(bytes);
  }

  @Test
  void copyOnAStream_ofEitherDevice_followsItsWork() {
    standIn.async(true).delay(2_000);
    byte[] read = new byte[64];
    for (HipDevice owner : List.of(device, other)) {
      try (DeviceBuffer own = owner.allocate(64);
          DeviceBuffer target = (owner.equals(device) ? other : device).allocate(64);
          HipStream stream = owner.createStream()) {
        // Far longer than the copy.
        for (int i = 0; i < 20; i++) {
          own.fill((byte) 2, stream);
        }
        own.fill((byte) 3, stream);
        target.copyFrom(own, stream);
        own.fill((byte) 4, stream);
        stream.synchronize();
        target.copyTo(read);
        assertThat(read).containsOnly(3);
      }
    }
  }

  @Test
  void copy_waitsForTheDefaultStreamsOfBoth() {
    standIn.async(true).delay(2_000);
    byte[] read = new byte[64];
    try (DeviceBuffer here = device.allocate(64);
        DeviceBuffer there = other.allocate(64)) {
      for (int i = 0; i < 20; i++) {
        there.fill((byte) 3, other.defaultStream());
        here.fill((byte) 2, device.defaultStream());
      }
      here.fill((byte) 1, device.defaultStream());
      there.copyFrom(here);
      there.copyTo(read);
    }
    assertThat(read).containsOnly(1);
  }
}
