// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.jna.Callback;
import com.sun.jna.CallbackReference;
import com.sun.jna.Function;
import com.sun.jna.FunctionMapper;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.SymbolProvider;
import dev.kcache.codeobject.Platform;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/**
 * A loaded library with HIP's functions: AMD's runtime, or NVIDIA's driver, over which HIP is a
 * thin layer. It stays loaded until the JVM ends, since the runtime's own threads run its code.
 *
 * <p>Safe for use by any number of threads.
 */
public final class HipLibrary {
  /** {@code hipErrorNotSupported}, the result of a function that the library lacks. */
  public static final int NOT_SUPPORTED = 801;

  /**
   * {@code RTLD_NOW}: a missing symbol shows at the load, not in a call. Windows has other flags.
   */
  private static final int OPEN_FLAGS = 2;

  /**
   * By name. JNA never frees what it linked, so each library is linked once per process; linking
   * again costs 80 kB each time.
   */
  private static final Map<String, HipLibrary> LOADED = new ConcurrentHashMap<>();

  private static final long NOWHERE = -1;

  /** A function that every CUDA driver has, and no other library. */
  private static final String CUDA_FUNCTION = "cuDriverGetVersion";

  private static final String LAUNCH = "hipModuleLaunchKernel";
  private static final String ANY_FUNCTION = "hipRuntimeGetVersion";

  private final Platform platform;
  private final Functions functions;
  private final NativeLibrary library;
  private final Set<String> missing;
  private final Map<Integer, CurrentDevice> currentDevices = new ConcurrentHashMap<>();

  private final LauncherChoice launchers;

  // Kept, since JNA holds it weakly.
  @SuppressWarnings("UnusedVariable")
  private final Missing missingFunction;

  /** Replaces a function that the library lacks, whatever its parameters: C ignores them. */
  private interface Missing extends Callback {
    @SuppressWarnings("UnusedMethod") // called from C
    int invoke();
  }

  /** The functions of a platform, and its notion of the current device. */
  private record Functions(
      Hip hip, PlatformCalls calls, IntFunction<CurrentDevice> currentDevices) {
    static Functions of(NativeLibrary library, Platform platform) {
      Object linked = link(library);
      Hip hip = (Hip) linked;
      PlatformCalls calls = (PlatformCalls) linked;
      if (platform == Platform.AMD) {
        CurrentOrdinal.Calls current = (CurrentOrdinal.Calls) linked;
        return new Functions(hip, calls, ordinal -> new CurrentOrdinal(current, ordinal));
      }
      Cuda cuda = (Cuda) linked;
      return new Functions(
          hip, new CudaCalls(cuda, calls), ordinal -> new CurrentContext(hip, cuda, ordinal));
    }
  }

  private HipLibrary(
      Platform platform,
      Functions functions,
      NativeLibrary library,
      Set<String> missing,
      Missing missingFunction) {
    this.platform = platform;
    this.functions = functions;
    this.library = library;
    this.missing = missing;
    this.missingFunction = missingFunction;
    this.launchers = new LauncherChoice(functions.hip, this::linkedLauncher);
  }

  private Optional<KernelLauncher> linkedLauncher() {
    return has(LAUNCH)
        ? LinkedLauncher.link(Pointer.nativeValue(function(LAUNCH)))
        : Optional.empty();
  }

  /**
   * Loads a library and links its functions, unless that has been done before.
   *
   * @param name the path of a file, or a name that the system's loader looks for
   * @throws UnsatisfiedLinkError if it can't be loaded, or JNA's own library can't
   */
  public static HipLibrary load(String name) {
    return LOADED.computeIfAbsent(name, HipLibrary::link);
  }

