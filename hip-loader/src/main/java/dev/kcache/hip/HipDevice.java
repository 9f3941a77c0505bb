// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.OffloadBundle;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;

/**
 * A GPU, as the runtime shows it: makes what lives on it.
 *
 * <p>Immutable and safe for use by any number of threads; two are equal if they are the same device
 * of the same {@link HipRuntime}. What it makes belongs to this device, and is used with it only.
 */
public final class HipDevice {
  private final HipRuntime runtime;
  private final DeviceContext context;
  private final DeviceProperties properties;

  HipDevice(HipRuntime runtime, DeviceContext context) {
    this.runtime = runtime;
    this.context = context;
    this.properties = DeviceProperties.read(context);
  }

  /** Returns the runtime that shows this device. */
  public HipRuntime runtime() {
    return runtime;
  }

  /** Returns the device ordinal: its number among the devices that this process may see. */
  public int ordinal() {
    return context.ordinal();
  }

  /** Returns the marketing name, such as {@code AMD Instinct MI210}. */
  public String name() {
    return properties.name();
  }

  /** Returns what the device is and can do. */
  public DeviceProperties properties() {
    return properties;
  }

  /**
   * Returns the device's own target ID, with the state of each feature that it has.
   *
   * @throws IllegalArgumentException if the device's processor is unknown here
   */
  public TargetId target() {
    return TargetId.parse(properties.archName());
  }

  /**
   * Allocates memory on the device, which is not initialized.
   *
   * @param size in bytes; 0 is allowed
   * @throws IllegalArgumentException if {@code size} is negative
   * @throws HipException if the runtime fails, such as for want of memory; nothing is allocated
   */
  public DeviceBuffer allocate(long size) {
    return DeviceBuffer.allocate(this, size);
  }

  /**
   * Creates a stream, which does not wait for the default stream's work.
   *
   * @throws HipException if the runtime fails
   */
  public HipStream createStream() {
    return HipStream.create(this);
  }

  /** Returns the default stream, which is always there; closing it has no effect. */
  public HipStream defaultStream() {
    return HipStream.defaultOf(this);
  }

  /**
   * Loads a code object.
   *
   * @throws dev.kcache.codeobject.IncompatibleTargetException if it is not for this device; the
   *     runtime is not called
   * @throws UnsupportedCodeObjectException if the runtime cannot load its version; it is not called
   * @throws HipException if the runtime refuses it; nothing is loaded
   */
  public HipModule load(CodeObject codeObject) {
    return HipModule.load(this, codeObject);
  }

  /**
   * Loads the code object of an image that runs here: the image itself, or the best entry of an
   * offload bundle, compressed or not, such as {@code hipcc --genco} makes.
   *
   * @param image the remaining bytes, which are copied; the position is left alone
   * @throws dev.kcache.codeobject.MalformedCodeObjectException if it is neither, or is damaged; the
   *     runtime is not called
   * @throws dev.kcache.codeobject.IncompatibleTargetException if nothing of it is for this device;
   *     the runtime is not called
   * @throws dev.kcache.codeobject.ZstandardUnavailableException if it is compressed with zstd,
   *     which can't be loaded
   * @throws UnsupportedCodeObjectException if the runtime cannot load its version; it is not called
   * @throws HipException if the runtime refuses it; nothing is loaded
   */
  public HipModule load(ByteBuffer image) {
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
    context.call("hipDeviceSynchronize", hip -> hip.hipDeviceSynchronize());
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
        && runtime == that.runtime
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
