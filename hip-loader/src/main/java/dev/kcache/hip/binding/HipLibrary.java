// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.jna.Function;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.SymbolProvider;
import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.HostSystem;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * A loaded library that has HIP's functions, or on which they are built. It stays loaded until the
 * JVM ends, since the runtime's own threads run its code.
 *
 * <p>Safe for use by any number of threads.
 */
public abstract class HipLibrary {
  /** {@code hipErrorNotSupported}, the result of a function that the library lacks. */
  public static final int NOT_SUPPORTED = 801;

  /** {@code RTLD_NOW}: a missing symbol shows at the load, not in a call. */
  private static final int RTLD_NOW = 2;

  /**
   * {@code LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR} and {@code LOAD_LIBRARY_SEARCH_SYSTEM32}: what a
   * library of Windows needs is beside it or in Windows' directory, and not where the process runs.
   */
  private static final int BESIDE_OR_SYSTEM = 0x900;

  private static final boolean WINDOWS = HostSystem.isWindows();

  /** What a native image has linked, each to its only library. */
  private static final Set<Class<?>> LINKED = ConcurrentHashMap.newKeySet();

  private final RuntimeKind kind;

  protected HipLibrary(RuntimeKind kind) {
    this.kind = kind;
  }

  /** Returns what kind of runtime the library is. */
  public final RuntimeKind kind() {
    return kind;
  }

  /** Returns the platform of the library. */
  public final Platform platform() {
    return kind.platform();
  }

  /** Returns the functions; those that the library lacks return {@link #NOT_SUPPORTED}. */
  public abstract Hip functions();

  /** Returns the functions that differ between the runtimes. */
  public abstract PlatformCalls platformCalls();

  /** Returns the fastest way so far to call {@code hipModuleLaunchKernel}. */
  public abstract KernelLauncher nextLauncher();

  /** Returns what has to be current for the calls of a device. */
  public abstract CurrentDevice currentDevice(int ordinal);

  /** Returns whether the library has a function, by HIP's name. */
  public abstract boolean has(String function);

  /**
   * Returns the address of a function of this library, or of one that it is linked with; 0 if there
   * is none.
   *
   * @param symbol its name in the library
   */
  public abstract long address(String symbol);

  /** Returns why the library can't be used, whatever its version; empty if it can. */
  public abstract Optional<String> flaw();

  /**
   * Returns the release of ROCm that the library is of, if its version is another one and tells it.
   */
  public Optional<String> rocmRelease() {
    return Optional.empty();
  }

  /**
   * Returns whether a fault of a device may end the process, as AMD's runtimes do by HSA's, which
   * Windows has not.
   */
  public boolean endsProcessAtFault() {
    return endsProcessAtFault(platform(), WINDOWS);
  }

  static boolean endsProcessAtFault(Platform platform, boolean windows) {
    return platform == Platform.AMD && !windows;
  }

  /** Returns the devices whose queues kcache itself fills; empty if the runtime does. */
  public Optional<OwnDevices> ownDevices() {
    return Optional.empty();
  }

  /** Returns the loaded file, or the name if the system's loader does not tell the file. */
  public abstract String file();

  /**
   * Returns the end mark of the list of a launch's arguments: {@code HIP_LAUNCH_PARAM_END}, or
   * {@code CU_LAUNCH_PARAM_END}, which is another number.
   */
  public abstract long launchParamEnd();

  /**
   * Returns the file of a library.
   *
   * @param function any function of the library, by whose address the loader is asked ({@code
   *     dladdr}) where the library was loaded by a name
   */
  protected static String file(NativeLibrary library, Supplier<Optional<Function>> function) {
    File file = library.getFile();
    return file.isAbsolute()
        ? file.getPath()
        : function.get().flatMap(HipLibrary::fileByAddress).orElse(file.getPath());
  }

  private static Optional<String> fileByAddress(Function function) {
    Memory found = new Memory(4L * Native.POINTER_SIZE);
    Object[] arguments = {function, found};
    boolean known = NativeLibrary.getProcess().getFunction("dladdr").invokeInt(arguments) != 0;
    return known ? Optional.of(found.getPointer(0).getString(0)) : Optional.empty();
  }

  /**
   * Returns the options to link a library with that may lack functions.
   *
   * @param missing gets the names of those that it lacks
   * @param replacement returns the address of what is linked in place of one
   */
  protected static Map<String, Object> options(
      Set<String> missing, ToLongFunction<String> replacement) {
    SymbolProvider provider =
        (handle, symbol, parent) -> {
          try {
            return parent.getSymbolAddress(handle, symbol, null);
          } catch (UnsatisfiedLinkError e) {
            missing.add(symbol);
            return replacement.applyAsLong(symbol);
          }
        };
    Map<String, Object> options = new HashMap<>();
    options.put(Library.OPTION_SYMBOL_PROVIDER, provider);
    options.put(Library.OPTION_OPEN_FLAGS, openFlags(WINDOWS));
    return options;
  }

  /**
   * Makes a copy of a class with native methods, and links it to a library: JNA links those of a
   * class to one library, for all its instances. A native image can't make classes, and links the
   * class itself to the first library.
   *
   * @param lookup one of the class's package
   * @throws UnsatisfiedLinkError if this is a native image that has linked the class before
   */
  protected static Object copyOf(
      Class<?> natives, MethodHandles.Lookup lookup, NativeLibrary library) {
    try {
      MethodHandles.Lookup linked =
          isNativeImage() ? itself(natives, lookup) : hiddenCopy(natives, lookup);
      Native.register(linked.lookupClass(), library);
      MethodHandle constructor =
          linked.findConstructor(linked.lookupClass(), MethodType.methodType(void.class));
      return constructor.invoke();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("a copy of " + natives.getSimpleName() + " could not be made", e);
    }
  }

  private static MethodHandles.Lookup hiddenCopy(Class<?> natives, MethodHandles.Lookup lookup)
      throws IOException, IllegalAccessException {
    try (InputStream bytes = natives.getResourceAsStream(natives.getSimpleName() + ".class")) {
      return lookup.defineHiddenClass(bytes.readAllBytes(), true);
    }
  }

  private static MethodHandles.Lookup itself(Class<?> natives, MethodHandles.Lookup lookup)
      throws IllegalAccessException {
    if (!LINKED.add(natives)) {
      throw new UnsatisfiedLinkError(
          "a native image can use only one runtime of this kind, and has loaded another one");
    }
    return MethodHandles.privateLookupIn(natives, lookup);
  }

  /** GraalVM sets the property in each image that it makes. */
  private static boolean isNativeImage() {
    return "runtime".equals(System.getProperty("org.graalvm.nativeimage.imagecode"));
  }

  static int openFlags(boolean windows) {
    return windows ? BESIDE_OR_SYSTEM : RTLD_NOW;
  }

  /** Returns the address of the first byte of a direct buffer, whatever its position. */
  public static long address(Buffer direct) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
  }

  /** Returns a direct buffer of {@code size} bytes of native memory, which it does not own. */
  public static ByteBuffer view(long address, int size) {
    return new Pointer(address).getByteBuffer(0, size);
  }

  /** Returns the C string in a block of bytes; it ends at a zero or with the block. */
  public static String text(byte[] bytes) {
    return Native.toString(bytes, UTF_8);
  }

  @Override
  public final String toString() {
    return file();
  }
}
