// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Argument;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/**
 * Where a kernel finds its arguments: those that the caller passes, and behind them the hidden ones
 * of its metadata, whose places differ between the versions of code objects.
 *
 * <p>Writing allocates nothing. Source of the words and of their meanings: <a
 * href="https://llvm.org/docs/AMDGPUUsage.html#code-object-v5-metadata">LLVM's AMDGPU user
 * guide</a>.
 */
final class Arguments {
  /**
   * What only HIP's runtime serves. Up to version 4 compilers name the multigrid's argument whether
   * it is used or not; HIP itself gives a null pointer then.
   */
  private static final Set<String> UNSERVED =
      Set.of(
          "hidden_printf_buffer",
          "hidden_hostcall_buffer",
          "hidden_heap_v1",
          "hidden_default_queue",
          "hidden_completion_action",
          "hidden_multigrid_sync_arg",
          "hidden_private_base",
          "hidden_shared_base");

  private static final String MULTIGRID = "hidden_multigrid_sync_arg";

  /** Code object version 5, whose compilers name an argument only if the kernel may use it. */
  private static final int EXACT = 5;

  private final int size;
  private final int explicitSize;
  private final int[] offsets;
  private final Hidden[] hidden;

  /** A hidden argument that has a value; all others are 0. */
  private enum Hidden {
    BLOCK_COUNT_X(4),
    BLOCK_COUNT_Y(4),
    BLOCK_COUNT_Z(4),
    GROUP_SIZE_X(2),
    GROUP_SIZE_Y(2),
    GROUP_SIZE_Z(2),
    GRID_DIMS(2),
    DYNAMIC_LDS_SIZE(4),
    QUEUE_PTR(8);

    private static final Set<String> ZERO =
        Set.of(
            "hidden_none",
            "hidden_global_offset_x",
            "hidden_global_offset_y",
            "hidden_global_offset_z",
            "hidden_remainder_x",
            "hidden_remainder_y",
            "hidden_remainder_z",
            MULTIGRID);

    private final int size;

    Hidden(int size) {
      this.size = size;
    }

    String word() {
      return "hidden_" + name().toLowerCase(java.util.Locale.ROOT);
    }

    long value(Launch launch, long queue) {
      return switch (this) {
        case BLOCK_COUNT_X -> launch.gridX;
        case BLOCK_COUNT_Y -> launch.gridY;
        case BLOCK_COUNT_Z -> launch.gridZ;
        case GROUP_SIZE_X -> launch.blockX;
        case GROUP_SIZE_Y -> launch.blockY;
        case GROUP_SIZE_Z -> launch.blockZ;
        case GRID_DIMS -> 3;
        case DYNAMIC_LDS_SIZE -> launch.sharedMemory;
        case QUEUE_PTR -> queue;
      };
    }
  }

  /** A hidden argument and its place. */
  private record Placed(int offset, Hidden hidden) {}

  private Arguments(int size, int explicitSize, List<Placed> placed) {
    this.size = size;
    this.explicitSize = explicitSize;
    this.offsets = placed.stream().mapToInt(Placed::offset).toArray();
    this.hidden = placed.stream().map(Placed::hidden).toArray(Hidden[]::new);
  }

  /**
   * Lays the arguments of a kernel out.
   *
   * @param size of all arguments in bytes
   * @param version the code object's
   * @throws HsaFailure with {@link HsaFailure#NOT_SUPPORTED} if the kernel asks for something that
   *     only HIP's runtime serves
   */
  static Arguments of(KernelMetadata kernel, int size, int version) {
    int explicit =
        kernel.arguments().stream()
            .filter(one -> !one.isHidden())
            .mapToInt(one -> one.offset() + one.size())
            .max()
            .orElse(0);
    List<Placed> placed =
        kernel.arguments().stream()
            .filter(Argument::isHidden)
            .peek(one -> requireServed(kernel, one, version))
            .flatMap(
                one ->
                    java.util.stream.Stream.of(Hidden.values())
                        .filter(known -> known.word().equals(one.valueKind()))
                        .map(known -> place(kernel, one, known)))
            .toList();
    return new Arguments(Math.max(size, kernel.kernargSize()), explicit, placed);
  }

  private static Placed place(KernelMetadata kernel, Argument argument, Hidden hidden) {
    if (argument.size() != hidden.size) {
      throw unserved(kernel, argument);
    }
    return new Placed(argument.offset(), hidden);
  }

  private static void requireServed(KernelMetadata kernel, Argument argument, int version) {
    String kind = argument.valueKind();
    boolean unused = kind.equals(MULTIGRID) && version < EXACT;
    boolean known =
        Hidden.ZERO.contains(kind)
            || java.util.stream.Stream.of(Hidden.values()).anyMatch(one -> one.word().equals(kind));
    if (!unused && (UNSERVED.contains(kind) || !known)) {
      throw unserved(kernel, argument);
    }
  }

  private static HsaFailure unserved(KernelMetadata kernel, Argument argument) {
    String kind = argument.valueKind();
    String why =
        switch (kind) {
          case "hidden_hostcall_buffer", "hidden_printf_buffer" -> " (printf, assert, malloc)";
          case "hidden_heap_v1" -> " (malloc)";
          case MULTIGRID -> " (synchronizing several devices)";
          case "hidden_default_queue", "hidden_completion_action" -> " (launching from a kernel)";
          default -> "";
        };
    return new HsaFailure(
        HsaFailure.NOT_SUPPORTED,
        "%s asks for %s%s, which HSA alone does not give; leave that out of the kernel, or launch it with HIP's runtime"
            .formatted(kernel.name(), kind, why));
  }

  /** Returns the size of all arguments in bytes. */
  int size() {
    return size;
  }

  /** Writes all arguments of a launch to memory that may hold others'. */
  void write(Launch launch, long extra, ByteBuffer memory, int at, long queue) {
    for (int i = explicitSize / Long.BYTES * Long.BYTES; i < size; i += Long.BYTES) {
      memory.putLong(at + i, 0);
    }
    launch.copyArguments(extra, explicitSize, memory, at);
    for (int i = 0; i < hidden.length; i++) {
      long value = hidden[i].value(launch, queue);
      switch (hidden[i].size) {
        case Short.BYTES -> memory.putShort(at + offsets[i], (short) value);
        case Integer.BYTES -> memory.putInt(at + offsets[i], (int) value);
        default -> memory.putLong(at + offsets[i], value);
      }
    }
  }
}
