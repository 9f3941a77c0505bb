// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The headers that stand in for HIP's where nvcc compiles, and for those and the C++ library's
 * where clang does without ROCm. HIP's own follow certain releases of CUDA (those of HIP 5.2 give
 * 38 errors with CUDA 13.0), and are there only where HIP is installed.
 *
 * <p>A header of HIP's that has no counterpart says so when it is included; otherwise the one for
 * AMD would be found in the system's directories.
 */
final class HipHeaders {
  /** The one that a source of HIP's has without an include directive. */
  static final String LANGUAGE = "kcache/language.h";

  /** HIP's headers that are here for each compiler. */
  private static final List<String> PRESENT =
      List.of(
          "device_functions",
          "hip_bf16",
          "hip_bfloat16",
          "hip_fp16",
          "hip_runtime",
          "hip_vector_types",
          "math_functions");

  /** What HIP's headers are made of, and what else of the C++ library's hiprtc has of its own. */
  private static final List<String> FOR_CLANG =
      List.of(
          LANGUAGE,
          "kcache/atomics.h",
          "kcache/bits.h",
          "kcache/conversions.h",
          "kcache/exponentials.h",
          "kcache/halves.h",
          "kcache/indices.h",
          "kcache/lanes.h",
          "kcache/library_math.h",
          "kcache/math.h",
          "kcache/packed.h",
          "kcache/promotions.h",
          "kcache/synchronization.h",
          "kcache/vector_types.h",
          "kcache/warp.h",
          "string.h",
          "type_traits");

  /** The part of the C++ library's that needs only a language, C's headers and functions. */
  private static final List<String> STANDARD =
      List.of(
          "algorithm",
          "array",
          "assert.h",
          "cassert",
          "cfloat",
          "cinttypes",
          "ciso646",
          "climits",
          "cmath",
          "cstdalign",
          "cstdarg",
          "cstdbool",
          "cstddef",
          "cstdint",
          "cstdio",
          "cstdlib",
          "cstring",
          "functional",
          "initializer_list",
          "inttypes.h",
          "limits",
          "math.h",
          "new",
          "stdio.h",
          "stdlib.h",
          "utility");

  private static final String COMMON = "kcache/hip_names.h";

  /** The other public headers of HIP 5.2 to 7.2. */
  private static final List<String> ABSENT =
      List.of(
          "channel_descriptor",
          "driver_types",
          "hip_common",
          "hip_complex",
          "hip_cooperative_groups",
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

  private HipHeaders() {}

  /** Returns those for nvcc, by the names that an include directive gives them. */
  static List<SourceFile> forNvcc() {
    return ForNvcc.ALL;
  }

  /** Returns those for clang, by the names that an include directive gives them. */
  static List<SourceFile> forClang() {
    return ForClang.ALL;
  }

  /**
   * Returns those of the C++ library's that stand upon headers of the compiler's: {@code
   * kcache/language.h} and {@code kcache/math.h}, {@code type_traits}, and C's.
   */
  static List<SourceFile> standard() {
    return Standard.ALL;
  }

  /** Returns the digest of the names and contents of those for clang; each request has it. */
  static Digest digestForClang() {
    return ForClang.DIGEST;
  }

  /** Returns the digest of the names and contents of headers. */
  static Digest digest(List<SourceFile> headers) {
    Digest.Builder digest = Digest.builder();
    for (SourceFile header : headers) {
      digest.text(header.path()).text(Digest.of(header.content()).toString());
    }
    return digest.build();
  }

  /** Read when they are asked for. */
  private static final class ForNvcc {
    static final List<SourceFile> ALL =
        load(
            "nvidia/",
            List.of("hip_cooperative_groups"),
            List.of(),
            "for NVIDIA; include it only where __HIP_PLATFORM_AMD__ is defined");
  }

  /** Read when they are asked for. */
  private static final class Standard {
    static final List<SourceFile> ALL =
        Stream.concat(
                STANDARD.stream().map(name -> read("clang/", name)), HostHeaders.all().stream())
            .toList();
  }

  /** Read when they are asked for. */
  private static final class ForClang {
    static final List<SourceFile> ALL =
        Stream.concat(
                load(
                    "clang/",
                    List.of("hip_common", "hip_complex", "hip_math_constants", "hip_version"),
                    FOR_CLANG,
                    "without ROCm; compile with hipcc")
                    .stream(),
                Standard.ALL.stream())
            .toList();
    static final Digest DIGEST = digest(ALL);
  }

  private static List<SourceFile> load(
      String directory, List<String> more, List<String> parts, String lacking) {
    List<SourceFile> headers = new ArrayList<>();
    headers.add(read("common/", COMMON));
    for (String part : parts) {
      headers.add(read(directory, part));
    }
    for (String name : PRESENT) {
      headers.add(read(directory, path(name)));
    }
    for (String name : more) {
      headers.add(read(directory, path(name)));
    }
    for (String name : ABSENT) {
      if (!more.contains(name)) {
        headers.add(absent(path(name), lacking));
      }
    }
    return List.copyOf(headers);
  }

  private static SourceFile read(String directory, String path) {
    return new SourceFile(path, ByteBuffer.wrap(resource(directory + path)));
  }

  private static SourceFile absent(String path, String lacking) {
    String text = "#error %s: kcache has no counterpart of it %s\n".formatted(path, lacking);
    return new SourceFile(path, UTF_8.encode(text));
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
