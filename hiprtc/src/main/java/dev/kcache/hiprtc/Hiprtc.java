// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import org.jspecify.annotations.Nullable;

/** The functions of {@code hip/hiprtc.h}, one to one. Each returns a {@code hiprtcResult}. */
interface Hiprtc extends Library {
  /** {@code HIPRTC_SUCCESS}. */
  int SUCCESS = 0;

  int hiprtcCreateProgram(
      PointerByReference program,
      String source,
      String name,
      int headerCount,
      String @Nullable [] headers,
      String @Nullable [] includeNames);

  int hiprtcDestroyProgram(PointerByReference program);

  int hiprtcCompileProgram(Pointer program, int optionCount, String[] options);

  int hiprtcGetProgramLogSize(Pointer program, LongByReference size);

  int hiprtcGetProgramLog(Pointer program, byte[] log);

  int hiprtcGetCodeSize(Pointer program, LongByReference size);

  int hiprtcGetCode(Pointer program, byte[] code);

  String hiprtcGetErrorString(int result);
}
