// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.OffloadBundle;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.binding.DeviceAttribute;
import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A GPU that the runtime shows; creates memory, streams, events and modules on it.
 *
 * <p>Immutable and safe for use by any number of threads; two are equal if they are the same device
 * of the same runtime library. They belong to this device and work with it only.
 */
public final class HipDevice {
  private final HipRuntime runtime;
  private final DeviceContext context;
  private final DeviceProperties properties;
  private final HipStream defaultStream;
  private volatile @Nullable DeviceIdentity identity;

  HipDevice(HipRuntime runtime, DeviceContext context) {
    this.runtime = runtime;
    this.context = context;
    this.properties = DeviceProperties.read(context);
    this.defaultStream = HipStream.defaultOf(this);
  }

  /** {@return the runtime that shows this device} */
  public HipRuntime runtime() {
    return runtime;
  }

  /** {@return the device ordinal: its number among the devices that this process may see} */
  public int ordinal() {
    return context.ordinal();
  }

  /** {@return the marketing name, such as {@code AMD Instinct MI210}} */
  public String name() {
    return properties.name();
  }

  /** {@return the device's properties} */
  public DeviceProperties properties() {
    return properties;
  }

  /**
   * {@return the device's own target ID, with the state of each feature that it has}
   *
   * @throws UnsupportedDeviceException if the runtime does not report it, or kcache does not know
   *     it
   */
  public TargetId target() {
    if (properties.archName().isEmpty()) {
      throw new UnsupportedDeviceException(
          "the runtime does not say which processor device %d (%s) has; use a newer runtime"
              .formatted(ordinal(), name()));
    }
    try {
      return TargetId.parse(properties.archName());
    } catch (IllegalArgumentException e) {
      UnsupportedDeviceException unknown =
          new UnsupportedDeviceException(
              "kcache does not know the processor %s of device %d; choose another device, or use a newer kcache"
                  .formatted(properties.archName(), ordinal()));
      unknown.initCause(e);
      throw unknown;
    }
  }

  /**
   * {@return the UUID that the vendor's tools show, such as {@code GPU-0e12865a3bf5b7ab} or {@code
   * GPU-0e12865a-3bf5-b7ab-0e12-865a3bf5b7ab}; nothing if the device has none, as most integrated
   * ones}
   *
   * @throws HipException if the runtime fails
   */
  public Optional<String> uuid() {
    return identity().uuid();
  }

  /**
   * {@return the PCI bus id, such as {@code 0000:03:00.0}; nothing if the runtime doesn't say it}
   *
   * @throws HipException if the runtime fails
   */
  public Optional<String> pciBusId() {
    return identity().pciBusId();
  }

  /** Read on demand; two threads may read it at once. */
  private DeviceIdentity identity() {
    DeviceIdentity known = identity;
    if (known == null) {
      known = DeviceIdentity.read(context);
      identity = known;
    }
    return known;
  }

