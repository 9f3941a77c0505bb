// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/** Calls a library's functions by name, as C would: nothing stands between a test and the ABI. */
final class Raw {
  private static final int PAGE = 4096;

  private final NativeLibrary library;

  Raw(StandIn standIn) {
    int now = 2; // RTLD_NOW, and not RTLD_GLOBAL
    library =
        NativeLibrary.getInstance(
            standIn.library().toString(), Map.of(Library.OPTION_OPEN_FLAGS, now));
  }

  boolean has(String function) {
    try {
      library.getFunction(function);
      return true;
    } catch (UnsatisfiedLinkError e) {
      return false;
    }
  }

  /** Gives the error that a function returns. */
  int error(String function, Object... arguments) {
    return library.getFunction(function).invokeInt(arguments);
  }

  /** Calls a function that must succeed. */
  void call(String function, Object... arguments) {
    assertThat(error(function, arguments)).as(function).isZero();
  }

  /** Calls a function that must succeed and gives something through its first parameter. */
  Pointer get(String function, Object... others) {
    PointerByReference result = new PointerByReference();
    Object[] arguments = new Object[others.length + 1];
    arguments[0] = result;
    System.arraycopy(others, 0, arguments, 1, others.length);
    call(function, arguments);
    return result.getValue();
  }

  Pointer device(long bytes) {
    return get("hipMalloc", bytes);
  }

  Pointer floats(float... values) {
    Pointer device = device(4L * values.length);
    try (Memory host = new Memory(4L * values.length)) {
      host.write(0, values, 0, values.length);
      call("hipMemcpyHtoD", device, host, host.size());
    }
    return device;
  }

  float[] floats(Pointer device, int count) {
    try (Memory host = new Memory(4L * count)) {
      call("hipMemcpyDtoH", host, device, host.size());
      return host.getFloatArray(0, count);
    }
  }

  /** Reads one of the code objects that the stand-in knows the kernels of. */
  static byte[] codeObject(String name) {
    try (InputStream in = Raw.class.getResourceAsStream("kernels/" + name)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Copies an image to the begin of a page. */
  static Memory image(byte[] bytes) {
    Memory image = new Memory(bytes.length + PAGE).align(PAGE);
    image.write(0, bytes, 0, bytes.length);
    return image;
  }

  /** Launches with one block along y and z, on a stream or the default one. */
  int launch(Pointer function, int grid, int block, Pointer stream, Memory arguments) {
    try (Memory size = new Memory(8);
        Memory extra = new Memory(40)) {
      size.setLong(0, arguments == null ? 0 : arguments.size());
      extra.setLong(0, 1);
      extra.setPointer(8, arguments);
      extra.setLong(16, 2);
      extra.setPointer(24, size);
      extra.setLong(32, 3);
      return error(
          "hipModuleLaunchKernel",
          function,
          grid,
          1,
          1,
          block,
          1,
          1,
          0,
          stream,
          Pointer.NULL,
          extra);
    }
  }
}
