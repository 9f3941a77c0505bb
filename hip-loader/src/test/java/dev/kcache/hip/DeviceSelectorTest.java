// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.hip.standin.HipVersions;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceSelectorTest {
  private static final String[] FOUR = {
    "gfx90a:sramecc+:xnack-/uuid=0e12865a3bf5b7ab",
    "gfx90a:sramecc+:xnack-/uuid=0e12865a3bf5b7ac",
    "gfx1030/uuid=0000000000000000",
    "gfx1100/uuid=1f00000000000001"
  };

  private static final String FIRST =
      "0: gfx90a:sramecc+:xnack-, AMD Instinct MI210, GPU-0e12865a3bf5b7ab, 0000:03:00.0";
  private static final String SECOND =
      "1: gfx90a:sramecc+:xnack-, AMD Instinct MI210, GPU-0e12865a3bf5b7ac, 0000:43:00.0";
  private static final String THIRD = "2: gfx1030, AMD Radeon RX 6800, 0000:83:00.0";
  private static final String FOURTH =
      "3: gfx1100, AMD Radeon RX 7900 XTX, GPU-1f00000000000001, 0000:c3:00.0";

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "007, 7",
    "hip://2, 2",
    "GPU-0e, GPU-0e",
    "gpu-0E12865A3BF5B7AB, GPU-0e12865a3bf5b7ab",
    "hip://GPU-0e, GPU-0e",
    "GPU-30653132-3836-3561-3362-663562376162, GPU-0e12865a3bf5b7ab",
    "GPU-8f8f8f8f-8f8f-8f8f-8f8f-8f8f8f8f8f8f, GPU-8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f8f",
    "0000:C3:00.0, 0000:c3:00.0",
    "3:0.1, 0000:03:00.1",
    "10001:03:00.0, 10001:03:00.0"
  })
  void text_isMadeCanonical(String text, String canonical) {
    DeviceSelector selector = DeviceSelector.parse(text);

    assertThat(selector).hasToString(canonical).isEqualTo(DeviceSelector.parse(canonical));
    assertThat(selector).hasSameHashCodeAs(DeviceSelector.parse(canonical));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "-1",
        "+1",
        "1.0",
        "0x1",
        "1234567890",
        "0,1",
        "hip://",
        "hip",
        "cuda://0",
        "GPU-",
        "GPU-xx",
        "GPU--1",
        "GPU",
        "0e12865a3bf5b7ab",
        "03:00",
        "0000:03:00",
        "0000:03:00.8",
        "gfx90a"
      })
  void otherText_isRefusedWithWhatIsRight(String text) {
    assertThatThrownBy(() -> DeviceSelector.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith(
            "' selects no device; give an ordinal (0), the beginning of a UUID (GPU-0e12865a) or a"
                + " PCI bus id (0000:03:00.0)");
  }

  @Test
  void list_keepsOrderAndRepetitions() {
    assertThat(DeviceSelector.parseList("hip://1, GPU-0e,1"))
        .extracting(DeviceSelector::toString)
        .containsExactly("1", "GPU-0e", "1");
    assertThatThrownBy(() -> DeviceSelector.parseList("0,,1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("'' selects no device");
  }

  @ParameterizedTest
  @HipVersions
  void device_isFoundByEachOfItsNames(Version version) {
    HipRuntime hip = runtime(version, FOUR);

    assertThat(hip.device("3").ordinal()).isEqualTo(3);
    assertThat(hip.device("GPU-1f").ordinal()).isEqualTo(3);
    assertThat(hip.device("GPU-0e12865a3bf5b7ac").ordinal()).isEqualTo(1);
    assertThat(hip.device("83:00.0").ordinal()).isEqualTo(2);
    assertThat(hip.devices("3,0,GPU-1").stream().map(HipDevice::ordinal)).containsExactly(3, 0, 3);
  }

  @ParameterizedTest
  @HipVersions
  void identity_isWhatTheToolsShow(Version version) {
    List<HipDevice> devices = runtime(version, FOUR).devices();

    assertThat(devices)
        .extracting(HipDevice::describe)
        .containsExactly(FIRST, SECOND, THIRD, FOURTH);
    assertThat(devices.get(0).uuid()).contains("GPU-0e12865a3bf5b7ab");
    assertThat(devices.get(2).uuid()).isEmpty();
    assertThat(devices.get(3).pciBusId()).contains("0000:c3:00.0");
  }

  @Test
  void identity_isAskedForOnce() {
    StandIn standIn = StandIn.build(Version.HIP_6_4).devices(FOUR);
    HipDevice device = HipRuntime.at(standIn.library()).devices().get(0);
    assertThat(standIn.calls("hipDeviceGetUuid")).isZero();

    device.uuid();
    device.pciBusId();
    device.uuid();

    assertThat(standIn.calls("hipDeviceGetUuid")).isEqualTo(1);
    assertThat(standIn.calls("hipDeviceGetPCIBusId")).isEqualTo(1);
  }

  @Test
  void runtimeWithoutTheFunctions_saysNoIdentity() {
    StandIn standIn =
        StandIn.build(Version.HIP_5_2).without("hipDeviceGetUuid", "hipDeviceGetPCIBusId").reset();

    HipDevice device = HipRuntime.at(standIn.library()).device("0");

    assertThat(device.uuid()).isEmpty();
    assertThat(device.pciBusId()).isEmpty();
    assertThat(device.describe()).isEqualTo("0: gfx90a:sramecc+:xnack-, AMD Instinct MI210");
  }

  @Test
  void beginningOfTwo_isAnErrorThatListsThem() {
    HipRuntime hip = runtime(Version.HIP_6_4, FOUR);

    assertThatThrownBy(() -> hip.device("gpu-0E12"))
        .isInstanceOfSatisfying(
            HipDeviceNotFoundException.class,
            e -> {
              assertThat(e.selector()).isEqualTo("GPU-0e12");
              assertThat(e.devices()).containsExactly(FIRST, SECOND, THIRD, FOURTH);
            })
        .hasMessage(
            "GPU-0e12 may be any of " + FIRST + "; " + SECOND + "; give more of it, or an ordinal");
  }

  @ParameterizedTest
  @ValueSource(strings = {"4", "GPU-2", "0000:03:00.1", "GPU-00"})
  void deviceThatIsNotThere_isAnErrorThatListsThoseThatAre(String selector) {
    HipRuntime hip = runtime(Version.HIP_6_4, FOUR);

    assertThatThrownBy(() -> hip.devices("0," + selector))
        .isInstanceOf(HipDeviceNotFoundException.class)
        .hasMessageStartingWith(
            "there is no device %s; there is %s; %s".formatted(selector, FIRST, SECOND));
  }

  @ParameterizedTest
  @HipVersions
  void noDevice_saysWhy(Version version) {
    HipRuntime hip = runtime(version);

    assertThat(hip.devices()).isEmpty();
    assertThatThrownBy(() -> hip.device("0"))
        .isInstanceOfSatisfying(
            HipDeviceNotFoundException.class, e -> assertThat(e.devices()).isEmpty())
        .hasMessageStartingWith("there is no GPU: ");
  }

  @ParameterizedTest
  @CsvSource({
    "0e12865a3bf5b7ab, GPU-0e12865a3bf5b7ab",
    "0E12865A3BF5B7AB, GPU-0e12865a3bf5b7ab",
    "'', ",
    "XX, ",
    "xyz, GPU-78797a00000000000000000000000000"
  })
  void uuid_isReadFromItsBytes(String characters, String uuid) {
    byte[] bytes = new byte[16];
    for (int i = 0; i < characters.length(); i++) {
      bytes[i] = (byte) characters.charAt(i);
    }

    assertThat(DeviceIdentity.uuid(bytes).orElse(null)).isEqualTo(uuid);
  }

  private static HipRuntime runtime(Version version, String... devices) {
    return HipRuntime.at(StandIn.build(version).devices(devices).library());
  }
}
