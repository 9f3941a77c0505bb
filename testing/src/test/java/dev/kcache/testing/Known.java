// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * Real code objects of hip-loader's tests, and bodies of their kernels and of those of the
 * contracts.
 */
public final class Known implements StandInSetup {
  static final StandInKernel SAXPY =
      StandInKernel.perThread(
          (thread, call) -> {
            long i = thread.x();
            if (i < call.intAt(0)) {
              StandInBuffer y = call.buffer(3);
              y.setFloat(i, call.floatAt(1) * call.buffer(2).getFloat(i) + y.getFloat(i));
            }
          });

  private static final StandInKernel VADD =
      StandInKernel.perThread(
          (thread, call) -> {
            long i = thread.x();
            if (i < call.intAt(3)) {
              call.buffer(2).setFloat(i, call.buffer(0).getFloat(i) + call.buffer(1).getFloat(i));
            }
          });

  /** Creates the setup; for the service loader. */
  public Known() {}

  /** Sets bodies, and a second device. */
  @Override
  public void configure(StandInGpu.Builder gpu) {
    gpu.target("gfx90a:sramecc+:xnack-", "gfx1030")
        .kernel("vadd", VADD)
        .kernel("saxpy", SAXPY)
        .kernel("scale", Known::scale)
        .kernel("mixed", Known::mixed)
        .kernel("pair", Known::pair)
        .kernel("shape", Known::shape)
        .kernel("bounded", Known::bounded)
        .kernel("fault", call -> call.bufferAt(call.longAt(0)).setInt(0, 1))
        .kernel("_Z5timesIfLi3EEvPT_x", Known::three)
        .kernel("times", Known::five);
  }

  /** A loop over the threads, as the contracts launch many. */
  private static void scale(KernelCall call) {
    StandInBuffer x = call.buffer(0);
    double by = call.doubleAt(1);
    long count = Math.min(call.longAt(2), (long) call.gridDims().x() * call.blockDims().x());
    for (long i = 0; i < count; i++) {
      x.setFloat(i, (float) (x.getFloat(i) * by));
    }
  }

  private static void mixed(KernelCall call) {
    StandInBuffer out = call.buffer(6);
    out.setDouble(0, call.byteAt(0));
    out.setDouble(1, call.shortAt(1));
    out.setDouble(2, call.intAt(2));
    out.setDouble(3, (double) call.longAt(3));
    out.setDouble(4, call.floatAt(4));
    out.setDouble(5, call.doubleAt(5));
  }

  private static void pair(KernelCall call) {
    ByteBuffer pair = call.bytesAt(0);
    StandInBuffer out = call.buffer(2);
    out.setDouble(0, pair.getFloat(0));
    out.setDouble(1, pair.getDouble(8));
    out.setDouble(2, call.shortAt(1));
  }

  private static void shape(KernelCall call) {
    StandInBuffer out = call.buffer(0);
    out.setDouble(0, call.gridDims().x());
    out.setDouble(1, call.gridDims().y());
    out.setDouble(2, call.gridDims().z());
    out.setDouble(3, call.blockDims().x());
    out.setDouble(4, call.blockDims().y());
    out.setDouble(5, call.blockDims().z());
  }

  private static void bounded(KernelCall call) {
    int zero = (int) call.global("zeroes").getDouble(0);
    for (int i = 0; i < 64; i++) {
      call.buffer(0).setInt(i, call.global("table").getInt((63 - i) & 15) + zero);
    }
  }

  private static void three(KernelCall call) {
    StandInBuffer x = call.buffer(0);
    for (long i = 0; i < call.longAt(1); i++) {
      x.setFloat(i, x.getFloat(i) * 3);
    }
  }

  private static void five(KernelCall call) {
    StandInBuffer x = call.buffer(0);
    for (long i = 0; i < call.longAt(1); i++) {
      x.setInt(i, x.getInt(i) * 5);
    }
  }

  /** Returns the kernels of known.hip for a processor. */
  static CodeObject codeObject(String processor) {
    String resource = "/dev/kcache/hip/standin/kernels/known-5.2-" + processor + ".co";
    try (InputStream in = Known.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalArgumentException("no resource " + resource);
      }
      return CodeObject.wrap(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a device of the stand-in current on this thread. */
  public static void makeCurrent(int ordinal) {
    int unused = new CurrentStandIn(ordinal).set();
  }
}
