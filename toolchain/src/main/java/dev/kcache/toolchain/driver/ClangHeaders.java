// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.util.List;
import java.util.stream.Stream;

/** The headers that stand in for HIP's and the C++ library's where clang compiles without ROCm. */
final class ClangHeaders {
  /** The one that a source of HIP's has without an include directive. */
  static final String LANGUAGE = "kcache/language.h";

  /** What HIP's headers are made of, and what else of the C++ library's hiprtc has of its own. */
  private static final List<String> PARTS =
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

  static final List<SourceFile> ALL =
      Stream.concat(
              HeaderSet.hip(
                  ClangHeaders.class::getResourceAsStream,
                  "clang/",
                  PARTS,
                  List.of("hip_common", "hip_complex", "hip_math_constants", "hip_version"),
                  "without ROCm; compile with hipcc")
                  .stream(),
              HeaderSet.standard().stream())
          .toList();

  /** The digest of their names and contents; each request has it. */
  static final Digest DIGEST = HeaderSet.digest(ALL);

  private ClangHeaders() {}
}
