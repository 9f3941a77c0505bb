// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.CacheLimits;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.binding.HipLibrary;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A GPU in Java for the tests of host code: a machine needs neither a GPU nor ROCm. Code objects
 * are real, and loaded and checked as by HIP's runtime; kernels are {@linkplain StandInKernel
 * bodies in Java}, found by their names.
 *
 * <pre>{@code
 * try (StandInGpu gpu =
 *     StandInGpu.builder().target("gfx90a").memory("1GB").kernel("saxpy", saxpy).build()) {
 *   try (KernelManager kernels = KernelManager.builder().device(gpu.device()).build()) {
 *     new OurService(kernels).run();
 *   }
 *   assertThat(gpu.launches()).singleElement().hasToString("saxpy<<<4x1x1, 256x1x1>>>");
 *   assertThat(gpu.leaks()).isEmpty();
 * }
 * }</pre>
 *
 * <p>It is strict where a GPU is hard to debug. Copies outside of an allocation fail with 1, and
 * kernels' accesses with 700; fresh memory has bytes of 0xff; addresses are never used twice. Work
 * of a stream is done when somebody waits for it and not before, so that a missing {@link
 * dev.kcache.hip.HipStream#synchronize} shows each time. A program that polls makes the stream go
 * on by one piece of work with each poll.
 *
 * <p>It doesn't show how long something takes on a GPU, races within a kernel, or anything of the
 * kernel's own code.
 *
 * <p>Safe for use by any number of threads. Devices, buffers and the like are used as those of any
 * other runtime.
 */
public final class StandInGpu implements AutoCloseable {
  private final Machine machine;
  private final StandInLibrary library;
  private final HipRuntime runtime;

  private StandInGpu(Builder builder) {
    List<DeviceTraits> devices =
        IntStream.range(0, builder.count)
            .boxed()
            .flatMap(unused -> builder.targets.stream())
            .map(target -> new DeviceTraits(target, builder.memoryBytes))
            .toList();
    machine = new Machine(devices, builder.kernels, builder.recordOnly);
    library = new StandInLibrary(machine, builder.rocm);
    runtime = HipRuntime.of(library, Map.of("KCACHE_HIP_LEAKS", "1"));
  }

  /** {@return a builder of a GPU with one {@code gfx90a} of 16 GiB and no bodies} */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * {@return the GPU of this process, to which {@code KCACHE_RUNTIME=stand-in} leads; the same each
   * time} {@link StandInSetup}s prepare it. It should not be closed.
   *
   * @throws java.util.ServiceConfigurationError if a setup can't be made
   */
  public static StandInGpu ofProcess() {
    return ProcessStandIn.gpu();
  }

  /** {@return the runtime of the GPU, of the kind {@link HipRuntime.Kind#HIP}} */
  public HipRuntime runtime() {
    return runtime;
  }

  /** {@return the first device; the {@link #runtime()} has all of them} */
  public HipDevice device() {
    return runtime.devices().get(0);
  }

  HipLibrary library() {
    return library;
  }

  /**
   * {@return the launches so far, the oldest first, of kernels that wait in a stream too; at most
   * the last 10,000}
   */
  public List<KernelCall> launches() {
    return machine.launches();
  }

  /** Forgets the launches so far. */
  public void clearLaunches() {
    machine.forgetLaunches();
  }

  /**
   * Makes the next call of a function of HIP fail, which then does nothing. Several for one
   * function are for the next calls in turn.
   *
   * @param function such as {@code hipMalloc}; {@code hipMallocAsync} is another
   * @param code the {@code hipError_t}, such as 2 for {@code hipErrorOutOfMemory}
   * @throws IllegalArgumentException if the code is none of a failure: it isn't above 0
   */
  public void failNext(String function, int code) {
    requireNonNull(function, "function");
    machine.faults().failCall(requireNonNull(function, "function"), requireError(code));
  }

  /**
   * Makes the next launch of a kernel fail, which isn't recorded then. Several for one kernel are
   * for the next launches in turn.
   *
   * @param kernel the name in the code object
   * @param code the {@code hipError_t}, such as 719 for {@code hipErrorLaunchFailure}
   * @throws IllegalArgumentException if the code is none of a failure: it isn't above 0
   */
  public void failLaunch(String kernel, int code) {
    requireNonNull(kernel, "kernel");
    machine.faults().failLaunch(requireNonNull(kernel, "kernel"), requireError(code));
  }

  private static int requireError(int code) {
    if (code <= 0) {
      throw new IllegalArgumentException("a failure has a code above 0, not " + code);
    }
    return code;
  }

  /**
   * Loses a device, as by a fault: its work is dropped, and every later call for it fails with 719,
   * {@code hipErrorLaunchFailure}. What is on it has to be closed all the same.
   *
   * @param ordinal of the device, from 0
   * @throws IllegalArgumentException if there is no such device
   */
  public void loseDevice(int ordinal) {
    if (ordinal < 0 || ordinal >= machine.devices().size()) {
      throw new IllegalArgumentException("there is no device " + ordinal);
    }
    machine.lose(ordinal);
  }

  /**
   * {@return what is open: buffers, pinned buffers, modules, streams and events, one line each;
   * once the GPU is closed, what was open then} What the garbage collector has taken isn't open any
   * more; a logged warning says where it was opened.
   */
  public List<String> leaks() {
    return machine.leaks();
  }

  /**
   * Ends the GPU and frees its memory; {@link #leaks()} tells what was still open. Later calls fail
   * with 4, {@code hipErrorDeinitialized}; closing a buffer or the like succeeds. Closing twice has
   * no effect.
   */
  @Override
  public void close() {
    machine.close();
  }

  /** Returns the devices' targets, such as {@code stand-in GPU (gfx90a)}. */
  @Override
  public String toString() {
    return "stand-in GPU ("
        + String.join(
            ", ",
            machine.devices().stream().map(each -> each.traits().target().toString()).toList())
        + ")";
  }

  /** Builds a {@link StandInGpu}. Not safe for use by several threads. */
  public static final class Builder {
    private static final long DEFAULT_MEMORY = 16L << 30;

    private final Map<String, StandInKernel> kernels = new HashMap<>();
    private List<TargetId> targets = List.of(TargetId.parse("gfx90a"));
    private int count = 1;
    private long memoryBytes = DEFAULT_MEMORY;
    private String rocm = "6.4";
    private boolean recordOnly;

    private Builder() {}

    /**
     * Sets the target of the device; of several devices if several are named.
     *
     * @param first the first device's, such as {@code gfx90a:sramecc+:xnack-}
     * @param more those of the devices that follow, in the order of their ordinals
     * @return this builder
     * @throws IllegalArgumentException if one is no target ID of a processor of AMD
     */
    public Builder target(String first, String... more) {
      requireNonNull(first, "first");
      requireNonNull(more, "more");
      targets =
          Stream.concat(Stream.of(first), Stream.of(more)).map(Builder::requireDevice).toList();
      return this;
    }

    private static TargetId requireDevice(String text) {
      TargetId target = TargetId.parse(text);
      if (target.processor().platform() != Platform.AMD || target.processor().isGeneric()) {
        throw new IllegalArgumentException(
            "the stand-in GPU can't be %s, only a processor of AMD such as gfx90a".formatted(text));
      }
      return target;
    }

    /**
     * Sets how many devices of each target there are; the default is 1. The order of the targets
     * repeats.
     *
     * @param count how often the targets are there, at least 1
     * @return this builder
     * @throws IllegalArgumentException if {@code count} isn't positive
     */
    public Builder devices(int count) {
      if (count < 1) {
        throw new IllegalArgumentException("a stand-in GPU has at least one device, not " + count);
      }
      this.count = count;
      return this;
    }

    /**
     * Sets the memory of each device; the default is 16 GiB. The JVM's heap has what is really
     * written.
     *
     * @param size such as {@code 1GB} or {@code 512MiB}, as {@link CacheLimits#parseSize} reads it
     * @return this builder
     * @throws IllegalArgumentException if it is no size, or means no limit
     */
    public Builder memory(String size) {
      requireNonNull(size, "size");
      memoryBytes =
          CacheLimits.parseSize(size)
              .orElseThrow(
                  () -> new IllegalArgumentException("a GPU's memory can't be unlimited: " + size));
      return this;
    }

    /**
     * Sets the release of ROCm that the runtime claims to be of; the default is 6.4. It decides
     * which versions of code objects load.
     *
     * @param release major and minor version, from {@code 5.0} to {@code 9.99}
     * @return this builder
     * @throws IllegalArgumentException if it isn't a release such as {@code 6.4}
     */
    public Builder rocm(String release) {
      requireNonNull(release, "release");
      if (!release.matches("[5-9]\\.\\d{1,2}")) {
        throw new IllegalArgumentException("'" + release + "' is not a release such as 6.4");
      }
      rocm = release;
      return this;
    }

    /**
     * Sets the body of a kernel, in place of one that was set for the name before.
     *
     * @param name the name in the code object, or, of a C++ function or template, the one in the
     *     source with its namespaces; then it is the body of all overloads and instances that have
     *     no body of their own
     * @param body runs once for each launch
     * @return this builder
     */
    public Builder kernel(String name, StandInKernel body) {
      kernels.put(requireNonNull(name, "name"), requireNonNull(body, "body"));
      return this;
    }

    /**
     * Asks that launches of kernels without a body are recorded and do nothing. Otherwise such a
     * launch fails with 801, {@code hipErrorNotSupported}.
     *
     * @return this builder
     */
    public Builder recordOnly() {
      recordOnly = true;
      return this;
    }

    /** {@return a new GPU, whose devices and memory no other has; to be closed by the caller} */
    public StandInGpu build() {
      return new StandInGpu(this);
    }
  }
}
