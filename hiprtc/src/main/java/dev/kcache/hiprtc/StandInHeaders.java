// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.Toolchain.SourceFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The headers that a source names and hiprtc has built in, or lacks and gets from here. */
final class StandInHeaders {
  /** HIP's that hiprtc knows without them. */
  private static final List<String> BUILT_IN =
      List.of(
          "channel_descriptor",
          "device_functions",
          "driver_types",
          "hip_bfloat16",
          "hip_common",
          "hip_complex",
          "hip_cooperative_groups",
          "hip_fp16",
          "hip_runtime",
          "hip_runtime_api",
          "hip_vector_types",
          "hip_version",
          "math_functions");

  private static final List<String> RESOURCES =
      List.of(
          "float.h",
          "kcache/language.h",
          "kcache/math.h",
          "limits.h",
          "stddef.h",
          "stdint.h",
          "string.h",
          "type_traits");

  private StandInHeaders() {}

  /** Returns them by the names that an include directive gives them. */
  static List<SourceFile> all() {
    return Headers.ALL;
  }

  /** Read when they are asked for. */
  private static final class Headers {
    static final List<SourceFile> ALL = load();
  }

  private static List<SourceFile> load() {
    List<SourceFile> headers = new ArrayList<>();
    for (String name : BUILT_IN) {
      headers.add(new SourceFile("hip/" + name + ".h", UTF_8.encode("#pragma once\n")));
    }
    for (String name : RESOURCES) {
      headers.add(new SourceFile(name, ByteBuffer.wrap(resource(name))));
    }
    return List.copyOf(headers);
  }

  private static byte[] resource(String name) {
    try (InputStream in = StandInHeaders.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new AssertionError("not in the jar: " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
