// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.Platform;
import dev.kcache.hip.binding.KernelLauncher;
import dev.kcache.hip.binding.PlatformCalls;
import java.util.List;

/**
 * A kernel of a loaded module.
 *
 * <pre>{@code
 * int threads = saxpy.suggestedConfig(0, 0).blockDims().x();
 * saxpy.launch(LaunchConfig.covering(n, threads), stream, KernelArguments.of(n, 2f, x, y));
 * }</pre>
 *
 * <p>Safe for use by any number of threads, while its module is open; after that everything that
 * asks the runtime throws {@link IllegalStateException}.
 */
public final class HipFunction {
  /** {@code HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES}, and CUDA's of the same name. */
  private static final int MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;

  /**
   * The static and dynamic shared memory that a block gets on NVIDIA without opting in to more: <a
   * href="https://docs.nvidia.com/cuda/cuda-c-programming-guide/#compute-capabilities">48 KiB on
   * all of its devices</a>.
   */
  private static final int UNASKED = 48 * 1024;

  private static final int SHARED_SIZE_BYTES = 1;

  private final HipModule module;
  private final KernelMetadata metadata;
  private final List<Argument> parameters;
  private final long function;

  /** The limit of dynamic shared memory of a block so far, in bytes. */
  private volatile int allowed;

  private final LaunchChecks checks;

  HipFunction(HipModule module, KernelMetadata metadata, long function) {
    this.module = module;
    this.metadata = metadata;
    this.parameters = metadata.arguments().stream().filter(one -> !one.isHidden()).toList();
    this.function = function;
    int staticSharedMemory =
        module.codeObject().format() == CodeObject.Format.PTX
            ? staticSharedMemory(context(), function)
            : metadata.sharedMemoryBytes();
    this.checks =
        new LaunchChecks(metadata, staticSharedMemory, device().properties().limits(), platform());
    this.allowed = platform() == Platform.AMD ? Integer.MAX_VALUE : UNASKED - staticSharedMemory;
  }

  /** PTX may share variables among kernels; only the driver knows which of them a kernel uses. */
  private static int staticSharedMemory(DeviceContext context, long function) {
    int[] bytes = new int[1];
    context.call(
        "hipFuncGetAttribute", hip -> hip.hipFuncGetAttribute(bytes, SHARED_SIZE_BYTES, function));
    return bytes[0];
  }

  /** {@return the device that the kernel is loaded on} */
  public HipDevice device() {
    return module.device();
  }

  /** {@return the kernel's name in the code object: of a C++ function the mangled one} */
  public String name() {
    return metadata.name();
  }

  /** {@return the kernel's metadata in the code object} */
  public KernelMetadata metadata() {
    return metadata;
  }

  /** Returns the parameters that a caller passes, in order. */
  List<Argument> parameters() {
    return parameters;
  }

  /** Returns whether the code object says which parameters are pointers. */
  boolean tellsPointers() {
    return module.tellsPointers();
  }

  /**
   * {@return the attributes of the function in the runtime}
   *
   * @throws IllegalStateException if the module is closed
   * @throws HipException if the runtime fails
   */
  public FunctionAttributes attributes() {
    return FunctionAttributes.read(context(), module.handle(), function);
  }

