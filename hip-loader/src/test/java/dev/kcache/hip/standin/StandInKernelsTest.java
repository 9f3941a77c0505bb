// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.kcache.hip.standin.StandIn.Version;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The shipped kernels, as the stand-in computes them: the meaning is that of binary.h. */
class StandInKernelsTest {
  private Raw hip;
  private Pointer module;

  @BeforeEach
  void load() {
    hip = new Raw(StandIn.build(Version.HIP_6_4).reset());
    module = hip.get("hipModuleLoadData", Raw.image(Raw.codeObject("known-5.2-gfx90a.co")));
  }

  private Pointer shorts(int... bits) {
    Pointer device = hip.device(2L * bits.length);
    Memory host = new Memory(2L * bits.length);
    for (int i = 0; i < bits.length; i++) {
      host.setShort(2L * i, (short) bits[i]);
    }
    hip.call("hipMemcpyHtoD", device, host, host.size());
    return device;
  }

  private Pointer ints(int... values) {
    Pointer device = hip.device(4L * values.length);
    Memory host = new Memory(4L * values.length);
    host.write(0, values, 0, values.length);
    hip.call("hipMemcpyHtoD", device, host, host.size());
    return device;
  }

  private void run(String kernel, Memory arguments) {
    Pointer function = hip.get("hipModuleGetFunction", module, kernel);
    assertThat(hip.launch(function, 1, 64, null, arguments)).isZero();
    hip.call("hipDeviceSynchronize");
  }

  private void run(String kernel, long count, Pointer left, Pointer right, Pointer out) {
    Memory arguments = new Memory(32);
    arguments.setLong(0, count);
    arguments.setPointer(8, left);
    arguments.setPointer(16, right);
    arguments.setPointer(24, out);
    run(kernel, arguments);
  }

  @Test
  void f16_quotient_isRoundedOnceToNearestEven() {
    // 1 / 3, least subnormal / 2, greatest / least normal, 0 / 0
    Pointer left = shorts(0x3c00, 0x0001, 0x7bff, 0x0000);
    Pointer right = shorts(0x4200, 0x4000, 0x0400, 0x0000);
    Pointer out = shorts(0, 0, 0, 0);

    run("binary_div_f16", 4, left, right, out);

    short[] bits = hip.shorts(out, 4);
    assertThat(bits).startsWith(0x3555, 0x0000, 0x7c00);
    assertThat(bits[3] & 0x7fff).isGreaterThan(0x7c00); // a NaN
  }

  @Test
  void bf16_product_isRoundedOnceToNearestEven() {
    // 1.0078125 squared is 1.01568..., between 1.015625 and 1.0234375; 2 * -3
    Pointer left = shorts(0x3f81, 0x4000);
    Pointer right = shorts(0x3f81, 0xc040);
    Pointer out = shorts(0, 0);

    run("binary_mul_bf16", 2, left, right, out);

    assertThat(hip.shorts(out, 2)).containsExactly((short) 0x3f82, (short) 0xc0c0);
  }

  @Test
  void f32_minimum_putsMinusZeroFirstAndKeepsNan() {
    Pointer left = hip.floats(0f, 1f, Float.NaN, -1f);
    Pointer right = hip.floats(-0f, 2f, 0f, Float.NaN);
    Pointer out = hip.floats(9, 9, 9, 9);

    run("binary_minimum_f32", 4, left, right, out);

    assertThat(hip.floats(out, 4)).containsExactly(-0f, 1f, Float.NaN, Float.NaN);
  }

  @Test
  void i32_quotient_truncatesWrapsAndTakesZeroForZero() {
    Pointer left = ints(-7, Integer.MIN_VALUE, 5, 7);
    Pointer right = ints(2, -1, 0, -2);
    Pointer out = ints(9, 9, 9, 9);

    run("binary_div_i32", 4, left, right, out);

    Memory host = new Memory(16);
    hip.call("hipMemcpyDtoH", host, out, 16L);
    assertThat(host.getIntArray(0, 4)).containsExactly(-3, Integer.MIN_VALUE, 0, -3);
  }

  @Test
  void strided_operands_broadcastAndWalkBackwards() {
    // out[i][j] = left[j] - right[1 - i], for 2 rows of 3
    Pointer bytes = hip.device(16);
    Memory host = new Memory(16);
    host.clear();
    host.write(0, new byte[] {10, 20, 30, 1, 2}, 0, 5);
    hip.call("hipMemcpyHtoD", bytes, host, 16L);
    Memory arguments = new Memory(232);
    arguments.clear();
    long[] shape = {6, 2, 2, 3};
    arguments.write(0, shape, 0, 4);
    arguments.write(80, new long[] {0, 1}, 0, 2);
    arguments.write(144, new long[] {-1, 0}, 0, 2);
    arguments.setPointer(208, bytes);
    arguments.setPointer(216, bytes.share(4));
    arguments.setPointer(224, bytes.share(8));

    run("binary_sub_u8_strided", arguments);

    hip.call("hipMemcpyDtoH", host, bytes, 16L);
    assertThat(host.getByteArray(8, 6)).containsExactly(8, 18, 28, 9, 19, 29);
  }
}
