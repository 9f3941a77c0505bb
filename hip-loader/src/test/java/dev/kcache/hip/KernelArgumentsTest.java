// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static dev.kcache.hip.Refusals.assertIllegal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.kcache.hip.standin.StandIn.Version;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Arguments: where they end up, and which are refused. */
@ParameterizedClass
@EnumSource(names = {"HIP_6_4", "CUDA_13_0"})
class KernelArgumentsTest extends LaunchTestBase {
  KernelArgumentsTest(Version version) {
    super(version);
  }

  private double[] results(int count) {
    double[] values = new double[8];
    stream.synchronize();
    out.copyTo(values);
    return Arrays.copyOf(values, count);
  }

  /** The bytes of C's {@code struct { float a; double b; }}. */
  private static ByteBuffer pair(float a, double b) {
    return ByteBuffer.allocate(16).order(ByteOrder.nativeOrder()).putFloat(0, a).putDouble(8, b);
  }

  @Test
  void set_ofEveryKindOfNumber_passesEach() {
    KernelArguments arguments =
        KernelArguments.of((byte) 0, (short) 0, 0, 0L, 0f, 0.0, DevicePointer.NULL);
    launch("mixed", arguments.set(6, out));

    arguments.set(0, (byte) 11).set(1, (short) 12).set(2, 13).set(3, 14L).set(4, 15f).set(5, 16.0);
    launch("mixed", arguments);

    assertThat(results(6)).containsExactly(11, 12, 13, 14, 15, 16);
  }

  @Test
  void launch_withAStructure_passesItsBytes() {
    KernelArguments arguments = KernelArguments.of(pair(1.5f, 2.5), (short) 3, out);
    launch("pair", arguments);
    assertThat(results(3)).containsExactly(1.5, 2.5, 3);

    launch("pair", arguments.set(0, pair(4, 5)));
    assertThat(results(3)).containsExactly(4, 5, 3);

    launch("pair", arguments.set(0, pair(6, 7).array()));
    assertThat(results(3)).containsExactly(6, 7, 3);
  }

  @Test
  void of_aStructure_copiesIt() {
    ByteBuffer structure = pair(1, 2);
    KernelArguments arguments = KernelArguments.of(structure, (short) 3, out);
    structure.putFloat(0, 9);

    launch("pair", arguments);

    assertThat(results(3)).containsExactly(1, 2, 3);
    assertThat(structure.position()).isZero();
  }

  @Test
  void launch_with16BitFloatsAndBooleans_passesTheirBits() {
    launch("mixed", KernelArguments.of(true, Float16.of(1f), 0, 0L, 0f, 0.0, out));
    assertThat(results(2)).containsExactly(1, 0x3c00);

    launch("mixed", KernelArguments.of(false, BFloat16.of(1f), 0, 0L, 0f, 0.0, out));
    assertThat(results(2)).containsExactly(0, 0x3f80);
  }

  @Test
  void launch_withAPointer_passesTheAddress() {
    standIn.setFault(0, 0);
    KernelArguments arguments =
        KernelArguments.of(1L, new DevicePointer(0x7e12_3456_789aL), null, DevicePointer.NULL);
    launch("binary_div_f16", arguments.set(0, 0L));

    ByteBuffer block =
        ByteBuffer.wrap(standIn.lastLaunch().orElseThrow().arguments())
            .order(ByteOrder.nativeOrder());
    assertThat(block.getLong(8)).isEqualTo(0x7e12_3456_789aL);
    assertThat(block.getLong(16)).isZero();
    assertThat(new DevicePointer(0x7e12L)).hasToString("0x7e12");
  }

  @Test
  void launch_withAnotherFunction_laysTheArgumentsOutForThat() {
    KernelArguments arguments = KernelArguments.of(out);
    module.function("shape").launch(LaunchConfig.of(3, 2), stream, arguments);
    HipFunction bounded = module.function("bounded");
    bounded.launch(LaunchConfig.of(1, 64), stream, arguments);

    assertThat(standIn.lastLaunch().orElseThrow().kernel()).isEqualTo("bounded");
    assertIllegal("vadd takes 4 arguments, not 1", () -> launch("vadd", arguments));
  }

  @Test
  void set_toAnotherKind_isCheckedAgain() {
    KernelArguments arguments = KernelArguments.of(out, 1.0, 1L);
    launch("scale", arguments);

    assertIllegal(
        "argument 1 of scale takes 8 bytes by value, not a float (4 bytes)",
        () -> launch("scale", arguments.set(1, 1f)));
    launch("scale", arguments.set(1, 2.0));
    assertThat(standIn.counters().launches()).isEqualTo(2);
  }

  @Test
  void of_somethingElse_saysWhatCanBePassed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KernelArguments.of(1, "two"))
        .withMessage(
            "argument 1 is a java.lang.String; pass a DeviceBuffer, a DevicePointer, a number, or a"
                + " structure's bytes");
  }

  @Test
  void set_outsideTheArguments_isRefused() {
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> KernelArguments.of(1).set(1, 2));
    assertThat(KernelArguments.of(1, 2).count()).isEqualTo(2);
  }

  /** The real runtime answers 701 to an empty list. */
  @Test
  void extraAddress_ofNoArguments_isNull() {
    assertThat(new ArgumentBlock(0, 3).extraAddress()).isZero();
    assertThat(new ArgumentBlock(1, 3).extraAddress()).isNotZero();
  }

  /** Two threads that share arguments get an exception or a launch, never a mixture of values. */
  @Test
  void launch_byTwoThreadsAtOnce_isRefusedOrRight() throws InterruptedException {
    HipFunction shape = module.function("shape");
    KernelArguments shared = KernelArguments.of(out);
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger launched = new AtomicInteger();
    Runnable launcher =
        () -> {
          while (refused.get() == 0 && launched.get() < 1_000_000) {
            try {
              shape.launch(ONE, stream, shared);
              launched.incrementAndGet();
            } catch (IllegalStateException e) {
              refused.incrementAndGet();
              assertThat(e).hasMessageContaining("each thread needs its own");
            }
          }
        };
    Thread other = new Thread(launcher);
    other.start();
    launcher.run();
    other.join();

    stream.synchronize();
    assertThat(refused).hasPositiveValue();
    assertThat(standIn.counters().launches()).isEqualTo(launched.get());
    shape.launch(ONE, stream, shared);
  }

  @Test
  void launch_thatIsRefused_leavesTheArgumentsUsable() {
    KernelArguments arguments = KernelArguments.of(out);
    DeviceBuffer closed = device.allocate(8);
    closed.close();
    assertThatIllegalStateException().isThrownBy(() -> launch("shape", arguments.set(0, closed)));

    launch("shape", arguments.set(0, out));

    assertThat(standIn.counters().launches()).isEqualTo(1);
  }
}
