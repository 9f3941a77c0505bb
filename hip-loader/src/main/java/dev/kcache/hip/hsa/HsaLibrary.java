// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import com.sun.jna.Callback;
import com.sun.jna.CallbackReference;
import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import dev.kcache.hip.binding.CurrentDevice;
import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;
import dev.kcache.hip.binding.KernelLauncher;
import dev.kcache.hip.binding.OwnDevices;
import dev.kcache.hip.binding.PlatformCalls;
import dev.kcache.hip.binding.RuntimeKind;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** AMD's {@code libhsa-runtime64}, with HIP's functions built on it. */
public final class HsaLibrary extends HipLibrary {
  /** By name: JNA never frees what it linked, so each library is linked once per process. */
  private static final Map<String, HsaLibrary> LOADED = new ConcurrentHashMap<>();

  private static final String ANY_FUNCTION = "hsa_init";

  /** The version in the name of the file, the last number of AMD's own packages being ROCm's. */
  private static final Pattern FILE =
      Pattern.compile(".*\\.so\\.(\\d{1,2})\\.(\\d{1,2})\\.(\\d{1,6})");

  /** The first ROCm whose number can stand in the name of a file. */
  private static final int ROCM_5 = 50_000;

  /** Greater numbers do not fit into a version. */
  private static final int GREATEST_PATCH = 99_999;

  private final NativeLibrary library;
  private final Set<String> missing;
  private final Optional<String> flaw;
  private final Agents agents;
  private final HsaHip hip;
  private final HsaCalls calls;
  private final Version version;
  private final Map<Integer, CurrentDevice> currentDevices = new ConcurrentHashMap<>();

  // Kept, since JNA holds it weakly.
  @SuppressWarnings("UnusedVariable")
  private final Missing missingFunction;

  /** Replaces a function that the library lacks; such a library is not used. */
  private interface Missing extends Callback {
    @SuppressWarnings("UnusedMethod") // called from C
    int invoke();
  }

  private record Version(int major, int minor, int patch) {
    /** Reads the name of a file; 1.0.0 if it tells nothing. */
    static Version of(String file) {
      Matcher name = FILE.matcher(realFile(file));
      return name.matches()
          ? new Version(
              Integer.parseInt(name.group(1)),
              Integer.parseInt(name.group(2)),
              Integer.parseInt(name.group(3)))
          : new Version(1, 0, 0);
    }

    private static String realFile(String file) {
      try {
        return Path.of(file).toRealPath().toString();
      } catch (IOException e) {
        return file;
      }
    }

    int number() {
      return major * 10_000_000 + minor * 100_000 + Math.min(patch, GREATEST_PATCH);
    }

    /**
     * Returns the release of ROCm: by the last number, or for Debian's packages by the second,
     * whose 5 and 15 are those of ROCm 5.2 and 6.4.
     */
    String rocm() {
      if (patch >= ROCM_5) {
        return patch / 10_000 + "." + patch / 100 % 100;
      }
      return minor >= 15 ? "6.4" : "5.2";
    }
  }

  private HsaLibrary(
      NativeLibrary library, Hsa hsa, Limits limits, Set<String> missing, Missing function) {
    super(RuntimeKind.HSA);
    this.library = library;
    this.missing = missing;
    this.flaw = flaw(Set.copyOf(missing));
    this.missingFunction = function;
    this.version = Version.of(file());
    this.agents = new Agents(hsa, limits);
    Failures failures = new Failures();
    this.hip = new HsaHip(agents, failures);
    this.calls = new HsaCalls(hip, agents, failures, version.number());
  }

  /**
   * Loads a library and links its functions, unless that has been done before.
   *
   * @param name the path of a file, or a name that the system's loader looks for
   * @throws UnsatisfiedLinkError if it can't be loaded, or JNA's own library can't
   */
  public static HsaLibrary load(String name) {
    return LOADED.computeIfAbsent(name, unused -> link(name, Limits.DEFAULT));
  }

  static HsaLibrary link(String name, Limits limits) {
    Set<String> missing = ConcurrentHashMap.newKeySet();
    Missing missingFunction = () -> NOT_SUPPORTED;
    Map<String, Object> options =
        options(
            missing,
            symbol -> Pointer.nativeValue(CallbackReference.getFunctionPointer(missingFunction)));
    NativeLibrary library = NativeLibrary.getInstance(name, options);
    Hsa hsa = (Hsa) copyOf(LinkedHsa.class, MethodHandles.lookup(), library);
    return new HsaLibrary(library, hsa, limits, missing, missingFunction);
  }

  @Override
  public Hip functions() {
    return hip;
  }

  @Override
  public PlatformCalls platformCalls() {
    return calls;
  }

  @Override
  public KernelLauncher nextLauncher() {
    return hip;
  }

  @Override
  public CurrentDevice currentDevice(int ordinal) {
    return currentDevices.computeIfAbsent(ordinal, hip::currentDevice);
  }

  @Override
  public Optional<OwnDevices> ownDevices() {
    return Optional.of(agents);
  }

  /** All of HIP's functions are built here. */
  @Override
  public boolean has(String function) {
    return true;
  }

  @Override
  public long address(String symbol) {
    Function found = library.getFunction(symbol);
    return missing.contains(symbol) ? 0 : Pointer.nativeValue(found);
  }

  @Override
  public Optional<String> flaw() {
    return flaw;
  }

  private static Optional<String> flaw(Set<String> missing) {
    if (missing.contains(ANY_FUNCTION)) {
      return Optional.of("is no HSA runtime library: it has no " + ANY_FUNCTION);
    }
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of("is too old: it has no " + String.join(", ", new TreeSet<>(missing)));
  }

  @Override
  public Optional<String> rocmRelease() {
    return Optional.of(version.rocm());
  }

  @Override
  public String file() {
    return file(
        library,
        () ->
            missing.contains(ANY_FUNCTION)
                ? Optional.empty()
                : Optional.of(library.getFunction(ANY_FUNCTION)));
  }

  @Override
  public long launchParamEnd() {
    return 3;
  }
}
