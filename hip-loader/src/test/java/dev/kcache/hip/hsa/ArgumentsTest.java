// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.KernelMetadata.Registers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsTest {
  private static Argument argument(String kind, int offset, int size) {
    return new Argument(Optional.empty(), Optional.empty(), offset, size, kind, Optional.empty());
  }

  private static KernelMetadata kernel(Argument... arguments) {
    return kernel(Arrays.asList(arguments), 272);
  }

  private static KernelMetadata kernel(List<Argument> arguments, int size) {
    return new KernelMetadata(
        "k",
        "k.kd",
        arguments,
        size,
        8,
        new Registers(8, 0, 8, 0, 0),
        0,
        0,
        false,
        64,
        1024,
        Optional.empty(),
        Optional.empty());
  }

  /** All that LLVM's guide lists for version 5, behind 16 bytes of the kernel's own. */
  private static List<Argument> version5() {
    List<Argument> all = new ArrayList<>();
    String[] axes = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
      all.add(argument("hidden_block_count_" + axes[i], 16 + 4 * i, 4));
      all.add(argument("hidden_group_size_" + axes[i], 28 + 2 * i, 2));
      all.add(argument("hidden_remainder_" + axes[i], 34 + 2 * i, 2));
      all.add(argument("hidden_global_offset_" + axes[i], 56 + 8 * i, 8));
    }
    all.add(argument("hidden_grid_dims", 80, 2));
    all.add(argument("hidden_dynamic_lds_size", 136, 4));
    all.add(argument("hidden_queue_ptr", 216, 8));
    return all;
  }

  /** A grid of three dimensions. */
  private static Launch launch() {
    Launch launch = new Launch();
    launch.set(2, 3, 4, 8, 5, 6, 512);
    return launch;
  }

  @Test
  void hidden_areWrittenWhereTheMetadataSays() {
    Arguments arguments = Arguments.of(kernel(version5(), 272), 272, 5);
    ByteBuffer memory = ByteBuffer.allocate(300).order(ByteOrder.nativeOrder());
    Arrays.fill(memory.array(), (byte) -1);

    arguments.write(launch(), 0, memory, 8, 0x1234_5678_9abcL);

    ByteBuffer expected = ByteBuffer.allocate(272).order(ByteOrder.nativeOrder());
    expected.putInt(16, 2).putInt(20, 3).putInt(24, 4);
    expected.putShort(28, (short) 8).putShort(30, (short) 5).putShort(32, (short) 6);
    expected.putShort(80, (short) 3).putInt(136, 512).putLong(216, 0x1234_5678_9abcL);
    assertThat(arguments.size()).isEqualTo(272);
    assertThat(memory.slice(8, 272)).isEqualTo(expected.rewind());
    assertThat(memory.get(7)).isEqualTo((byte) -1);
    assertThat(memory.get(280)).isEqualTo((byte) -1);
  }

  @ParameterizedTest
  @CsvSource({
    "hidden_hostcall_buffer, 4",
    "hidden_hostcall_buffer, 6",
    "hidden_printf_buffer, 4",
    "hidden_heap_v1, 5",
    "hidden_default_queue, 5",
    "hidden_completion_action, 4",
    "hidden_multigrid_sync_arg, 5",
    "hidden_multigrid_sync_arg, 6",
    "hidden_private_base, 5",
    "hidden_shared_base, 5",
    "hidden_something_new, 7",
  })
  void hiddenThatOnlyHipServes_isRefusedByName(String kind, int version) {
    HsaFailure failure =
        catchThrowableOfType(
            HsaFailure.class, () -> Arguments.of(kernel(argument(kind, 16, 8)), 272, version));

    assertThat(failure.error()).isEqualTo(HsaFailure.NOT_SUPPORTED);
    assertThat(failure).hasMessageContaining("k asks for " + kind);
  }

  /** Compilers of version 4 name it for every kernel that has hidden arguments. */
  @ParameterizedTest
  @ValueSource(strings = {"hidden_none", "hidden_multigrid_sync_arg", "hidden_global_offset_x"})
  void hiddenOfVersion4_isNull(String kind) {
    Arguments arguments = Arguments.of(kernel(List.of(argument(kind, 0, 8)), 8), 8, 4);
    ByteBuffer memory = ByteBuffer.allocate(8).putLong(0, -1);

    arguments.write(launch(), 0, memory, 0, 1);

    assertThat(memory.getLong(0)).isZero();
  }

  @Test
  void kernelWithArguments_needsThem() {
    Arguments arguments = Arguments.of(kernel(argument("by_value", 0, 8)), 8, 5);
    ByteBuffer memory = ByteBuffer.allocate(272);

    assertThat(
            catchThrowableOfType(HsaFailure.class, () -> arguments.write(launch(), 0, memory, 0, 0))
                .error())
        .isEqualTo(HsaFailure.INVALID_VALUE);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 0", "1, 65536", "2147483647, 3"})
  void launch_thatFitsNoPacket_isRefused(int grid, int block) {
    assertThat(
            catchThrowableOfType(
                    HsaFailure.class, () -> new Launch().set(1, grid, 1, 1, block, 1, 0))
                .error())
        .isEqualTo(HsaFailure.INVALID_CONFIGURATION);
  }
}
