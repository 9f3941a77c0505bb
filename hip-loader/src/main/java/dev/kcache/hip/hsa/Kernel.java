// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import dev.kcache.codeobject.KernelMetadata;

/** A kernel of a loaded {@link Code}, which {@code hipFunction_t} stands for. */
final class Kernel extends Entry {
  private static final int KERNARG_SIZE = 11;
  private static final int GROUP_SIZE = 13;
  private static final int PRIVATE_SIZE = 14;
  private static final int KERNEL_OBJECT = 22;

  /** HIP's default for a thread whose stack the compiler could not compute. */
  private static final int DYNAMIC_STACK = 1024;

  private final Agent agent;
  private final KernelMetadata metadata;
  private final Arguments arguments;
  private final long object;
  private final int sharedMemory;
  private final int scratch;

  /**
   * Reads a kernel.
   *
   * @throws HsaFailure if it can't be launched with HSA alone, or the runtime fails
   */
  Kernel(Agent agent, KernelMetadata metadata, int version, long symbol) {
    Hsa hsa = agent.hsa();
    Info info =
        new Info(
            "hsa_executable_symbol_get_info",
            (attribute, value) -> hsa.hsa_executable_symbol_get_info(symbol, attribute, value));
    this.agent = agent;
    this.metadata = metadata;
    this.arguments = Arguments.of(metadata, info.number(KERNARG_SIZE), version);
    this.object = info.longNumber(KERNEL_OBJECT);
    this.sharedMemory = info.number(GROUP_SIZE);
    this.scratch = scratch(metadata, info.number(PRIVATE_SIZE));
    requireFits(metadata, arguments.size(), agent.limits().largestKernarg());
  }

  static void requireFits(KernelMetadata kernel, int size, int largest) {
    if (size > largest || kernel.kernargAlignment() > KernargRing.ALIGNMENT) {
      throw new HsaFailure(
          HsaFailure.NOT_SUPPORTED,
          "%s takes %d bytes of arguments, aligned to %d; HSA takes up to %d here, aligned to %d"
              .formatted(
                  kernel.name(), size, kernel.kernargAlignment(), largest, KernargRing.ALIGNMENT));
    }
  }

  static int scratch(KernelMetadata metadata, int fixed) {
    return metadata.dynamicStack() ? Math.max(fixed, DYNAMIC_STACK) : fixed;
  }

  Agent agent() {
    return agent;
  }

  KernelMetadata metadata() {
    return metadata;
  }

  String name() {
    return metadata.name();
  }

  Arguments arguments() {
    return arguments;
  }

  /** Returns the address of the kernel's descriptor. */
  long object() {
    return object;
  }

  /** Returns the static shared memory of a block in bytes. */
  int sharedMemory() {
    return sharedMemory;
  }

  /** Returns the scratch memory of a thread in bytes. */
  int scratch() {
    return scratch;
  }
}
