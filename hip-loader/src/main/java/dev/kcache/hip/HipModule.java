// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.KernelMetadata;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * A code object that is loaded on a device.
 *
 * <pre>{@code
 * try (HipModule module = device.load(codeObject)) {
 *   HipFunction saxpy = module.function("saxpy");
 *   saxpy.launch(LaunchConfig.covering(n, 256), stream, KernelArguments.of(n, 2f, x, y));
 *   stream.synchronize();
 * }
 * }</pre>
 *
 * <p>Safe for use by any number of threads. Closing waits for the device's work and then unloads
 * the code; uses of the module and of its functions after that throw {@link IllegalStateException}.
 */
public final class HipModule implements AutoCloseable {
  private final HipDevice device;
  private final CodeObject codeObject;
  private final Map<String, HipFunction> functions = new ConcurrentHashMap<>();

  /** The requested variables, by address. */
  private final Map<Long, String> globals = new ConcurrentHashMap<>();

  private final AtomicBoolean kept;
  private final Handle handle;

  private HipModule(HipDevice device, CodeObject codeObject, AtomicBoolean kept, Handle handle) {
    this.device = device;
    this.codeObject = codeObject;
    this.kept = kept;
    this.handle = handle;
  }

  static HipModule load(HipDevice device, CodeObject codeObject) {
    ModuleImage image = ModuleImage.check(device, codeObject);
    DeviceContext context = device.context();
    context.faults().watch();
    AtomicBoolean kept = new AtomicBoolean();
    LoadEvent event = FlightRecording.isOn() ? LoadEvent.begun() : null;
    long module =
        codeObject.format() == Format.PTX ? compile(context, image) : load(context, image);
    if (event != null) {
      event.end(device, codeObject);
    }
    Handle handle =
        Handle.of(
            "module",
            module,
            device.leaks(),
            value -> {
              try {
                // The code may still run; its fault is not this call's.
                int unused = context.status(hip -> hip.hipDeviceSynchronize());
                if (!kept.get()) {
                  context.call("hipModuleUnload", hip -> hip.hipModuleUnload(value));
                }
              } finally {
                Reference.reachabilityFence(image);
              }
            });
    return new HipModule(device, codeObject, kept, handle);
  }

  private static long load(DeviceContext context, ModuleImage image) {
    long[] module = new long[1];
    context.call("hipModuleLoadData", hip -> hip.hipModuleLoadData(module, image.address()));
    return module[0];
  }

  /** Loads an image that the driver compiles; only its compiler knows why it fails. */
  private static long compile(DeviceContext context, ModuleImage image) {
    long[] module = new long[1];
    JitLog log = new JitLog();
    try {
      int status = context.status(hip -> log.load(hip, module, image.address()));
      if (status != Statuses.SUCCESS) {
        throw Statuses.failure(context.library(), "hipModuleLoadDataEx", status, log.text());
      }
      return module[0];
    } finally {
      Reference.reachabilityFence(log);
    }
  }

  /** {@return the device of the module} */
  public HipDevice device() {
    return device;
  }

  /** {@return the loaded code object} */
  public CodeObject codeObject() {
    return codeObject;
  }

  /** {@return the names of the module's kernels, by which {@link #function} finds them} */
  public Set<String> functionNames() {
    return codeObject.kernels().stream()
        .map(KernelMetadata::name)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * {@return a kernel of the module; the same object each time}
   *
   * @param name the name in the code object, or, of a C++ function that is not {@code extern "C"},
   *     the one in the source, with its namespaces, if only one kernel has that
   * @throws IllegalArgumentException if there is no such kernel, or there are several; the message
   *     names those that are there
   * @throws IllegalStateException if this module is closed
   * @throws HipException if the runtime fails
   */
  public HipFunction function(String name) {
    requireNonNull(name, "name");
    handle.requireOpen();
    HipFunction known = functions.get(name);
    return known != null
        ? known
        : functions.computeIfAbsent(codeObject.kernel(name).name(), this::findFunction);
  }

  private HipFunction findFunction(String name) {
    long[] function = new long[1];
    byte[] symbol = terminated(name);
    DeviceContext context = device.context();
    context.call(
        "hipModuleGetFunction",
        handle,
        (hip, module) -> hip.hipModuleGetFunction(function, module, symbol));
    return new HipFunction(this, codeObject.kernel(name), function[0]);
  }

  /**
   * {@return the memory of a {@code __device__} or {@code __constant__} variable} It lives as long
   * as the module: closing the buffer has no effect, and uses after the module is closed throw
   * {@link IllegalStateException}. If two names of one variable are asked for, which AMD's runtime
   * does not survive when it unloads the module, that stays loaded until the process ends.
   *
   * @param name the name in the code object: of a C++ variable in a namespace the mangled one
   * @throws IllegalStateException if this module is closed
   * @throws HipException if there is no such variable (500, {@code hipErrorNotFound}), or the
   *     runtime fails otherwise
   */
  public DeviceBuffer global(String name) {
    requireNonNull(name, "name");
    long[] address = new long[1];
    long[] size = new long[1];
    byte[] symbol = terminated(name);
    if (isDescriptor(name)) {
      handle.requireOpen();
      throw Statuses.failure(
          device.context().library(),
          "hipModuleGetGlobal",
          Statuses.NOT_FOUND,
          name + " is no variable");
    }
    DeviceContext context = device.context();
    handle.use(
        module -> {
          context.call(
              "hipModuleGetGlobal", hip -> hip.hipModuleGetGlobal(address, size, module, symbol));
          String other = size[0] == 0 ? null : globals.putIfAbsent(address[0], name);
          if (other != null && !other.equals(name) && codeObject.format() == Format.AMDGPU_ELF) {
            kept.set(true);
          }
        });
    return new DeviceBuffer(device, handle, false, address[0], size[0]);
  }

  /** AMD's runtime takes a descriptor for a variable and crashes. */
  private boolean isDescriptor(String name) {
    return codeObject.format() == Format.AMDGPU_ELF
        && codeObject.kernels().stream().anyMatch(kernel -> kernel.symbol().equals(name));
  }

  private static byte[] terminated(String name) {
    byte[] text = name.getBytes(UTF_8);
    return Arrays.copyOf(text, text.length + 1);
  }

  /** Returns whether the code object distinguishes pointers from numbers; a cubin does not. */
  boolean tellsPointers() {
    return codeObject.format() == Format.AMDGPU_ELF;
  }

  Handle handle() {
    return handle;
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
