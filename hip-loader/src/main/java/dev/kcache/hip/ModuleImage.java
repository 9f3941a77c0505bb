// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.IncompatibleTargetException;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * The private copy of a code object that the runtime gets, once everything is checked that the
 * runtime does not check: it does not know the size of an image, and was seen to abort, to follow
 * wrong offsets and to throw through C on images that were for another device, cut or damaged.
 *
 * <p>The copy begins at a page and has zeros after its end, since the runtime looks at up to a page
 * whatever the size, and a driver that is given PTX at everything up to the first zero; it has to
 * stay where it is for as long as the module is loaded.
 */
final class ModuleImage {
  private static final int PAGE = 4096;

  // Only keeps the copy reachable.
  @SuppressWarnings("UnusedVariable")
  private final ByteBuffer memory;

  private final long address;

  private ModuleImage(ByteBuffer memory, long address) {
    this.memory = memory;
    this.address = address;
  }

  /**
   * Returns a copy of a code object that is safe for the device's runtime.
   *
   * @throws IncompatibleTargetException if the device cannot run it
   * @throws UnsupportedCodeObjectException if the runtime cannot load its version, or what was
   *     stripped as it was
   * @throws IllegalArgumentException if it claims more memory than the device has
   */
  static ModuleImage check(HipDevice device, CodeObject codeObject) {
    TargetId target = device.target();
    if (!codeObject.target().runsOn(target)) {
      throw new IncompatibleTargetException(target, List.of(codeObject.target().toString()));
    }
    if (codeObject.format() == Format.AMDGPU_ELF) {
      checkLoadable(device.runtime().hipVersion(), codeObject);
    }
    // The runtime allocates as much on the host as well.
    if (codeObject.loadedSize() > device.properties().memoryBytes()) {
      throw new IllegalArgumentException(
          "the code object takes %d bytes of memory once it is loaded, but device %d has %d"
              .formatted(
                  codeObject.loadedSize(), device.ordinal(), device.properties().memoryBytes()));
    }
    return copy(codeObject.bytes());
  }

  private static void checkLoadable(HipVersion runtime, CodeObject codeObject) {
    int version = codeObject.abiVersion();
    int newest = newestVersion(runtime);
    if (version > newest) {
      throw new UnsupportedCodeObjectException(codeObject, newest, runtime);
    }
    Optional<String> obstacle = codeObject.whyNotLoadable();
    if (obstacle.isPresent()) {
      throw new UnsupportedCodeObjectException(
          "the code object cannot be loaded: " + obstacle.get(), version, newest);
    }
  }

  /**
   * Returns the newest code object version that a runtime is given.
   *
   * <p>Version 6 is known since 6.3: <a
   * href="https://github.com/ROCm/ROCR-Runtime/issues/321">ROCR-Runtime 321</a>, <a
   * href="https://github.com/llvm/llvm-project/pull/130963">llvm-project 130963</a>. 5.2 refuses
   * version 5, and 6.0, whose own compiler makes it, loads it; which release between came first is
   * not known here. Those are given it, since such a runtime refuses what it does not know (303,
   * measured on 5.2) and does not fall over it.
   */
  static int newestVersion(HipVersion runtime) {
    if (runtime.compareTo(new HipVersion(6, 3, 0)) >= 0) {
      return 6;
    }
    return runtime.compareTo(new HipVersion(5, 3, 0)) >= 0 ? 5 : 4;
  }

  /** Returns a copy of a checked image. */
  static ModuleImage copy(ByteBuffer image) {
    ByteBuffer memory = ByteBuffer.allocateDirect(image.remaining() + 3 * PAGE);
    ByteBuffer aligned = memory.alignedSlice(PAGE);
    aligned.put(image);
    return new ModuleImage(memory, HipLibrary.address(aligned));
  }

  long address() {
    return address;
  }
}