  /** Returns all selectors of the device in one line. */
  String describe() {
    return Stream.of(
            Optional.of(ordinal() + ": " + properties.archName()),
            Optional.of(name()),
            uuid(),
            pciBusId())
        .flatMap(Optional::stream)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(", "));
  }

  /**
   * Allocates uninitialized memory on the device.
   *
   * @param size in bytes; 0 is allowed
   * @return the memory, which the caller closes
   * @throws IllegalArgumentException if {@code size} is negative
   * @throws HipException if the runtime fails, such as for want of memory; nothing is allocated
   */
  public DeviceBuffer allocate(long size) {
    return Allocation.on(this, size);
  }

  /**
   * Allocates memory of the host that this device copies from and to directly; it holds zeros or
   * what was there before.
   *
   * @param size in bytes; 0 is allowed
   * @return the memory, which the caller closes
   * @throws IllegalArgumentException if {@code size} is negative
   * @throws HipException if the runtime fails, such as for want of memory; nothing is allocated
   */
  public PinnedBuffer allocatePinned(int size) {
    return PinnedBuffer.allocate(this, size);
  }

  /**
   * {@return the free memory of the device in bytes} Other processes may change it at any time.
   *
   * @throws HipException if the runtime fails
   */
  public long freeMemory() {
    long[] free = new long[1];
    long[] total = new long[1];
    context.call("hipMemGetInfo", hip -> hip.hipMemGetInfo(free, total));
    return free[0];
  }

  /**
   * {@return whether {@link HipStream#allocate} allocates in the order of the stream: the runtime
   * has {@code hipMallocAsync}, and the device has memory pools}
   */
  public boolean supportsStreamAllocation() {
    int[] pools = new int[1];
    int number = DeviceAttribute.MEMORY_POOLS_SUPPORTED.number(library().platform());
    return library().has("hipMallocAsync")
        && library().has("hipFreeAsync")
        && library().functions().hipDeviceGetAttribute(pools, number, ordinal()) == Statuses.SUCCESS
        && pools[0] != 0;
  }

  /**
   * Creates a stream, which does not wait for the default stream's work.
   *
   * @return the stream, which the caller closes
   * @throws HipException if the runtime fails
   */
  public HipStream createStream() {
    return createStream(0);
  }

  /**
   * Creates a stream as {@link #createStream()} does, whose work is preferred to that of streams
   * with a higher number.
   *
   * @param priority 0 is that of other streams; a number outside of the device's range counts as
   *     the nearest one inside
   * @return the stream, which the caller closes
   * @throws HipException if the runtime fails
   */
  public HipStream createStream(int priority) {
    return HipStream.create(this, priority);
  }

  /** {@return the default stream, which always exists; closing it has no effect} */
  public HipStream defaultStream() {
    return defaultStream;
  }

  /**
   * Creates an event, which marks no stream yet.
   *
   * @return the event, which the caller closes
   * @throws HipException if the runtime fails
   */
  public HipEvent createEvent() {
    return HipEvent.create(this);
  }

  /**
   * Loads a code object.
   *
   * @param codeObject of this device's target
   * @return the module, which the caller closes
   * @throws dev.kcache.codeobject.IncompatibleTargetException if it is not for this device; the
   *     runtime is not called
   * @throws UnsupportedCodeObjectException if the runtime cannot load its version, or it was
   *     stripped; the runtime is not called
   * @throws IllegalArgumentException if it claims more memory than the device has; it is not called
   * @throws HipException if the runtime refuses it; nothing is loaded
   */
  public HipModule load(CodeObject codeObject) {
    requireNonNull(codeObject, "codeObject");
    return HipModule.load(this, codeObject);
  }

  /**
   * Loads the code object of an image that runs here: the image itself, or the best entry of an
   * offload bundle, compressed or not, such as {@code hipcc --genco} makes.
   *
   * @param image the remaining bytes, which are copied; the position is left alone
   * @return the module, which the caller closes
   * @throws dev.kcache.codeobject.MalformedCodeObjectException if it is neither, or is damaged; the
   *     runtime is not called
   * @throws dev.kcache.codeobject.IncompatibleTargetException if nothing of it is for this device;
   *     the runtime is not called
   * @throws dev.kcache.codeobject.ZstandardUnavailableException if it is compressed with zstd,
   *     which can't be loaded
   * @throws UnsupportedCodeObjectException if the runtime cannot load its version, or it was
   *     stripped; the runtime is not called
   * @throws HipException if the runtime refuses it; nothing is loaded
   */
  public HipModule load(ByteBuffer image) {
    requireNonNull(image, "image");
    byte[] bytes = new byte[image.remaining()];
    image.get(image.position(), bytes);
    return load(OffloadBundle.unpack(bytes, target()));
  }

  /**
   * Waits until everything that was asked of this device is done.
   *
   * @throws HipException if the runtime fails, or work that was asked for before did
   */
  public void synchronize() {
    Runnable passed = context.launches().passing();
    context.call("hipDeviceSynchronize", hip -> hip.hipDeviceSynchronize());
    passed.run();
  }

  /** Rejects an object of another device. */
  void requireSame(String what, HipDevice other, String with) {
    if (!equals(other)) {
      throw new IllegalArgumentException(
          "%s of %s cannot be used with %s of %s"
              .formatted(what, other.nameBeside(this), with, nameBeside(other)));
    }
  }

  /** Returns a name that tells this device from another one, which may be another runtime's. */
  String nameBeside(HipDevice other) {
    String name = "device " + ordinal();
    return library() == other.library() ? name : name + " of " + runtime;
  }

  DeviceContext context() {
    return context;
  }

  HipLibrary library() {
    return context.library();
  }

  Leaks leaks() {
    return runtime.leaks();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HipDevice that
        && library() == that.library()
        && ordinal() == that.ordinal();
  }

  @Override
  public int hashCode() {
    return ordinal();
  }

  /**
   * Returns the ordinal, the name and the target, such as {@code 0: AMD Instinct MI210 (gfx90a)}.
   */
  @Override
  public String toString() {
    return ordinal() + ": " + name() + " (" + properties.archName() + ")";
  }
}
