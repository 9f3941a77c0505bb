// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Experimental;
import dev.kcache.codeobject.Platform;
import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;
import dev.kcache.hip.binding.LibraryFinder;
import dev.kcache.hip.binding.LinkedLibrary;
import dev.kcache.hip.binding.PlatformCalls;
import dev.kcache.hip.binding.RuntimeKind;
import dev.kcache.hip.fault.GpuFaults;
import dev.kcache.hip.fault.Loss;
import dev.kcache.hip.hsa.HsaLibrary;
import dev.kcache.rocm.ReleaseFiles;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The HIP runtime of this machine, if it has a usable one: the library {@code libamdhip64} of AMD's
 * platform, or on NVIDIA's the CUDA driver {@code libcuda}, for which HIP is a thin layer. Where
 * AMD's is not, its {@code libhsa-runtime64} will do, on which kcache builds what it needs of HIP.
 * Everything in this package goes through it.
 *
 * <pre>{@code
 * HipRuntime hip = HipRuntime.find();
 * if (hip.isAvailable()) {
 *   hip.devices().forEach(System.out::println);
 * }
 * }</pre>
 *
 * <p>Looking for it never fails: {@link #unavailability()} says why there is none, or why it is too
 * old. The library stays loaded until the JVM ends.
 *
 * <p>Safe for use by any number of threads, virtual ones included. Each call is made for the right
 * device whatever the calling thread's current device is, and leaves that as it was.
 */
public final class HipRuntime {
  private static final Judge JUDGE = new Judge();

  private static final Logger LOG = System.getLogger(HipRuntime.class.getName());

  /** The kinds of runtimes. */
  public enum Kind {
    /** HIP's own runtime of AMD, {@code libamdhip64}. */
    HIP,
    /** AMD's {@code libhsa-runtime64} alone. */
    HSA,
    /** NVIDIA's driver for CUDA, {@code libcuda}. */
    CUDA;

    /** Returns the name as {@code KCACHE_RUNTIME} has it, such as {@code hip}. */
    @Override
    public String toString() {
      return RuntimeKind.valueOf(name()).toString();
    }
  }

  private final @Nullable HipLibrary library;
  private final LibraryFinder.Search search;
  private final Map<String, String> environment;
  private final Leaks leaks;

  private HipRuntime(LibraryFinder.Search search, Map<String, String> environment) {
    this.library = search.library().orElse(null);
    this.search = search;
    this.environment = Map.copyOf(environment);
    this.leaks = Leaks.of(environment);
    if ("1".equals(environment.get("KCACHE_SURVIVE_GPU_FAULTS")) && isAvailable()) {
      HipRuntime unused = surviveFaults();
    }
  }

  /**
   * Finds the runtime by the environment of this process.
   *
   * @return the runtime, which may be {@linkplain #unavailability() unavailable}
   */
  public static HipRuntime find() {
    return find(System.getenv());
  }

  /**
   * Finds the runtime of a kind by the environment of this process.
   *
   * @param kind the kind of runtime to look for, and no other
   * @return the runtime, which may be {@linkplain #unavailability() unavailable}
   */
  public static HipRuntime find(Kind kind) {
    requireNonNull(kind, "kind");
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put(RuntimeKind.VARIABLE, kind.toString());
    return find(environment);
  }

  /**
   * Looks for the runtime at {@code KCACHE_HIP_LIBRARY} (a file, or a directory that has it) of
   * either platform, and then nowhere else. Without it, AMD's is looked for, in order, below {@code
   * ROCM_PATH} and {@code HIP_PATH}, in the ROCm of the compiler, where the system's loader looks,
   * and in the other places where a ROCm may be, {@code /opt/rocm} among them; and NVIDIA's where
   * the system's loader looks and where containers have it. A runtime of another ROCm than the
   * compiler is told with one warning. On Windows the GPU driver's library, in {@code System32},
   * goes before that of a HIP SDK; each is loaded by its absolute path, and a relative one in
   * {@code KCACHE_HIP_LIBRARY} is refused.
   *
   * <p>{@code HIP_PLATFORM}, {@code amd} or {@code nvidia}, says which of the two is looked for.
   * Without it, it is AMD's if there is a usable one, unless only NVIDIA's has a device, or only
   * NVIDIA's driver is there.
   *
   * <p>AMD's {@code libhsa-runtime64} is looked for where HIP's library is not found, at {@code
   * KCACHE_HSA_LIBRARY} or else in the same places. {@code KCACHE_RUNTIME}, {@code hip}, {@code
   * hsa} or {@code cuda}, says which of the three is used; {@code stand-in} is the GPU in Java of
   * the artifact kcache-testing. An empty variable counts as unset.
   *
   * @param environment the environment variables by name
   * @return the runtime, which may be {@linkplain #unavailability() unavailable}
   * @throws IllegalArgumentException if {@code KCACHE_RUNTIME} is none of these
   */
  public static HipRuntime find(Map<String, String> environment) {
    requireNonNull(environment, "environment");
    return new HipRuntime(LibraryFinder.search(environment, Optional.empty(), JUDGE), environment);
  }

  /**
   * Finds the runtime at {@code library}, a file or the directory that has it.
   *
   * @param library absolute, or relative to the working directory
   * @return the runtime, which may be {@linkplain #unavailability() unavailable}
   */
  public static HipRuntime at(Path library) {
    requireNonNull(library, "library");
    return new HipRuntime(
        LibraryFinder.search(Map.of(), Optional.of(library), JUDGE), System.getenv());
  }

  /**
   * {@return the runtime of a library that isn't a file} Applications can't have one:
   * kcache-testing makes its stand-in GPU's with this.
   *
   * @param library functions that do what the runtime's do
   * @param environment the environment variables by name
   */
  @SuppressWarnings("exports") // exported to dev.kcache.testing
  public static HipRuntime of(HipLibrary library, Map<String, String> environment) {
    return new HipRuntime(
        new LibraryFinder.Search(Optional.of(library), List.of(), ""), environment);
  }

  /** Loads libraries and decides whether one is usable. */
  private static final class Judge implements LibraryFinder.Judge {
    @Override
    public HipLibrary load(RuntimeKind kind, String name) {
      return kind == RuntimeKind.HSA ? HsaLibrary.load(name) : LinkedLibrary.load(name);
    }

    @Override
    public Optional<String> flaw(HipLibrary library) {
      return library.flaw().or(() -> flawOfVersion(library));
    }

    private static Optional<String> flawOfVersion(HipLibrary library) {
      int[] number = new int[1];
      int status = library.platformCalls().hipRuntimeGetVersion(number);
      boolean amd = library.platform() == Platform.AMD;
      if (status != Statuses.SUCCESS) {
        String function = amd ? "hipRuntimeGetVersion" : "cuDriverGetVersion";
        return Optional.of("does not say its version: %s gave %d".formatted(function, status));
      }
      HipVersion version = HipVersion.ofNumber(number[0]);
      int oldest = library.kind().oldest();
      return version.major() >= oldest
          ? Optional.empty()
          : Optional.of(
              "is %s %s, and too old: %d.0 is the oldest that will do"
                  .formatted(amd ? "HIP" : "a driver for CUDA", version, oldest));
    }

    @Override
    public boolean hasDevice(HipLibrary library) {
      try {
        return deviceCount(library) > 0;
      } catch (HipException e) {
        return false;
      }
    }
  }

  /**
   * Asks that a fault of a GPU is an exception instead of the end of the process, as far as AMD's
   * runtime of this version allows; docs/gpu-faults.md has the table. {@code
   * KCACHE_SURVIVE_GPU_FAULTS=1} does the same. It is for the whole process, and can't be taken
   * back. Where it can't be done, there is one warning.
   *
   * <p>After a fault, every call for every device of this runtime, with HSA alone for the device
   * that faulted, throws {@link GpuFaultException}, also those that wait already. Another library
   * that waits for the same runtime may wait for ever. With HIP 7.0 and newer this sets the soft
   * limit of core files to 0. Up to 6.4 each call, except a launch, is made on a thread of its own.
   *
   * <p>NVIDIA's driver answers a fault with an error in any case.
   *
   * @return this runtime
   * @throws HipUnavailableException if there is no usable library
   * @throws HipException if the runtime doesn't say its version
   */
  @Experimental
  public HipRuntime surviveFaults() {
    HipVersion version = version();
    String problem = GpuFaults.of(require()).survive(version.major(), version.minor());
    if (!problem.isEmpty()) {
      LOG.log(Level.WARNING, "a GPU fault will end the process: " + problem);
    }
    return this;
  }

  /** {@return whether there is a usable library; there may still be no device} */
  public boolean isAvailable() {
    return library != null;
  }

  /** {@return why there is no usable library, with everything that was tried; empty if there is} */
  public Optional<HipUnavailableException> unavailability() {
    return isAvailable() ? Optional.empty() : Optional.of(unavailable());
  }

  /**
   * {@return the file or name of the library}
   *
   * @throws HipUnavailableException if there is none
   */
  public String library() {
    return require().toString();
  }

  /**
   * {@return the kind of the runtime}
   *
   * @throws HipUnavailableException if there is none
   */
  public Kind kind() {
    return Kind.valueOf(require().kind().name());
  }

  /**
   * {@return the platform of the runtime}
   *
   * @throws HipUnavailableException if there is none
   */
  public Platform platform() {
    return require().platform();
  }

  /**
   * {@return the version of the runtime}
   *
   * @throws HipUnavailableException if there is no usable library
   * @throws HipException if the runtime doesn't say
   */
  public HipVersion version() {
    return version("hipRuntimeGetVersion", PlatformCalls::hipRuntimeGetVersion);
  }

  /**
   * {@return the release under which the compilers go that belong to the runtime: that of ROCm, if
   * the files around the library tell it, else {@link #version()}}
   *
   * @throws HipUnavailableException if there is no usable library
   * @throws HipException if the runtime doesn't say
   */
  public String release() {
    return Optional.of(Path.of(library()))
        .filter(Path::isAbsolute)
        .flatMap(ReleaseFiles::ofLibrary)
        .or(() -> require().rocmRelease())
        .orElseGet(() -> version().toString());
  }

  /** Returns the version of HIP, which is that of the runtime unless this is HSA. */
  HipVersion hipVersion() {
    return require().rocmRelease().map(HipVersion::ofRelease).orElseGet(this::version);
  }

  /**
   * {@return the version of the driver}
   *
   * @throws HipUnavailableException if there is no usable library
   * @throws HipException if the runtime doesn't say
   */
  public HipVersion driverVersion() {
    return version("hipDriverGetVersion", PlatformCalls::hipDriverGetVersion);
  }

  /**
   * {@return the devices that the runtime shows, each at the place of its ordinal; none if there is
   * none} The runtime itself reads {@code ROCR_VISIBLE_DEVICES} and, but for HSA, {@code
   * HIP_VISIBLE_DEVICES} of this process, NVIDIA's {@code CUDA_VISIBLE_DEVICES}.
   *
   * @throws HipUnavailableException if there is no usable library
   * @throws HipException if the runtime fails otherwise than for want of a device
   * @throws UnsupportedDeviceException if what it tells of one makes no sense
   */
  public List<HipDevice> devices() {
    HipLibrary loaded = require();
    requireNoLoss("hipGetDeviceCount", loaded);
    int count = deviceCount(loaded);
    if (count > 0 && loaded.kind() == RuntimeKind.HSA) {
      GpuFaults.of(loaded).watch();
    }
    return IntStream.range(0, count)
        .mapToObj(ordinal -> new HipDevice(this, new DeviceContext(loaded, ordinal)))
        .toList();
  }

  /**
   * {@return the device that a selector names}
   *
   * @param selector of one device
   * @throws HipUnavailableException if there is no usable library
   * @throws HipDeviceNotFoundException if it names no device, or several
   * @throws HipException if the runtime fails
   */
  public HipDevice device(DeviceSelector selector) {
    requireNonNull(selector, "selector");
    return selector.choose(devices(), access());
  }

  /**
   * {@return the device that a {@linkplain DeviceSelector selector} names}
   *
   * @param selector such as {@code 0}
   * @throws IllegalArgumentException if it is no selector; the message says what is
   * @throws HipUnavailableException if there is no usable library
   * @throws HipDeviceNotFoundException if it names no device, or several
   * @throws HipException if the runtime fails
   */
  public HipDevice device(String selector) {
    requireNonNull(selector, "selector");
    return device(DeviceSelector.parse(selector));
  }

  /**
   * {@return the devices that a list of {@linkplain DeviceSelector selectors}, parted by commas,
   * names, in its order; one as often as it is named}
   *
   * @param selectors such as {@code 0,1}
   * @throws IllegalArgumentException if one is no selector; the message says what is
   * @throws HipUnavailableException if there is no usable library
   * @throws HipDeviceNotFoundException if one names no device, or several
   * @throws HipException if the runtime fails
   */
  public List<HipDevice> devices(String selectors) {
    requireNonNull(selectors, "selectors");
    List<DeviceSelector> list = DeviceSelector.parseList(selectors);
    List<HipDevice> devices = devices();
    return list.stream().map(selector -> selector.choose(devices, access())).toList();
  }

  private DeviceAccess access() {
    return DeviceAccess.of(require().kind(), environment);
  }

  private static int deviceCount(HipLibrary library) {
    int[] count = new int[1];
    Hip hip = library.functions();
    boolean found =
        foundDevice(library, "hipInit", hip.hipInit(0))
            && foundDevice(library, "hipGetDeviceCount", hip.hipGetDeviceCount(count));
    return found ? count[0] : 0;
  }

  /** Without a device, {@code hipInit} of one version says so, and that of another "invalid". */
  private static boolean foundDevice(HipLibrary library, String function, int status) {
    if (status == Statuses.NO_DEVICE || status == Statuses.INVALID_DEVICE) {
      int unused = library.platformCalls().hipGetLastError();
      return false;
    }
    Statuses.check(library, function, status);
    return true;
  }

  Leaks leaks() {
    return leaks;
  }

  private interface VersionQuery {
    int of(PlatformCalls calls, int[] version);
  }

  private HipVersion version(String function, VersionQuery query) {
    HipLibrary loaded = require();
    requireNoLoss(function, loaded);
    int[] version = new int[1];
    Statuses.check(loaded, function, query.of(loaded.platformCalls(), version));
    return HipVersion.ofNumber(version[0]);
  }

  private static void requireNoLoss(String function, HipLibrary library) {
    Loss loss = GpuFaults.of(library).loss();
    if (loss != null) {
      throw new GpuFaultException(function, loss);
    }
  }

  private HipLibrary require() {
    if (library == null) {
      throw unavailable();
    }
    return library;
  }

  private HipUnavailableException unavailable() {
    return new HipUnavailableException(search.attempts(), search.remedy());
  }

  @Override
  public String toString() {
    return library == null ? "no HIP runtime" : "HIP runtime " + library;
  }
}
