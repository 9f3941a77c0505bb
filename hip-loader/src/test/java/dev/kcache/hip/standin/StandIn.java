// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.ptr.LongByReference;
import dev.kcache.codeobject.Platform;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A library that stands in for {@code libamdhip64}, or for {@code libcuda}, on machines without a
 * GPU, and the knobs to set it up and to look at what it counted. Functions have HIP's names here,
 * also where the library has CUDA's.
 *
 * <p>It answers as the real library of its version does, error codes and crashes included; it
 * computes the kernels that it knows by name, or that {@link #kernels} adds, from the raw argument
 * block; and it counts what goes wrong quietly elsewhere: leaks, handles used on another device or
 * after their end, images that change under a module. The C sources beside this class say how, each
 * in its first lines.
 *
 * <p>The state is the library's own: one per process and {@linkplain #library() file}. A test that
 * changes it begins with {@link #reset}, and does not run beside another one of the same process.
 * For a process of its own, {@link #directory} and the environment variable {@value #ENVIRONMENT}
 * suffice: nothing of the library is loaded here before a knob is touched.
 */
public final class StandIn {
  /** Settings for processes that can't call {@link #configure}, in the same form. */
  public static final String ENVIRONMENT = "KCACHE_STAND_IN";

  /** The device that there is unless another is configured, on AMD's platform. */
  public static final String DEFAULT_DEVICE = "gfx90a:sramecc+:xnack-";

  /** As many as there are devices in a test. */
  private static final int MOST_DEFAULT_STREAMS = 4;

  private static final int HSA_ARGUMENTS = 1 << 18;
  private static final int IGNORED = -1;
  private static final int RTLD_NOW = 2;
  private static final int KERNEL_NAME_SIZE = 256;
  private static final int ARGUMENTS_SIZE = 4096;

  private final Version version;
  private final Path library;
  private @Nullable Control control;

  /** What it stands in for: set of functions, struct layouts, error codes. */
  public enum Version {
    /** 5.2.21153, which takes code object versions 3 and 4. */
    HIP_5_2(5),
    /** 6.4.43484. */
    HIP_6_4(6),
    /** 7.2.53211. */
    HIP_7_2(7),
    /** NVIDIA's driver for CUDA 13.0, with contexts, which takes cubins and PTX. */
    CUDA_13_0(13),
    /** HSA 1.5.0 of ROCm 5.2, alone. */
    HSA_5_2(5),
    /** HSA 1.15.0 of ROCm 6.4, alone. */
    HSA_6_4(6);

    private final int major;

    Version(int major) {
      this.major = major;
    }

    /** Returns the first number of the version. */
    public int major() {
      return major;
    }

    /** Returns the platform of HIP. */
    public Platform platform() {
      return this == CUDA_13_0 ? Platform.NVIDIA : Platform.AMD;
    }

    /** Returns whether it is HSA, whose functions are others. */
    public boolean isHsa() {
      return this == HSA_5_2 || this == HSA_6_4;
    }

    /** Returns another device, which the default one's code objects are not for. */
    public String otherDevice() {
      return this == CUDA_13_0 ? "sm_80" : "gfx1030";
    }

    /** Returns the versions of AMD's runtime. */
    static Stream<Version> ofHip() {
      return Stream.of(values()).filter(version -> version.name().startsWith("HIP"));
    }

    /** Returns the name of the library. */
    String library() {
      if (isHsa()) {
        return this == HSA_5_2 ? "libhsa-runtime64.so.1.5.0" : "libhsa-runtime64.so.1.15.0";
      }
      return this == CUDA_13_0 ? "libcuda.so.1" : "libamdhip64.so." + major;
    }

    /** Returns the device that there is unless another is configured. */
    public String defaultDevice() {
      return this == CUDA_13_0 ? "sm_90" : DEFAULT_DEVICE;
    }
  }

  /**
   * What the library counted since it was loaded or reset. The first seven say what is open now.
   *
   * @param deviceAllocations blocks of {@code hipMalloc} that were not freed
   * @param deviceBytes their size
   * @param pinnedAllocations blocks of {@code hipHostMalloc} that were not freed
   * @param pinnedBytes their size
   * @param streams streams that were not destroyed
   * @param events events that were not destroyed
   * @param modules modules that were not unloaded
   * @param launches launches that were accepted
   * @param wrongDeviceCalls uses of something while the thread's device was another one
   * @param useAfterFree uses of a handle that was none, or no more
   * @param doubleFree ends of something that was none, or no more
   * @param imageChanged looks at a loaded image that found other bytes than at its load
   * @param imageUnaligned images that did not begin at a page
   * @param unloadedInFlight modules unloaded before all launches of theirs were over
   * @param faults devices that got a sticky error
   */
  public record Counters(
      long deviceAllocations,
      long deviceBytes,
      long pinnedAllocations,
      long pinnedBytes,
      long streams,
      long events,
      long modules,
      long launches,
      long wrongDeviceCalls,
      long useAfterFree,
      long doubleFree,
      long imageChanged,
      long imageUnaligned,
      long unloadedInFlight,
      long faults) {
    /** What a program leaves that closed everything and made no mistake. */
    public static Counters cleanAfter(long launches) {
      return new Counters(0, 0, 0, 0, 0, 0, 0, launches, 0, 0, 0, 0, 0, 0, 0);
    }

    /**
     * Returns this without what default streams on HSA keep once they were used: a queue, its
     * counting signal, and the memory for its kernels' arguments. Nothing changes if other things
     * are open, or more of them.
     */
    private Counters withoutDefaultStreams() {
      boolean onlyThose =
          streams <= MOST_DEFAULT_STREAMS
              && events == streams
              && pinnedAllocations == streams
              && pinnedBytes == streams * HSA_ARGUMENTS;
      return onlyThose
          ? new Counters(
              deviceAllocations,
              deviceBytes,
              0,
              0,
              0,
              0,
              modules,
              launches,
              wrongDeviceCalls,
              useAfterFree,
              doubleFree,
              imageChanged,
              imageUnaligned,
              unloadedInFlight,
              faults)
          : this;
    }

    private static Counters of(long[] c) {
      return new Counters(
          c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12], c[13],
          c[14]);
    }
  }

  /**
   * The last launch that was accepted.
   *
   * @param kernel its name
   * @param grid in blocks: x, y, z
   * @param block in threads: x, y, z
   * @param sharedBytes dynamic shared memory
   * @param device ordinal
   * @param stream handle; 0 for the default stream
   * @param arguments the block as the library got it
   */
  @SuppressWarnings("ArrayRecordComponent") // for tests to look into
  public record Launch(
      String kernel,
      int[] grid,
      int[] block,
      int sharedBytes,
      int device,
      long stream,
      byte[] arguments) {}

  private interface Control extends Library {
    void standin_reset();

    void standin_configure(String settings);

    void standin_async(int on);

    void standin_interfere(int on);

    void standin_apart(int on);

    void standin_contextual(int on);

    void standin_delay(long microseconds);

    void standin_hold(int on);

    void standin_mangle(int offset, int value);

    void standin_fail_packet(int status);

    void standin_foreign(int on);

    void standin_fail_foreign(int status);

    void standin_fault_foreign(int ordinal);

    int standin_kernels(String path);

    int standin_fail(String function, int error, int skip, int times);

    long standin_calls(String function);

    int standin_counters(long[] values);

    int standin_last_priority();

    int standin_fault(int ordinal);

    void standin_set_fault(int ordinal, int error);

    int standin_last_launch(byte[] kernel, int[] shape, LongByReference stream, byte[] arguments);
  }

  private StandIn(Version version, Path library) {
    this.version = version;
    this.library = library;
  }

  /** Builds the library, unless it was before: below {@code target/} of the module under test. */
  public static StandIn build(Version version) {
    return new StandIn(version, Compilation.library(version, new TreeSet<>(), Optional.empty()));
  }

  /** Returns another library, which lacks functions. */
  public StandIn without(String... functions) {
    return new StandIn(
        version,
        Compilation.library(version, new TreeSet<>(Arrays.asList(functions)), Optional.empty()));
  }

  /**
   * Returns another library, which is linked with the stand-in for {@code libhsa-runtime64}: there
   * a fault ends the process as AMD's does. For a process of its own.
   */
  public StandIn linkedWithHsa() {
    return new StandIn(version, Compilation.library(version, new TreeSet<>(), Optional.of(hsa())));
  }

  /**
   * Builds the library that stands in for {@code libhsa-runtime64} where a GPU faults. A stand-in
   * for {@code libamdhip64} loads it at run time if the setting {@code hsa=} in {@link
   * #ENVIRONMENT} names it.
   *
   * @param without functions that it lacks
   */
  public static Path hsa(String... without) {
    return Compilation.hsa(new TreeSet<>(Arrays.asList(without)));
  }

  /** Returns the directory that holds the library and nothing else: for a search path. */
  public Path directory() {
    return library.getParent();
  }

  /** Returns the library's file, which is named as the real one is. */
  public Path library() {
    return library;
  }

  public Version version() {
    return version;
  }

  /**
   * Waits for all streams, ends what is open and makes everything as it was after the load. No
   * other thread may be in a call.
   */
  public StandIn reset() {
    control().standin_reset();
    return this;
  }

  /**
   * Applies settings, parted by semicolons; what is not named stays: {@code devices=} target IDs
   * parted by commas, each with {@code /uuid=} 16 characters (zeros for a device that tells none)
   * and {@code /memory=} bytes if wanted, {@code async=}, {@code interfere=}, {@code apart=},
   * {@code delay=} microseconds, {@code kernels=} the path for {@link #kernels}. Devices are seen
   * if this is called after {@link #reset}, before another call.
   */
  public StandIn configure(String settings) {
    control().standin_configure(settings);
    return this;
  }

  /** Resets and sets the devices, by their target IDs; none is a machine without a GPU. */
  public StandIn devices(String... targets) {
    return reset().configure("devices=" + String.join(",", targets));
  }

  /** Gives each stream a thread, so that work is in flight when a call returns. */
  public StandIn async(boolean on) {
    control().standin_async(on ? 1 : 0);
    return this;
  }

  /** Lets each call leave the thread on another device, as another library might. */
  public StandIn interfere(boolean on) {
    control().standin_interfere(on ? 1 : 0);
    return this;
  }

  /** Keeps each device from reaching the memory of another. */
  public StandIn apart(boolean on) {
    control().standin_apart(on ? 1 : 0);
    return this;
  }

  /** Lets CUDA hold every launch against the current context, also one on a stream of its own. */
  public StandIn contextual(boolean on) {
    control().standin_contextual(on ? 1 : 0);
    return this;
  }

  /** Delays each operation of a stream's thread. */
  public StandIn delay(long microseconds) {
    control().standin_delay(microseconds);
    return this;
  }

  /**
   * Runs kernels of a library that a test compiled for the host, instead of those of the same name
   * that the stand-in knows itself, if their modules are loaded from now on. Several libraries may
   * be added; {@link #reset} forgets them. An error of a kernel is printed, and gives its device a
   * sticky error.
   */
  public StandIn kernels(Path host) {
    if (control().standin_kernels(host.toString()) == 0) {
      throw new IllegalArgumentException("there are no kernels in " + host);
    }
    return this;
  }

  /** Keeps the streams' threads from starting anything, until {@link #release}. */
  public StandIn hold() {
    control().standin_hold(1);
    return this;
  }

  /** Changes 16 bits of the packet of HSA's next launch, before the device looks at it. */
  public StandIn mangleNextPacket(int offset, int value) {
    control().standin_mangle(offset, value);
    return this;
  }

  /** Makes the queue of HSA's next launch fail with an {@code hsa_status_t}. */
  public StandIn failNextPacket(int status) {
    control().standin_fail_packet(status);
    return this;
  }

  /** Puts a packet that is not the program's before each of its own into HSA's queues. */
  public StandIn foreignPackets(boolean on) {
    control().standin_foreign(on ? 1 : 0);
    return this;
  }

  /** Makes the queue of HSA's next foreign packet fail with an {@code hsa_status_t}. */
  public StandIn failNextForeignPacket(int status) {
    control().standin_fail_foreign(status);
    return this;
  }

  /** Makes a device of HSA fault by the work of somebody else. */
  public StandIn faultByForeignWork(int ordinal) {
    control().standin_fault_foreign(ordinal);
    return this;
  }

  /** Lets the streams' threads go on. */
  public StandIn release() {
    control().standin_hold(0);
    return this;
  }

  /** Makes a function answer an error, always, instead of doing anything. */
  public StandIn fail(String function, int error) {
    return fail(function, error, 0, -1);
  }

  /**
   * Makes a function answer an error instead of doing anything.
   *
   * @param skip how many calls succeed before
   * @param times how many calls fail then; a negative number for all
   */
  public StandIn fail(String function, int error, int skip, int times) {
    if (control().standin_fail(function, error, skip, times) == 0) {
      throw new IllegalArgumentException("there is no function " + function);
    }
    return this;
  }

  /** Makes a function do nothing, always, and answer that all is well. */
  public StandIn ignore(String function) {
    return fail(function, IGNORED);
  }

  /** Returns how often a function was called. */
  public long calls(String function) {
    long calls = control().standin_calls(function);
    if (calls < 0) {
      throw new IllegalArgumentException("there is no function " + function);
    }
    return calls;
  }

  /** Returns the counters as they are now. */
  public Counters counters() {
    long[] values = new long[Counters.class.getRecordComponents().length];
    int counted = control().standin_counters(values);
    if (counted != values.length) {
      throw new AssertionError("the library has " + counted + " counters");
    }
    Counters counters = Counters.of(values);
    return version.isHsa() ? counters.withoutDefaultStreams() : counters;
  }

  /** Returns the priority that the last stream with one was asked for with. */
  public int lastPriority() {
    return control().standin_last_priority();
  }

  /** Returns a device's sticky error; 0 if it has none. */
  public int fault(int ordinal) {
    return control().standin_fault(ordinal);
  }

  /** Gives a device a sticky error, or with 0 takes it away. */
  public StandIn setFault(int ordinal, int error) {
    control().standin_set_fault(ordinal, error);
    return this;
  }

  /** Returns the last launch, if there was one. */
  public Optional<Launch> lastLaunch() {
    byte[] kernel = new byte[KERNEL_NAME_SIZE];
    int[] shape = new int[8];
    LongByReference stream = new LongByReference();
    byte[] arguments = new byte[ARGUMENTS_SIZE];
    int size = control().standin_last_launch(kernel, shape, stream, arguments);
    if (size < 0) {
      return Optional.empty();
    }
    return Optional.of(
        new Launch(
            Native.toString(kernel, StandardCharsets.UTF_8),
            Arrays.copyOfRange(shape, 0, 3),
            Arrays.copyOfRange(shape, 3, 6),
            shape[6],
            shape[7],
            stream.getValue(),
            Arrays.copyOf(arguments, size)));
  }

  private synchronized Control control() {
    if (control == null) {
      // Not global, so that libraries of several versions keep apart in one process.
      control =
          Native.load(
              library.toString(), Control.class, Map.of(Library.OPTION_OPEN_FLAGS, RTLD_NOW));
    }
    return control;
  }
}
