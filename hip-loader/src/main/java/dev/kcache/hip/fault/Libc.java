// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import org.jspecify.annotations.Nullable;

/** The functions of glibc that are needed around a fault. Safe for use by any number of threads. */
final class Libc {
  /** {@code RTLD_LAZY | RTLD_NOLOAD}: finds a library that is loaded, and never loads one. */
  private static final int IF_LOADED = 1 | 4;

  /** At least {@code sizeof(pthread_attr_t)}, which is 56 on x86-64 and 64 on aarch64. */
  private static final int ATTRIBUTES_SIZE = 128;

  private Libc() {}

  /**
   * Returns a function of the process.
   *
   * @throws UnsatisfiedLinkError if there is none of that name
   */
  static Function function(String name) {
    return NativeLibrary.getProcess().getFunction(name);
  }

  /** Returns the handle of a library that is loaded; null if it is not. */
  static @Nullable Pointer ifLoaded(String library) {
    return function("dlopen").invokePointer(new Object[] {library, IF_LOADED});
  }

  /** Returns the address of a function of a library; 0 if it has none of that name. */
  static long address(Pointer library, String name) {
    return Pointer.nativeValue(function("dlsym").invokePointer(new Object[] {library, name}));
  }

  /** Returns the size in bytes of the stack that a thread gets for which none is set. */
  static long defaultStackSize() {
    Memory attributes = new Memory(ATTRIBUTES_SIZE);
    Memory size = new Memory(8);
    boolean read =
        function("pthread_getattr_default_np").invokeInt(new Object[] {attributes}) == 0
            && function("pthread_attr_getstacksize").invokeInt(new Object[] {attributes, size})
                == 0;
    return read ? size.getLong(0) : 0;
  }
}
