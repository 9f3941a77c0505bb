// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.Toolchain.SourceFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The headers that stand in for HIP's where nvcc compiles. HIP's own follow certain releases of
 * CUDA (those of HIP 5.2 give 38 errors with CUDA 13.0), and are there only where HIP is installed.
 *
 * <p>A header of HIP's that has no counterpart says so when it is included; otherwise the one for
 * AMD would be found in the system's directories.
 */
final class HipHeaders {
  private static final List<String> PRESENT =
      List.of(
          "device_functions",
          "hip_bf16",
          "hip_bfloat16",
          "hip_cooperative_groups",
          "hip_fp16",
          "hip_runtime",
          "hip_vector_types",
          "math_functions");

  /** The other public headers of HIP 5.2 to 7.2. */
  private static final List<String> ABSENT =
      List.of(
          "channel_descriptor",
          "driver_types",
          "hip_common",
          "hip_complex",
          "hip_deprecated",
          "hip_ext",
          "hip_ext_ocp",
          "hip_fp4",
          "hip_fp6",
          "hip_fp8",
          "hip_gl_interop",
          "hip_hcc",
          "hip_math_constants",
          "hip_profile",
          "hip_runtime_api",
          "hip_texture_types",
          "hip_version",
          "hiprtc",
          "library_types",
          "surface_types",
          "texture_types");

  private static final List<SourceFile> ALL = load();

  private HipHeaders() {}

  /** Returns the headers, by the names that an include directive gives them. */
  static List<SourceFile> all() {
    return ALL;
  }

  private static List<SourceFile> load() {
    List<SourceFile> headers = new ArrayList<>();
    for (String name : PRESENT) {
      headers.add(new SourceFile(path(name), ByteBuffer.wrap(resource("nvidia/" + path(name)))));
    }
    for (String name : ABSENT) {
      String text =
          "#error %s: kcache has no counterpart of it for NVIDIA; include it only where __HIP_PLATFORM_AMD__ is defined\n"
              .formatted(path(name));
      headers.add(new SourceFile(path(name), UTF_8.encode(text)));
    }
    return List.copyOf(headers);
  }

  private static String path(String name) {
    return "hip/" + name + ".h";
  }

  private static byte[] resource(String name) {
    try (InputStream in = HipHeaders.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new AssertionError("not in the jar: " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
