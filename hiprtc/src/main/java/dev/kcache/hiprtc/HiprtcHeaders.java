// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.driver.HeaderSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * The headers that sources include: hiprtc has their content built in, or lacks them and gets them
 * from here.
 */
final class HiprtcHeaders {
  /**
   * The headers of HIP whose device code a new enough hiprtc has built in; the rest of them is for
   * the host.
   */
  private static final List<String> BUILT_IN =
      List.of(
          "channel_descriptor",
          "device_functions",
          "driver_types",
          "hip_bfloat16",
          "hip_common",
          "hip_complex",
          "hip_cooperative_groups",
          "hip_deprecated",
          "hip_ext",
          "hip_fp16",
          "hip_gl_interop",
          "hip_hcc",
          "hip_profile",
          "hip_runtime_api",
          "hip_texture_types",
          "hip_vector_types",
          "hip_version",
          "hiprtc",
          "library_types",
          "math_functions",
          "surface_types",
          "texture_types");

  private static final String RUNTIME = "#pragma once\n\n#include <hip/hip_runtime.h>\n";

  private static final List<String> RESOURCES =
      List.of(
          "float.h",
          "hip/hip_runtime.h",
          "iso646.h",
          "kcache/language.h",
          "kcache/math.h",
          "limits.h",
          "stdalign.h",
          "stdarg.h",
          "stdbool.h",
          "stddef.h",
          "stdint.h",
          "stdnoreturn.h",
          "string.h",
          "type_traits");

  private HiprtcHeaders() {}

  /** Returns the headers by the names in include directives. */
  static List<SourceFile> all() {
    return Headers.ALL;
  }

  /** Read when they are asked for. */
  private static final class Headers {
    static final List<SourceFile> ALL =
        Stream.of(
                HeaderSet.standard(),
                BUILT_IN.stream()
                    .map(name -> new SourceFile("hip/" + name + ".h", UTF_8.encode(RUNTIME)))
                    .toList(),
                HeaderSet.read(HiprtcHeaders.class::getResourceAsStream, "", RESOURCES))
            .flatMap(List::stream)
            .toList();
  }
}
