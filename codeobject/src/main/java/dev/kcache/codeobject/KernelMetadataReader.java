// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.KernelMetadata.BlockDims;
import dev.kcache.codeobject.KernelMetadata.Registers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads one kernel's map of the metadata note. An instance reads one kernel. */
final class KernelMetadataReader implements MessagePackReader.KeyVisitor {
  private static final String KERNEL = "a kernel's metadata";
  private static final String ARGUMENT = "an argument's metadata";

  /** The memory of a kernel and of its names' places in all tables, without names and arguments. */
  private static final int KERNEL_MEMORY = 1024;

  /** The memory of an argument, of three optional texts without the texts, and of its places. */
  private static final int ARGUMENT_MEMORY = 112;

  private static final int MISSING = -1;
  private static final String DESCRIPTOR = ".kd";

  private final ImageReader image;
  private final MessagePackReader in;
  private final long start;
  private @Nullable String name;
  private @Nullable String symbol;
  private List<Argument> arguments = List.of();
  private int kernargSize = MISSING;
  private int kernargAlignment = MISSING;
  private int sharedMemoryBytes = MISSING;
  private int scratchBytes = MISSING;
  private boolean dynamicStack;
  private int wavefrontSize = MISSING;
  private int maxThreadsPerBlock = MISSING;
  private @Nullable BlockDims requiredBlockDims;
  private int vgprs = MISSING;
  private int agprs;
  private int sgprs = MISSING;
  private int vgprSpills;
  private int sgprSpills;

  KernelMetadataReader(ImageReader image, MessagePackReader in) {
    this.image = image;
    this.in = in;
    this.start = in.position();
  }

  /** Reads the kernel. */
  KernelMetadata read() {
    image.take(start, KERNEL_MEMORY, KERNEL);
    in.map(KERNEL, this);
    number(kernargSize, ".kernarg_segment_size");
    requireInside(kernargSize);
    number(wavefrontSize, ".wavefront_size");
    if (wavefrontSize != 32 && wavefrontSize != 64) {
      throw new MalformedCodeObjectException(
          start, ".wavefront_size must be 32 or 64, is " + wavefrontSize);
    }
    String kernel = text(name, ".name");
    String descriptor = text(symbol, ".symbol");
    if (!descriptor.equals(kernel + DESCRIPTOR)) {
      // HIP lists kernels by the symbols of their functions and looks them up by .name, so that one
      // with another name could not be launched.
      throw new MalformedCodeObjectException(
          start,
          ".symbol must be .name with %s, are %s and %s",
          DESCRIPTOR,
          Quoted.of(descriptor),
          Quoted.of(kernel));
    }
    return new KernelMetadata(
        kernel,
        descriptor,
        arguments,
        kernargSize,
        powerOfTwo(kernargAlignment, ".kernarg_segment_align"),
        registers(),
        number(sharedMemoryBytes, ".group_segment_fixed_size"),
        number(scratchBytes, ".private_segment_fixed_size"),
        dynamicStack,
        wavefrontSize,
        number(maxThreadsPerBlock, ".max_flat_workgroup_size"),
        Optional.ofNullable(requiredBlockDims),
        Optional.empty());
  }

  /** Reads the value that belongs to a key of the kernel's map. */
  @Override
  public void visit(String key) {
    switch (key) {
      case ".name" -> name = in.text(key);
      case ".symbol" -> symbol = in.text(key);
      case ".args" -> arguments = readArguments(key);
      case ".kernarg_segment_size" -> kernargSize = in.number(key);
      case ".kernarg_segment_align" -> kernargAlignment = in.number(key);
      case ".group_segment_fixed_size" -> sharedMemoryBytes = in.number(key);
      case ".private_segment_fixed_size" -> scratchBytes = in.number(key);
      case ".uses_dynamic_stack" -> dynamicStack = in.flag(key);
      case ".wavefront_size" -> wavefrontSize = in.number(key);
      case ".max_flat_workgroup_size" -> maxThreadsPerBlock = in.number(key);
      case ".reqd_workgroup_size" -> requiredBlockDims = readBlockDims(key);
      case ".vgpr_count" -> vgprs = in.number(key);
      case ".agpr_count" -> agprs = in.number(key);
      case ".sgpr_count" -> sgprs = in.number(key);
      case ".vgpr_spill_count" -> vgprSpills = in.number(key);
      case ".sgpr_spill_count" -> sgprSpills = in.number(key);
      default -> in.skip(KERNEL);
    }
  }

  private Registers registers() {
    return new Registers(
        number(vgprs, ".vgpr_count"), agprs, number(sgprs, ".sgpr_count"), vgprSpills, sgprSpills);
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
    ArgumentReader argument = new ArgumentReader();
    List<Argument> read = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      read.add(argument.read());
    }
    return read;
  }

  private void requireInside(int kernargSize) {
    for (Argument argument : arguments) {
      if (argument.size() > kernargSize || argument.offset() > kernargSize - argument.size()) {
        throw new MalformedCodeObjectException(
            start,
            "an argument (%d bytes at %d) must lie inside the kernarg segment of %d bytes",
            argument.size(),
            argument.offset(),
            kernargSize);
      }
    }
  }

  private String text(@Nullable String value, String key) {
    return present(value, key, KERNEL, start);
  }

  private int number(int value, String key) {
    return present(value, key, KERNEL, start);
  }

  private int powerOfTwo(int value, String key) {
    int present = number(value, key);
    if (Integer.bitCount(present) != 1) {
      throw new MalformedCodeObjectException(
          start, "%s must be a power of two, is %d", key, present);
    }
    return present;
  }

  private static String present(@Nullable String value, String key, String what, long start) {
    if (value == null) {
      throw missing(key, what, start);
    }
    return value;
  }

  private static int present(int value, String key, String what, long start) {
    if (value == MISSING) {
      throw missing(key, what, start);
    }
    return value;
  }

  private static MalformedCodeObjectException missing(String key, String what, long start) {
    return new MalformedCodeObjectException(start, "%s must have %s", what, key);
  }

  /** Reads arguments' maps, one at a time. */
  private final class ArgumentReader implements MessagePackReader.KeyVisitor {
    private @Nullable String name;
    private @Nullable String typeName;
    private int offset;
    private int size;
    private @Nullable String valueKind;
    private @Nullable String addressSpace;

    Argument read() {
      long start = in.position();
      image.take(start, ARGUMENT_MEMORY, ARGUMENT);
      name = null;
      typeName = null;
      offset = MISSING;
      size = MISSING;
      valueKind = null;
      addressSpace = null;
      in.map(ARGUMENT, this);
      return new Argument(
          Optional.ofNullable(name),
          Optional.ofNullable(typeName),
          present(offset, ".offset", ARGUMENT, start),
          present(size, ".size", ARGUMENT, start),
          present(valueKind, ".value_kind", ARGUMENT, start),
          Optional.ofNullable(addressSpace));
    }

    /** Reads the value that belongs to a key of the argument's map. */
    @Override
    public void visit(String key) {
      switch (key) {
        case ".name" -> name = in.text(key);
        case ".type_name" -> typeName = in.word(key);
        case ".offset" -> offset = in.number(key);
        case ".size" -> size = in.number(key);
        case ".value_kind" -> valueKind = in.word(key);
        case ".address_space" -> addressSpace = in.word(key);
        default -> in.skip(ARGUMENT);
      }
    }
  }
}
