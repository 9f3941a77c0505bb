// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.KernelMetadata.BlockDims;
import dev.kcache.codeobject.KernelMetadata.Registers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One kernel of a PTX module. An instance reads one kernel. */
final class PtxKernel {
  /** What a kernel takes with its name's places in all tables, but for its name and arguments. */
  private static final int KERNEL_MEMORY = 1024;

  private static final int VARIABLE_MEMORY = 32;

  private final String name;
  private final List<Argument> arguments = new ArrayList<>();
  private int kernargSize;
  private int kernargAlignment = 1;
  private int sharedMemoryBytes;
  private int maxThreads = CubinKernel.MOST_THREADS;
  private @Nullable BlockDims requiredBlockDims;

  private PtxKernel(String name) {
    this.name = name;
  }

  /** Reads a kernel from after {@code .entry} to the start of its body, or to a semicolon. */
  static PtxKernel read(ImageReader image, PtxTokens in) {
    in.require("a kernel's name");
    image.take(in.start(), KERNEL_MEMORY, "a kernel");
    PtxKernel kernel = new PtxKernel(in.word("a kernel's name"));
    in.require("a kernel's body");
    if (in.is('(')) {
      kernel.readParameters(image, in);
      in.require("a kernel's body");
    }
    while (!in.is('{') && !in.is(';')) {
      kernel.readDirective(image, in);
    }
    return kernel;
  }

  private void readParameters(ImageReader image, PtxTokens in) {
    in.require("a parameter");
    while (!in.is(')')) {
      if (!in.is(".param")) {
        throw in.malformed("a kernel's parameter must begin with .param");
      }
      image.take(in.start(), CubinKernel.ARGUMENT_MEMORY, "a parameter");
      add(PtxVariable.read(in));
      if (in.is(',')) {
        in.require(".param");
      } else if (!in.is(')')) {
        throw in.malformed("a kernel's parameter must be followed by , or )");
      }
    }
  }

  private void add(PtxVariable parameter) {
    int offset = parameter.placedAfter(kernargSize);
    arguments.add(Argument.byValue(offset, parameter.size()));
    kernargSize = offset + parameter.size();
    kernargAlignment = Math.max(kernargAlignment, parameter.alignment());
  }

  /** Reads one directive for the kernel's launch; what is not known here is passed over. */
  private void readDirective(ImageReader image, PtxTokens in) {
    if (in.is(".maxntid")) {
      limit(readDims(image, in));
    } else if (in.is(".reqntid")) {
      requiredBlockDims = readDims(image, in);
      limit(requiredBlockDims);
    } else if (in.is(".pragma")) {
      while (!in.is(';')) {
        in.require("the end of a .pragma");
      }
      in.require("a kernel's body");
    } else {
      in.require("a kernel's body");
    }
  }

  private void limit(BlockDims dims) {
    maxThreads = Math.min(maxThreads, dims.threads());
  }

  /** Reads one to three numbers; the token behind them is the current one then. */
  private static BlockDims readDims(ImageReader image, PtxTokens in) {
    long at = in.start();
    image.take(at, CubinKernel.ARGUMENT_MEMORY, "block dims");
    int[] dims = {1, 1, 1};
    for (int i = 0; i < dims.length; i++) {
      in.require("block dims");
      dims[i] = in.number("block dims");
      in.require("a kernel's body");
      if (!in.is(',')) {
        break;
      }
    }
    return CubinKernel.dims(at, dims[0], dims[1], dims[2]);
  }

  /** Reads the body, whose first token is the current one, to its end. */
  void readBody(ImageReader image, PtxTokens in) {
    in.body(
        () -> {
          if (in.is(".shared")) {
            image.take(in.start(), VARIABLE_MEMORY, "a variable");
            readShared(in);
          }
        });
  }

  private void readShared(PtxTokens in) {
    PtxVariable variable = PtxVariable.read(in);
    sharedMemoryBytes = variable.placedAfter(sharedMemoryBytes) + variable.size();
    if (!in.is(';')) {
      throw in.malformed("a variable must be followed by ;");
    }
  }

  String name() {
    return name;
  }

  KernelMetadata toMetadata() {
    return new KernelMetadata(
        name,
        name,
        arguments,
        kernargSize,
        kernargAlignment,
        new Registers(0, 0, 0, 0, 0),
        sharedMemoryBytes,
        0,
        false,
        CubinKernel.WARP_SIZE,
        maxThreads,
        Optional.ofNullable(requiredBlockDims),
        Optional.empty());
  }
}
