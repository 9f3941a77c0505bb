// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Another user of the CUDA driver in this process, who has contexts of his own. */
final class OtherLibrary {
  private static final int RTLD_NOW = 2;

  private final NativeLibrary cuda;

  OtherLibrary(HipRuntime runtime) {
    cuda =
        NativeLibrary.getInstance(runtime.library(), Map.of(Library.OPTION_OPEN_FLAGS, RTLD_NOW));
  }

  private void call(String function, Object... arguments) {
    assertThat(cuda.getFunction(function).invokeInt(arguments)).as(function).isZero();
  }

  /** Makes a context of its own on a device, which is the thread's current one then. */
  Pointer createContext(int device) {
    PointerByReference context = new PointerByReference();
    call("cuCtxCreate_v2", context, 0, device);
    return context.getValue();
  }

  void destroyContext(Pointer context) {
    call("cuCtxDestroy_v2", context);
  }

  /** Returns the device's primary context, once more retained. */
  Pointer primaryContext(int device) {
    PointerByReference context = new PointerByReference();
    call("cuDevicePrimaryCtxRetain", context, device);
    return context.getValue();
  }

  @Nullable Pointer current() {
    PointerByReference context = new PointerByReference();
    call("cuCtxGetCurrent", context);
    return context.getValue();
  }

  void setCurrent(@Nullable Pointer context) {
    call("cuCtxSetCurrent", context == null ? Pointer.NULL : context);
  }
}
