// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A code object that is loaded on a device.
 *
 * <p>Safe for use by any number of threads. Closing waits for the device's work and then unloads
 * the code; uses of the module and of its functions after that throw {@link IllegalStateException}.
 */
public final class HipModule implements AutoCloseable {
  private final HipDevice device;
  private final CodeObject codeObject;
  private final Map<String, KernelMetadata> kernels;
  private final Map<String, HipFunction> functions = new ConcurrentHashMap<>();
  private final Handle handle;

  private HipModule(HipDevice device, CodeObject codeObject, Handle handle) {
    this.device = device;
    this.codeObject = codeObject;
    this.handle = handle;
    this.kernels =
        codeObject.kernels().stream()
            .collect(Collectors.toMap(KernelMetadata::name, Function.identity()));
  }

  static HipModule load(HipDevice device, CodeObject codeObject) {
    ModuleImage image = ModuleImage.check(device, codeObject);
    DeviceContext context = device.context();
    long[] module = new long[1];
    context.call("hipModuleLoadData", hip -> hip.hipModuleLoadData(module, image.address()));
    Handle handle =
        Handle.of(
            "module",
            module[0],
            device.leaks(),
            value -> {
              try {
                // The code may still run; a fault of that is not this call's.
                int unused = context.status(hip -> hip.hipDeviceSynchronize());
                context.call("hipModuleUnload", hip -> hip.hipModuleUnload(value));
              } finally {
                Reference.reachabilityFence(image);
              }
            });
    return new HipModule(device, codeObject, handle);
  }

  /** Returns the device that it is loaded on. */
  public HipDevice device() {
    return device;
  }

  /** Returns the code object that is loaded. */
  public CodeObject codeObject() {
    return codeObject;
  }

  /**
   * Returns a kernel of the module.
   *
   * @param name the name in the code object: of a C++ function the mangled one
   * @throws IllegalArgumentException if there is no such kernel; the message names those that are
   *     there
   * @throws HipException if the runtime fails
   */
  public HipFunction function(String name) {
    return functions.computeIfAbsent(name, this::findFunction);
  }

  private HipFunction findFunction(String name) {
    KernelMetadata kernel = kernels.get(name);
    if (kernel == null) {
      throw new IllegalArgumentException(
          "there is no kernel %s in the module; it has %s"
              .formatted(name, String.join(", ", kernels.keySet())));
    }
    long[] function = new long[1];
    byte[] symbol = Arrays.copyOf(name.getBytes(UTF_8), name.getBytes(UTF_8).length + 1);
    long module = acquire();
    try {
      device
          .context()
          .call("hipModuleGetFunction", hip -> hip.hipModuleGetFunction(function, module, symbol));
    } finally {
      release();
    }
    return new HipFunction(this, kernel, function[0]);
  }

  long acquire() {
    return handle.acquire();
  }

  void release() {
    handle.release();
  }

  /** Unloads the code object. Closing twice has no effect. */
  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return "%s on device %d".formatted(codeObject, device.ordinal());
  }
}
