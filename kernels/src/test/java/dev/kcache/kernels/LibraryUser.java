// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import dev.kcache.codeobject.Platform;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipRuntime;
import java.util.Map;

/**
 * Another user who calls the runtime's library. On NVIDIA he changes to a context of his own or to
 * none, on AMD to the last device. With HSA nothing is current.
 */
final class LibraryUser implements OtherUser {
  private static final int RTLD_NOW = 2;

  private final HipDevice device;
  private final NativeLibrary library;
  private Pointer own = Pointer.NULL;

  LibraryUser(HipDevice device) {
    this.device = device;
    this.library =
        NativeLibrary.getInstance(
            device.runtime().library(), Map.of(Library.OPTION_OPEN_FLAGS, RTLD_NOW));
    if (isNvidia()) {
      PointerByReference context = new PointerByReference();
      call("cuCtxCreate_v2", context, 0, device.ordinal());
      own = context.getValue();
    }
  }

  private boolean isNvidia() {
    return device.runtime().platform() == Platform.NVIDIA;
  }

  private void call(String function, Object... arguments) {
    assertThat(library.getFunction(function).invokeInt(arguments)).as(function).isZero();
  }

  @Override
  public void change(int number) {
    if (isNvidia()) {
      call("cuCtxSetCurrent", number % 2 == 0 ? own : Pointer.NULL);
    } else if (device.runtime().kind() == HipRuntime.Kind.HIP) {
      call("hipSetDevice", device.runtime().devices().size() - 1);
    }
  }

  @Override
  public void close() {
    if (isNvidia()) {
      call("cuCtxSetCurrent", Pointer.NULL);
      call("cuCtxDestroy_v2", own);
    } else if (device.runtime().kind() == HipRuntime.Kind.HIP) {
      call("hipSetDevice", device.ordinal());
    }
  }
}
