// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import com.sun.jna.Callback;
import com.sun.jna.CallbackReference;
import com.sun.jna.Function;
import com.sun.jna.FunctionMapper;
import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/**
 * A library whose functions are linked one to one: HIP's runtime, or CUDA's driver, over which HIP
 * is a thin layer.
 */
public final class LinkedLibrary extends HipLibrary {
  /**
   * By name. JNA never frees what it linked, so each library is linked once per process; linking
   * again costs 80 kB each time.
   */
  private static final Map<String, LinkedLibrary> LOADED = new ConcurrentHashMap<>();

  private static final long NOWHERE = -1;

  /** A function that every CUDA driver has, and no other library. */
  private static final String CUDA_FUNCTION = "cuDriverGetVersion";

  private static final String LAUNCH = "hipModuleLaunchKernel";
  private static final String ANY_FUNCTION = "hipRuntimeGetVersion";

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
    static Functions of(NativeLibrary library, RuntimeKind kind) {
      Object linked = copyOf(LinkedHip.class, MethodHandles.lookup(), library);
      Hip hip = (Hip) linked;
      PlatformCalls calls = (PlatformCalls) linked;
      if (kind == RuntimeKind.HIP) {
        CurrentOrdinal.Calls current = (CurrentOrdinal.Calls) linked;
        return new Functions(hip, calls, ordinal -> new CurrentOrdinal(current, ordinal));
      }
      Cuda cuda = (Cuda) linked;
      return new Functions(
          hip, new CudaCalls(cuda, calls), ordinal -> new CurrentContext(hip, cuda, ordinal));
    }
  }

  private LinkedLibrary(
      RuntimeKind kind,
      Functions functions,
      NativeLibrary library,
      Set<String> missing,
      Missing missingFunction) {
    super(kind);
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
  public static LinkedLibrary load(String name) {
    return LOADED.computeIfAbsent(name, LinkedLibrary::link);
  }

  private static LinkedLibrary link(String name) {
    Set<String> missing = ConcurrentHashMap.newKeySet();
    Missing missingFunction = () -> NOT_SUPPORTED;
    Map<String, Object> options =
        options(
            missing,
            symbol ->
                symbol.equals(CUDA_FUNCTION)
                    ? NOWHERE // only to see whether it exists
                    : Pointer.nativeValue(CallbackReference.getFunctionPointer(missingFunction)));
    FunctionMapper names = (linked, method) -> symbol(kind(missing), method.getName());
    options.put(Library.OPTION_FUNCTION_MAPPER, names);
    NativeLibrary library = NativeLibrary.getInstance(name, options);
    Pointer unused = library.getGlobalVariableAddress(CUDA_FUNCTION);
    Functions functions = Functions.of(library, kind(missing));
    return new LinkedLibrary(kind(missing), functions, library, missing, missingFunction);
  }

  /** Returns HIP for a library that is neither. */
  private static RuntimeKind kind(Set<String> missing) {
    return missing.contains(CUDA_FUNCTION) ? RuntimeKind.HIP : RuntimeKind.CUDA;
  }

  @Override
  public Hip functions() {
    return functions.hip;
  }

  @Override
  public PlatformCalls platformCalls() {
    return functions.calls;
  }

  @Override
  public KernelLauncher nextLauncher() {
    return launchers.next();
  }

  @Override
  public CurrentDevice currentDevice(int ordinal) {
    return currentDevices.computeIfAbsent(ordinal, functions.currentDevices::apply);
  }

  @Override
  public boolean has(String function) {
    return !missing.contains(symbol(kind(), function));
  }

  private Function function(String name) {
    return library.getFunction(symbol(kind(), name));
  }

  @Override
  public long address(String symbol) {
    Function found = library.getFunction(symbol);
    return missing.contains(symbol) ? 0 : Pointer.nativeValue(found);
  }

  /** Returns a library's own name of a function, by HIP's. */
  private static String symbol(RuntimeKind kind, String function) {
    return kind == RuntimeKind.HIP ? function : CudaNames.of(function);
  }

  @Override
  public Optional<String> flaw() {
    return has(ANY_FUNCTION)
        ? Optional.empty()
        : Optional.of(
            "is no HIP runtime library: it has no hipRuntimeGetVersion, nor CUDA's"
                + " cuDriverGetVersion");
  }

  @Override
  public String file() {
    return file(
        library, () -> has(ANY_FUNCTION) ? Optional.of(function(ANY_FUNCTION)) : Optional.empty());
  }

  @Override
  public long launchParamEnd() {
    return kind() == RuntimeKind.HIP ? 3 : 0;
  }
}
