// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.Toolchain.SourceFile;
import java.util.ArrayList;
import java.util.List;

/** The headers that a source names and hiprtc has built in, or has not and gets from here. */
final class StandInHeaders {
  /** What hiprtc knows without them. */
  private static final List<String> BUILT_IN =
      List.of(
          "device_functions",
          "hip_common",
          "hip_complex",
          "hip_fp16",
          "hip_runtime",
          "hip_runtime_api",
          "hip_vector_types",
          "hip_version",
          "math_functions");

  private StandInHeaders() {}

  /** Returns them by the names that an include directive gives them. */
  static List<SourceFile> all() {
    List<SourceFile> headers = new ArrayList<>();
    for (String name : BUILT_IN) {
      headers.add(new SourceFile("hip/" + name + ".h", UTF_8.encode("#pragma once\n")));
    }
    return List.copyOf(headers);
  }
}
