// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.KernelMetadata.BlockDims;
import dev.kcache.codeobject.KernelMetadata.Registers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Collects what the attributes of a cubin say of one kernel. */
final class CubinKernel {
  /** The most threads that a block has on any NVIDIA GPU so far. */
  static final int MOST_THREADS = 1024;

  static final int WARP_SIZE = 32;

  /** The memory of an argument and of its place in lists. */
  static final int ARGUMENT_MEMORY = 112;

  private final String name;
  private final long start;
  private final int sharedMemoryBytes;
  private final List<Parameter> parameters = new ArrayList<>();
  private int kernargSize;
  private int maxThreads = MOST_THREADS;
  private @Nullable BlockDims requiredBlockDims;
  private int registers;
  private int scratchBytes;

  /**
   * A parameter.
   *
   * @param value where the attribute's value begins
   * @param ordinal its place among the others
   */
  private record Parameter(long value, int ordinal, int offset, int size) {}

  /**
   * Creates a kernel without arguments.
   *
   * @param start where its attributes begin
   */
  CubinKernel(String name, long start, int sharedMemoryBytes) {
    this.name = name;
    this.start = start;
    this.sharedMemoryBytes = sharedMemoryBytes;
  }

  /** Takes an attribute of the kernel's own section. */
  void take(ImageReader elf, int attribute, long value, int size) {
    switch (attribute) {
      case CubinAttributes.KPARAM_INFO -> {
        CubinAttributes.requireSize(value, size, 12);
        addParameter(elf, value, (int) (elf.u32(value + 8, "a parameter") >>> 18));
      }
      case CubinAttributes.KPARAM_INFO_V2 -> {
        CubinAttributes.requireSize(value, size, 12);
        addParameter(elf, value, elf.u16(value + 8, "a parameter"));
      }
      case CubinAttributes.CBANK_PARAM_SIZE -> {
        CubinAttributes.requireSize(value, size, 2);
        kernargSize = elf.u16(value, "the size of the parameters");
      }
      case CubinAttributes.MAX_THREADS -> limit(dims(elf, value, size));
      case CubinAttributes.REQNTID -> {
        requiredBlockDims = dims(elf, value, size);
        limit(requiredBlockDims);
      }
      default -> {
        // What else there is says nothing of how a kernel is called.
      }
    }
  }

  /** Takes an attribute of the section that tells what all kernels use. */
  void use(ImageReader elf, int attribute, long value) {
    long number = elf.u32(value, "what a kernel uses");
    if (number > Integer.MAX_VALUE) {
      throw new MalformedCodeObjectException(
          value, "what a kernel uses must be below 2^31, is " + number);
    }
    if (attribute == CubinAttributes.REGCOUNT) {
      registers = (int) number;
    } else {
      scratchBytes = (int) number;
    }
  }

  private void limit(BlockDims dims) {
    maxThreads = Math.min(maxThreads, dims.threads());
  }

  private void addParameter(ImageReader elf, long value, int size) {
    elf.take(value, ARGUMENT_MEMORY, "a parameter");
    parameters.add(
        new Parameter(
            value, elf.u16(value + 4, "a parameter"), elf.u16(value + 6, "a parameter"), size));
  }

  private static BlockDims dims(ImageReader elf, long value, int size) {
    CubinAttributes.requireSize(value, size, 12);
    elf.take(value, ARGUMENT_MEMORY, "block dims");
    return dims(
        value,
        elf.u32(value, "block dims"),
        elf.u32(value + 4, "block dims"),
        elf.u32(value + 8, "block dims"));
  }

  /** Returns block dims that some NVIDIA GPU may have. */
  static BlockDims dims(long at, long x, long y, long z) {
    boolean sound =
        Math.min(x, Math.min(y, z)) > 0
            && Math.max(x, Math.max(y, z)) <= MOST_THREADS
            && x * y * z <= MOST_THREADS;
    if (!sound) {
      throw new MalformedCodeObjectException(
          at, "block dims must have 1 to %d threads, are %d x %d x %d", MOST_THREADS, x, y, z);
    }
    return new BlockDims((int) x, (int) y, (int) z);
  }

  /** Returns the kernel, whose attributes must agree. */
  KernelMetadata toMetadata() {
    return new KernelMetadata(
        name,
        name,
        arguments(),
        kernargSize,
        1,
        new Registers(registers, 0, 0, 0, 0),
        sharedMemoryBytes,
        scratchBytes,
        false,
        WARP_SIZE,
        maxThreads,
        Optional.ofNullable(requiredBlockDims),
        Optional.empty());
  }

  private List<Argument> arguments() {
    @Nullable Parameter[] byOrdinal = new @Nullable Parameter[parameters.size()];
    for (Parameter parameter : parameters) {
      if (parameter.ordinal() >= byOrdinal.length || byOrdinal[parameter.ordinal()] != null) {
        throw new MalformedCodeObjectException(
            parameter.value() + 4,
            "parameter %d of %d must be there once",
            parameter.ordinal(),
            byOrdinal.length);
      }
      byOrdinal[parameter.ordinal()] = parameter;
    }
    List<Argument> arguments = new ArrayList<>();
    int end = 0;
    for (Parameter parameter : byOrdinal) {
      if (parameter != null) {
        arguments.add(argument(parameter, end));
        end = parameter.offset() + parameter.size();
      }
    }
    if (end > kernargSize) {
      throw new MalformedCodeObjectException(
          start,
          "the arguments of kernel %s must have %d bytes, have %d",
          Quoted.of(name),
          kernargSize,
          end);
    }
    return arguments;
  }

  private static Argument argument(Parameter parameter, int least) {
    if (parameter.offset() < least) {
      throw new MalformedCodeObjectException(
          parameter.value() + 6,
          "parameter %d must begin at %d or later, begins at %d",
          parameter.ordinal(),
          least,
          parameter.offset());
    }
    return Argument.byValue(parameter.offset(), parameter.size());
  }
}
