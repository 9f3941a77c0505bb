// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.hip.binding.Hip;

/**
 * A kernel of a loaded module.
 *
 * <p>Safe for use by any number of threads, while its module is open.
 */
public final class HipFunction {
  private final HipModule module;
  private final KernelMetadata metadata;
  private final long function;

  HipFunction(HipModule module, KernelMetadata metadata, long function) {
    this.module = module;
    this.metadata = metadata;
    this.function = function;
  }

  /** Returns the module that has the kernel. */
  public HipModule module() {
    return module;
  }

  /** Returns the kernel's name. */
  public String name() {
    return metadata.name();
  }

  /** Returns what the code object says of the kernel. */
  public KernelMetadata metadata() {
    return metadata;
  }

  /**
   * Asks for a launch of the kernel, and does not wait for it. The arguments are copied: they may
   * be changed and used again at once.
   *
   * @throws IllegalArgumentException if the kernel takes other arguments, or the kernel or the
   *     device does not allow the configuration; nothing is launched
   * @throws IllegalStateException if the module, the stream or a buffer among the arguments is
   *     closed; nothing is launched
   * @throws HipException if the runtime refuses the launch, or work that was asked for before
   *     failed
   */
  public void launch(LaunchConfig config, HipStream stream, KernelArguments arguments) {
    HipDevice device = module.device();
    LaunchChecks.check(this, config, stream);
    module.acquire();
    try {
      long queue = stream.acquire();
      try {
        arguments.acquire(this);
        try {
          launch(device.context(), config, queue, arguments);
        } finally {
          arguments.release();
        }
      } finally {
        stream.release();
      }
    } finally {
      module.release();
    }
  }

  private void launch(
      DeviceContext context, LaunchConfig config, long stream, KernelArguments arguments) {
    Hip hip = context.library().functions();
    context.check("hipGetDevice", hip.hipGetDevice(arguments.currentDeviceAddress()));
    int current = arguments.currentDevice();
    context.enter(current);
    int status;
    try {
      status =
          hip.hipModuleLaunchKernel(
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
              arguments.extraAddress());
    } finally {
      context.leave(current);
    }
    context.check("hipModuleLaunchKernel", status);
  }

  @Override
  public String toString() {
    return name();
  }
}
