// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/** What the stand-in says it detects, it detects: else the tests that rely on it prove nothing. */
@ParameterizedClass
@HipVersions
class StandInTest {
  private static final int INVALID_HANDLE = 400;
  private static final int NOT_READY = 600;
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int CONTEXT_IS_DESTROYED = 709;

  private final Version version;
  private final StandIn standIn;
  private final Raw hip;

  StandInTest(Version version) {
    this.version = version;
    standIn = StandIn.build(version);
    hip = new Raw(standIn);
  }

  @BeforeEach
  void findThreeDevices() {
    standIn.devices("gfx90a", "gfx90a", "gfx90a");
    hip.call("hipInit", 0);
  }

  private Pointer load(Memory image) {
    return hip.get("hipModuleLoadData", image);
  }

  private Pointer load(String codeObject) {
    return load(Raw.image(Raw.codeObject(codeObject)));
  }

  private Pointer function(Pointer module, String name) {
    return hip.get("hipModuleGetFunction", module, name);
  }

  private static Memory block(long size, Consumer<Memory> fill) {
    Memory block = new Memory(size);
    block.clear();
    fill.accept(block);
    return block;
  }

  private static Memory vadd(Pointer a, Pointer b, Pointer out, int n) {
    return block(
        28,
        m -> {
          m.setPointer(0, a);
          m.setPointer(8, b);
          m.setPointer(16, out);
          m.setInt(24, n);
        });
  }

  @Test
  void launch_pastTheMemory_faultsTheDeviceForGood() {
    Pointer vadd = function(load("known-5.2-gfx90a.co"), "vadd");
    Pointer three = hip.floats(1, 2, 3);

    assertThat(hip.launch(vadd, 1, 64, null, vadd(three, three, three, 4))).isZero();

    assertThat(hip.error("hipDeviceSynchronize")).isEqualTo(ILLEGAL_ADDRESS);
    assertThat(hip.error("hipFree", three)).isEqualTo(ILLEGAL_ADDRESS);
    hip.call("hipSetDevice", 1);
    hip.call("hipDeviceSynchronize");
    assertThat(standIn.counters().faults()).isEqualTo(1);
  }

  @Test
  void launch_blockTooShortForItsParameters_isRefused() {
    Pointer vadd = function(load("known-5.2-gfx90a.co"), "vadd");

    assertThat(hip.launch(vadd, 1, 1, null, block(24, m -> {}))).isEqualTo(701);
    assertThat(standIn.counters().launches()).isZero();
  }

  @Test
  void launch_blockBeyondItsBounds_isRefused() {
    Pointer bounded = function(load("known-5.2-gfx90a.co"), "bounded");
    Memory arguments = block(8, m -> {});

    assertThat(hip.launch(bounded, 1, 64, null, arguments)).isZero();
    assertThat(hip.launch(bounded, 1, 65, null, arguments)).isEqualTo(719);
    int tooLarge = version == Version.HIP_6_4 ? 1 : 9;
    assertThat(hip.launch(bounded, 1, 1025, null, arguments)).isEqualTo(tooLarge);
    int none = version == Version.HIP_7_2 ? 9 : 1;
    assertThat(hip.launch(bounded, 0, 64, null, arguments)).isEqualTo(none);
  }

  @Test
  void handle_ofAnotherDevice_isRefusedAndCounted() {
    Pointer stream = hip.get("hipStreamCreateWithFlags", 0);
    Pointer event = hip.get("hipEventCreateWithFlags", 0);
    Pointer module = load("known-5.2-gfx90a.co");
    Pointer empty = function(module, "empty");

    hip.call("hipSetDevice", 1);

    assertThat(hip.launch(empty, 1, 1, null, null)).isEqualTo(INVALID_HANDLE);
    assertThat(hip.error("hipEventRecord", event, null)).isEqualTo(INVALID_HANDLE);
    assertThat(hip.error("hipStreamSynchronize", stream)).isEqualTo(INVALID_HANDLE);
    assertThat(hip.error("hipModuleUnload", module)).isEqualTo(INVALID_HANDLE);
    assertThat(standIn.counters().wrongDeviceCalls()).isEqualTo(4);
    assertThat(standIn.counters().modules()).isEqualTo(1);
  }

  @Test
  void memory_ofAnotherDevice_isCounted() {
    Pointer memory = hip.device(16);

    hip.call("hipSetDevice", 1);
    hip.call("hipMemsetD8", memory, (byte) 0, 16L);
    hip.call("hipFree", memory);

    assertThat(standIn.counters().wrongDeviceCalls()).isEqualTo(2);
  }

