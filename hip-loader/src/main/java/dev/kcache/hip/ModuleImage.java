// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.IncompatibleTargetException;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The private copy of a code object that the runtime is given, after everything that the runtime
 * would not check has been: it is not told the size of an image, and was seen to abort, to follow
 * wrong offsets and to throw through C on images that were not for the device, cut or damaged.
 *
 * <p>The copy begins at a page and has zeros after its end, since the runtime looks at up to a page
 * whatever the size; it has to stay where it is for as long as the module is loaded.
 */
final class ModuleImage {
  private static final int PAGE = 4096;

  /** Which code object versions a runtime loads, by its own version; as far as known. */
  private static final int OLDEST_WITH_VERSION_5 = 6;

  // Only to keep it: whoever has this object keeps the copy where it is.
  @SuppressWarnings("UnusedVariable")
  private final ByteBuffer memory;

  private final long address;

  private ModuleImage(ByteBuffer memory, long address) {
    this.memory = memory;
    this.address = address;
  }

  /**
   * Returns a copy of a code object that the device's runtime can be given.
   *
   * @throws IncompatibleTargetException if the device cannot run it
   * @throws UnsupportedCodeObjectException if the runtime cannot load its version
   */
  static ModuleImage check(HipDevice device, CodeObject codeObject) {
    TargetId target = device.target();
    if (!codeObject.target().runsOn(target)) {
      throw new IncompatibleTargetException(target, List.of(codeObject.target().toString()));
    }
    HipVersion runtime = device.runtime().version();
    int newest = runtime.major() >= OLDEST_WITH_VERSION_5 ? 6 : 4;
    if (codeObject.abiVersion() > newest) {
      throw new UnsupportedCodeObjectException(codeObject.abiVersion(), newest, runtime);
    }
    return copy(codeObject.bytes());
  }

  private static ModuleImage copy(ByteBuffer image) {
    ByteBuffer memory = ByteBuffer.allocateDirect(image.remaining() + 3 * PAGE);
    ByteBuffer aligned = memory.alignedSlice(PAGE);
    aligned.put(image);
    return new ModuleImage(memory, HipLibrary.address(aligned));
  }

  long address() {
    return address;
  }
}
