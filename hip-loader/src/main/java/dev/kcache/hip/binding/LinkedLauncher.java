// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.util.Optional;

/**
 * A launcher by Java's own linker ({@code java.lang.foreign}, JDK 22 and newer). A call takes some
 * 10 ns, where JNA takes 200 ns for so many parameters, which is 5 to 15 % of a launch.
 *
 * <p>It is there only where native access is enabled: by {@code --enable-native-access}, or because
 * JNA loaded its own library, of which JDK 24 and newer warn once, and which is enough for all that
 * comes after on the class path. Otherwise the runtime would print a warning of ours. What is newer
 * than JDK 17 is called by reflection, once.
 */
final class LinkedLauncher implements KernelLauncher {
  private static final String PACKAGE = "java.lang.foreign.";

  private final MethodHandle function;

  private LinkedLauncher(MethodHandle function) {
    this.function = function;
  }

  /** Links the function at an address, where possible. */
  static Optional<KernelLauncher> link(long address) {
    try {
      boolean allowed =
          (boolean)
              Module.class
                  .getMethod("isNativeAccessEnabled")
                  .invoke(LinkedLauncher.class.getModule());
      return allowed ? Optional.of(new LinkedLauncher(handle(address))) : Optional.empty();
    } catch (NoSuchMethodException e) {
      return Optional.empty();
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      System.getLogger(LinkedLauncher.class.getName())
          .log(Level.DEBUG, "launches stay with JNA", e);
      return Optional.empty();
    }
  }

  private static MethodHandle handle(long address) throws ReflectiveOperationException {
    Class<?> linker = type("Linker");
    Class<?> segment = type("MemorySegment");
    Class<?> descriptor = type("FunctionDescriptor");
    Object parameters = Array.newInstance(type("MemoryLayout"), 11);
    for (int i = 0; i < 11; i++) {
      Array.set(parameters, i, layout(i == 0 || i >= 8 ? "JAVA_LONG" : "JAVA_INT"));
    }
    Object signature =
        descriptor
            .getMethod("of", type("MemoryLayout"), parameters.getClass())
            .invoke(null, layout("JAVA_INT"), parameters);
    Object options = Array.newInstance(type("Linker$Option"), 0);
    return (MethodHandle)
        linker
            .getMethod("downcallHandle", segment, descriptor, options.getClass())
            .invoke(
                linker.getMethod("nativeLinker").invoke(null),
                segment.getMethod("ofAddress", long.class).invoke(null, address),
                signature,
                options);
  }

  private static Class<?> type(String name) throws ClassNotFoundException {
    return Class.forName(PACKAGE + name);
  }

  private static Object layout(String name) throws ReflectiveOperationException {
    return type("ValueLayout").getField(name).get(null);
  }

  @Override
  public int hipModuleLaunchKernel(
      long f,
      int gridDimX,
      int gridDimY,
      int gridDimZ,
      int blockDimX,
      int blockDimY,
      int blockDimZ,
      int sharedMemBytes,
      long stream,
      long kernelParams,
      long extra) {
    try {
      return (int)
          function.invokeExact(
              f,
              gridDimX,
              gridDimY,
              gridDimZ,
              blockDimX,
              blockDimY,
              blockDimZ,
              sharedMemBytes,
              stream,
              kernelParams,
              extra);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a function of C throws nothing", e);
    }
  }
}