  @Test
  void interfere_on_eachCallLeavesAnotherDevice() {
    standIn.interfere(true);

    Memory ordinal = new Memory(4);
    hip.call("hipSetDevice", 0);
    hip.device(16);
    hip.call("hipGetDevice", ordinal);

    assertThat(ordinal.getInt(0)).isEqualTo(1);
  }

  @Test
  void handle_afterItsEnd_isRefusedAndCounted() {
    Pointer stream = hip.get("hipStreamCreateWithFlags", 0);
    Pointer module = load("known-5.2-gfx90a.co");
    Pointer empty = function(module, "empty");
    Pointer memory = hip.device(16);
    hip.call("hipStreamDestroy", stream);
    hip.call("hipModuleUnload", module);
    hip.call("hipFree", memory);

    assertThat(hip.error("hipStreamSynchronize", stream)).isEqualTo(CONTEXT_IS_DESTROYED);
    assertThat(hip.launch(empty, 1, 1, null, null)).isEqualTo(INVALID_HANDLE);
    assertThat(standIn.counters().useAfterFree()).isEqualTo(2);
    assertThat(hip.error("hipStreamDestroy", stream)).isEqualTo(CONTEXT_IS_DESTROYED);
    assertThat(hip.error("hipModuleUnload", module)).isEqualTo(500);
    assertThat(hip.error("hipFree", memory)).isEqualTo(1);
    assertThat(standIn.counters().doubleFree()).isEqualTo(3);
  }

  @Test
  void counters_thingsLeftOpen_tellsHowMany() {
    hip.device(100);
    hip.get("hipHostMalloc", 50L, 0);
    hip.get("hipStreamCreateWithFlags", 1);
    hip.get("hipEventCreateWithFlags", 2);
    load("known-5.2-gfx90a.co");

    assertThat(standIn.counters())
        .isEqualTo(new Counters(1, 100, 1, 50, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0));
  }

  @Test
  void image_changedUnderTheModule_isCounted() {
    Memory image = Raw.image(Raw.codeObject("known-5.2-gfx90a.co"));
    Pointer module = load(image);
    function(module, "empty");
    assertThat(standIn.counters().imageChanged()).isZero();

    image.setByte(5000, (byte) ~image.getByte(5000));

    function(module, "empty");
    assertThat(standIn.counters().imageChanged()).isEqualTo(1);
  }

  @Test
  void image_changedUnderALaunchedFunction_isCountedSoon() {
    Memory image = Raw.image(Raw.codeObject("known-5.2-gfx90a.co"));
    Pointer empty = function(load(image), "empty");

    image.clear();
    hip.launch(empty, 1, 1, null, null);

    assertThat(standIn.counters().imageChanged()).isEqualTo(1);
  }

  @Test
  void image_notAtAPage_isCounted() {
    byte[] codeObject = Raw.codeObject("known-5.2-gfx90a.co");
    byte[] shifted = new byte[codeObject.length + 64];
    System.arraycopy(codeObject, 0, shifted, 64, codeObject.length);

    hip.get("hipModuleLoadData", Raw.image(shifted).share(64));

    assertThat(standIn.counters().imageUnaligned()).isEqualTo(1);
  }

  @Test
  void copy_onAHeldStream_readsTheHostWhenItRuns() {
    standIn.async(true).hold();
    Pointer stream = hip.get("hipStreamCreateWithFlags", 1);
    Pointer device = hip.device(4);
    Memory host = new Memory(4);
    host.setFloat(0, 1);

    hip.call("hipMemcpyHtoDAsync", device, host, 4L, stream);
    assertThat(hip.error("hipStreamQuery", stream)).isEqualTo(NOT_READY);
    host.setFloat(0, 2);
    standIn.release();
    hip.call("hipStreamSynchronize", stream);

    assertThat(hip.floats(device, 1)).containsExactly(2);
  }

  @Test
  void module_unloadedUnderAHeldLaunch_isCounted() {
    standIn.async(true).hold();
    Pointer module = load("known-5.2-gfx90a.co");
    Pointer stream = hip.get("hipStreamCreateWithFlags", 1);
    hip.launch(function(module, "empty"), 1, 1, stream, null);

    hip.call("hipModuleUnload", module);

    assertThat(standIn.counters().unloadedInFlight()).isEqualTo(1);
  }
}
