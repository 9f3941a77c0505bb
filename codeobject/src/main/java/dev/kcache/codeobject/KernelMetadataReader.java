// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.KernelMetadata.BlockDims;
import dev.kcache.codeobject.KernelMetadata.Registers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads one kernel's map of the metadata note. An instance reads one kernel. */
final class KernelMetadataReader {
  private static final String KERNEL = "a kernel's metadata";
  private static final String ARGUMENT = "an argument's metadata";

  private final MessagePackReader in;
  private final long start;
  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, Integer> numbers = new HashMap<>();
  private List<Argument> arguments = List.of();
  private boolean dynamicStack;
  private @Nullable BlockDims requiredBlockDims;

  KernelMetadataReader(MessagePackReader in) {
    this.in = in;
    this.start = in.position();
  }

  /** Reads the kernel. */
  KernelMetadata read() {
    in.map(KERNEL, this::readValue);
    int kernargSize = number(".kernarg_segment_size");
    requireInside(kernargSize);
    int wavefrontSize = number(".wavefront_size");
    if (wavefrontSize != 32 && wavefrontSize != 64) {
      throw new MalformedCodeObjectException(
          start, ".wavefront_size must be 32 or 64, is " + wavefrontSize);
    }
    return new KernelMetadata(
        text(".name"),
        text(".symbol"),
        arguments,
        kernargSize,
        number(".kernarg_segment_align"),
        registers(),
        number(".group_segment_fixed_size"),
        number(".private_segment_fixed_size"),
        dynamicStack,
        wavefrontSize,
        number(".max_flat_workgroup_size"),
        Optional.ofNullable(requiredBlockDims));
  }

  private void readValue(String key) {
    switch (key) {
      case ".name", ".symbol" -> texts.put(key, in.text(key));
      case ".kernarg_segment_size",
          ".kernarg_segment_align",
          ".group_segment_fixed_size",
          ".private_segment_fixed_size",
          ".wavefront_size",
          ".max_flat_workgroup_size",
          ".vgpr_count",
          ".agpr_count",
          ".sgpr_count",
          ".vgpr_spill_count",
          ".sgpr_spill_count" ->
          numbers.put(key, in.number(key));
      case ".uses_dynamic_stack" -> dynamicStack = in.flag(key);
      case ".reqd_workgroup_size" -> requiredBlockDims = readBlockDims(key);
      case ".args" -> arguments = readArguments(key);
      default -> in.skip(KERNEL);
    }
  }

  private Registers registers() {
    return new Registers(
        number(".vgpr_count"),
        numbers.getOrDefault(".agpr_count", 0),
        number(".sgpr_count"),
        numbers.getOrDefault(".vgpr_spill_count", 0),
        numbers.getOrDefault(".sgpr_spill_count", 0));
  }

  private BlockDims readBlockDims(String key) {
    long at = in.position();
    if (in.arraySize(key) != 3) {
      throw new MalformedCodeObjectException(at, key + " must have three numbers");
    }
    return new BlockDims(in.number(key), in.number(key), in.number(key));
  }

  private List<Argument> readArguments(String key) {
    int count = in.arraySize(key);
    List<Argument> read = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      read.add(new ArgumentReader().read());
    }
    return read;
  }

  private void requireInside(int kernargSize) {
    for (Argument argument : arguments) {
      if (argument.size() > kernargSize || argument.offset() > kernargSize - argument.size()) {
        throw new MalformedCodeObjectException(
            start,
            "an argument (%d bytes at %d) must lie inside the kernarg segment of %d bytes"
                .formatted(argument.size(), argument.offset(), kernargSize));
      }
    }
  }

  private String text(String key) {
    return required(texts.get(key), key, KERNEL, start);
  }

  private int number(String key) {
    return required(numbers.get(key), key, KERNEL, start);
  }

  private static <T> T required(@Nullable T value, String key, String what, long start) {
    if (value == null) {
      throw new MalformedCodeObjectException(start, "%s must have %s".formatted(what, key));
    }
    return value;
  }

  /** Reads one argument's map. */
  private final class ArgumentReader {
    private final long start = in.position();
    private @Nullable String name;
    private @Nullable String typeName;
    private @Nullable Integer offset;
    private @Nullable Integer size;
    private @Nullable String valueKind;
    private @Nullable String addressSpace;

    Argument read() {
      in.map(ARGUMENT, this::readValue);
      return new Argument(
          Optional.ofNullable(name),
          Optional.ofNullable(typeName),
          required(offset, ".offset", ARGUMENT, start),
          required(size, ".size", ARGUMENT, start),
          required(valueKind, ".value_kind", ARGUMENT, start),
          Optional.ofNullable(addressSpace));
    }

    private void readValue(String key) {
      switch (key) {
        case ".name" -> name = in.text(key);
        case ".type_name" -> typeName = in.text(key);
        case ".offset" -> offset = in.number(key);
        case ".size" -> size = in.number(key);
        case ".value_kind" -> valueKind = in.text(key);
        case ".address_space" -> addressSpace = in.text(key);
        default -> in.skip(ARGUMENT);
      }
    }
  }
}