  private static HipLibrary link(String name) {
    Set<String> missing = ConcurrentHashMap.newKeySet();
    Missing missingFunction = () -> NOT_SUPPORTED;
    SymbolProvider provider =
        (handle, symbol, parent) -> {
          try {
            return parent.getSymbolAddress(handle, symbol, null);
          } catch (UnsatisfiedLinkError e) {
            missing.add(symbol);
            if (symbol.equals(CUDA_FUNCTION)) {
              return NOWHERE; // only to see whether it exists
            }
            return Pointer.nativeValue(CallbackReference.getFunctionPointer(missingFunction));
          }
        };
    FunctionMapper names = (linked, method) -> symbol(platform(missing), method.getName());
    Map<String, Object> options = new HashMap<>();
    options.put(Library.OPTION_SYMBOL_PROVIDER, provider);
    options.put(Library.OPTION_FUNCTION_MAPPER, names);
    if (!isWindows()) {
      options.put(Library.OPTION_OPEN_FLAGS, OPEN_FLAGS);
    }
    NativeLibrary library = NativeLibrary.getInstance(name, options);
    Pointer unused = library.getGlobalVariableAddress(CUDA_FUNCTION);
    Functions functions = Functions.of(library, platform(missing));
    return new HipLibrary(platform(missing), functions, library, missing, missingFunction);
  }

  private static Platform platform(Set<String> missing) {
    return missing.contains(CUDA_FUNCTION) ? Platform.AMD : Platform.NVIDIA;
  }

  /** Makes a copy of {@link LinkedHip} and links it to a library. */
  private static Object link(NativeLibrary library) {
    try (InputStream bytes = HipLibrary.class.getResourceAsStream("LinkedHip.class")) {
      MethodHandles.Lookup copy =
          MethodHandles.lookup().defineHiddenClass(bytes.readAllBytes(), true);
      Native.register(copy.lookupClass(), library);
      return copy.lookupClass().getDeclaredConstructor().newInstance();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a copy of LinkedHip could not be made", e);
    }
  }

  /** Returns the platform of the library; AMD's if it is of neither. */
  public Platform platform() {
    return platform;
  }

  /** Returns the functions; those that the library lacks return {@link #NOT_SUPPORTED}. */
  public Hip functions() {
    return functions.hip;
  }

  /** Returns the functions that differ between the platforms. */
  public PlatformCalls platformCalls() {
    return functions.calls;
  }

  /** Returns the fastest way so far to call {@code hipModuleLaunchKernel}. */
  public KernelLauncher nextLauncher() {
    return launchers.next();
  }

  /** Returns what has to be current for the calls of a device. */
  public CurrentDevice currentDevice(int ordinal) {
    return currentDevices.computeIfAbsent(ordinal, functions.currentDevices::apply);
  }

  /** Returns whether the library has a function, by HIP's name. */
  public boolean has(String function) {
    return !missing.contains(symbol(platform, function));
  }

  private Function function(String name) {
    return library.getFunction(symbol(platform, name));
  }

  /**
   * Returns the address of a function of this library, or of one that it is linked with; 0 if there
   * is none.
   *
   * @param symbol its name in the library
   */
  public long address(String symbol) {
    Function found = library.getFunction(symbol);
    return missing.contains(symbol) ? 0 : Pointer.nativeValue(found);
  }

  /** Returns a library's own name of a function, by HIP's. */
  private static String symbol(Platform platform, String function) {
    return platform == Platform.AMD ? function : CudaNames.of(function);
  }

  /** Returns the loaded file, or the name if the system's loader does not tell the file. */
  public String file() {
    File file = library.getFile();
    return file.isAbsolute() ? file.getPath() : fileByAddress().orElse(file.getPath());
  }

  /** Asks the loader for the file of a function ({@code dladdr}). */
  private Optional<String> fileByAddress() {
    if (!has(ANY_FUNCTION) || isWindows()) {
      return Optional.empty();
    }
    Memory found = new Memory(4L * Native.POINTER_SIZE);
    Object[] arguments = {function(ANY_FUNCTION), found};
    boolean known = NativeLibrary.getProcess().getFunction("dladdr").invokeInt(arguments) != 0;
    return known ? Optional.of(found.getPointer(0).getString(0)) : Optional.empty();
  }

  private static boolean isWindows() {
    return com.sun.jna.Platform.isWindows();
  }

  /**
   * Returns the end mark of the list of a launch's arguments: {@code HIP_LAUNCH_PARAM_END}, or
   * {@code CU_LAUNCH_PARAM_END}, which is another number.
   */
  public long launchParamEnd() {
    return platform == Platform.AMD ? 3 : 0;
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
  public String toString() {
    return file();
  }
}
