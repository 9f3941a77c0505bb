// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Real code objects of hip-loader's tests, and bodies of their kernels. */
final class Known {
  static final StandInKernel SAXPY =
      StandInKernel.perThread(
          (thread, call) -> {
            long i = thread.x();
            if (i < call.intAt(0)) {
              StandInBuffer y = call.buffer(3);
              y.setFloat(i, call.floatAt(1) * call.buffer(2).getFloat(i) + y.getFloat(i));
            }
          });

  private Known() {}

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
}