  /**
   * {@return how many blocks of the kernel a compute unit runs at once}
   *
   * @param threadsPerBlock the threads of a block
   * @param sharedMemoryBytes the dynamic shared memory of a block, in bytes
   * @throws IllegalArgumentException if such blocks cannot be launched, or the code object states
   *     numbers of registers that the runtime can't compute with
   * @throws IllegalStateException if the module is closed
   * @throws HipException if the runtime fails
   */
  public int activeBlocksPerComputeUnit(int threadsPerBlock, int sharedMemoryBytes) {
    LaunchConfig unused = LaunchConfig.of(1, threadsPerBlock).withSharedMemory(sharedMemoryBytes);
    checks.checkBlock(threadsPerBlock, sharedMemoryBytes);
    checkRegisters();
    int[] blocks = new int[1];
    call(
        "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
        sharedMemoryBytes,
        hip ->
            hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
                blocks, function, threadsPerBlock, sharedMemoryBytes));
    return blocks[0];
  }

  /**
   * {@return the configuration with the block size by which most threads of the kernel run at once,
   * in whole wavefronts if there is room for one, and the fewest blocks of it that fill the device}
   *
   * @param sharedMemoryBytes the dynamic shared memory of a block, in bytes
   * @param mostThreadsPerBlock the largest block size wanted, in threads; 0 for any
   * @throws IllegalArgumentException if a number is negative, the shared memory more than there is,
   *     or the code object states numbers of registers that the runtime can't compute with
   * @throws IllegalStateException if the module is closed
   * @throws HipException if the runtime fails
   */
  public LaunchConfig suggestedConfig(int sharedMemoryBytes, int mostThreadsPerBlock) {
    if (mostThreadsPerBlock < 0) {
      throw new IllegalArgumentException(
          "threads per block must not be negative: " + mostThreadsPerBlock);
    }
    LaunchConfig unused = LaunchConfig.of(1, 1).withSharedMemory(sharedMemoryBytes);
    checks.checkBlock(1, sharedMemoryBytes);
    checkRegisters();
    int most = Occupancy.mostThreads(metadata, device().properties(), mostThreadsPerBlock);
    int[] blocks = new int[1];
    int[] threads = new int[1];
    PlatformCalls calls = context().library().platformCalls();
    call(
        "hipModuleOccupancyMaxPotentialBlockSize",
        sharedMemoryBytes,
        hip ->
            calls.hipModuleOccupancyMaxPotentialBlockSize(
                blocks, threads, function, sharedMemoryBytes, most));
    int block = Math.min(threads[0], Occupancy.wholeWavefronts(most, metadata.wavefrontSize()));
    int grid =
        block == threads[0]
            ? blocks[0]
            : activeBlocksPerComputeUnit(block, sharedMemoryBytes)
                * device().properties().computeUnits().count();
    return LaunchConfig.of(Math.max(grid, 1), block).withSharedMemory(sharedMemoryBytes);
  }

  private void checkRegisters() {
    if (platform() == Platform.AMD) {
      Occupancy.checkRegisters(metadata, device().properties().archName());
    }
  }

  /** Makes a call about blocks with an amount of dynamic shared memory. */
  private void call(String name, int sharedMemoryBytes, DeviceContext.Call call) {
    module
        .handle()
        .use(
            unused -> {
              allow(sharedMemoryBytes);
              context().call(name, call);
            });
  }

  /**
   * Asks for a launch of the kernel, and does not wait for it. The arguments are copied: they may
   * be changed and used again at once. Buffers have to stay open until the kernel is done.
   *
   * @param config the blocks, their threads and the dynamic shared memory
   * @param stream a stream of this function's device
   * @param arguments the values, in the order of the kernel's parameters
   * @throws IllegalArgumentException if the kernel takes other arguments, the kernel or the device
   *     does not allow the configuration, or the stream or a buffer is of another device; nothing
   *     is launched
   * @throws IllegalStateException if the module, the stream or a buffer among the arguments is
   *     closed, or another thread launches with the same arguments; nothing is launched
   * @throws HipException if the runtime refuses the launch, or work that was asked for before
   *     failed
   */
  public void launch(LaunchConfig config, HipStream stream, KernelArguments arguments) {
    requireNonNull(config, "config");
    requireNonNull(stream, "stream");
    requireNonNull(arguments, "arguments");
    checks.check(config);
    if (!stream.device().equals(device())) {
      throw new IllegalArgumentException(
          "%s is loaded on device %d, but the stream is of device %d"
              .formatted(name(), device().ordinal(), stream.device().ordinal()));
    }
    long unused = module.handle().acquire();
    try {
      allow(config.sharedMemoryBytes());
      long queue = stream.handle().acquire();
      try {
        ArgumentLayout layout = arguments.acquire(this);
        try {
          LaunchEvent event = FlightRecording.isOn() ? LaunchEvent.begun() : null;
          context().launch(this, config, stream.launches(), queue, layout.block());
          if (event != null) {
            event.end(this, config);
          }
        } finally {
          arguments.release(layout);
        }
      } finally {
        stream.handle().release();
      }
    } finally {
      module.handle().release();
    }
  }

  /** Calls the runtime for a launch; returns the {@code hipError_t}. */
  int launch(KernelLauncher launcher, LaunchConfig config, long stream, ArgumentBlock block) {
    return launcher.hipModuleLaunchKernel(
        function,
        config.gridDims().x(),
        config.gridDims().y(),
        config.gridDims().z(),
        config.blockDims().x(),
        config.blockDims().y(),
        config.blockDims().z(),
        config.sharedMemoryBytes(),
        stream,
        0,
        block.extraAddress());
  }

  /**
   * Raises the limit of dynamic shared memory, which NVIDIA requires beyond {@link #UNASKED}. It is
   * never lowered, since another thread may need it.
   */
  private void allow(int bytes) {
    if (bytes > allowed) {
      raise(bytes);
    }
  }

  private synchronized void raise(int bytes) {
    if (bytes > allowed) {
      context()
          .call(
              "hipFuncSetAttribute",
              hip -> hip.hipFuncSetAttribute(function, MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
      allowed = bytes;
    }
  }

  private Platform platform() {
    return context().library().platform();
  }

  private DeviceContext context() {
    return module.device().context();
  }

  /** Returns the kernel's name. */
  @Override
  public String toString() {
    return name();
  }
}
