// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.Unpacked;
import dev.kcache.toolchain.driver.HeaderSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The headers that replace those of HIP and the C++ library when clang compiles without ROCm. */
final class ClangHeaders {
  /** The header that every HIP source gets without an include directive. */
  static final String LANGUAGE = "kcache/language.h";

  /** The parts of HIP's headers, and those of the C++ library that hiprtc has built in. */
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

  /** The digest of their names and contents, which every request needs. */
  static final Digest DIGEST = HeaderSet.digest(ALL);

  private ClangHeaders() {}

  /**
   * Returns the directory of the headers, which is filled if it is missing or incomplete.
   *
   * @param parent a directory that only this user can write
   * @throws IOException if they can't be written
   */
  static Path install(Path parent) throws IOException {
    return Unpacked.in(
        parent,
        "headers-" + DIGEST.toString().substring(0, 16),
        directory -> ALL.stream().allMatch(header -> isThere(directory, header)),
        directory -> {
          for (SourceFile header : ALL) {
            Path file = directory.resolve(header.path());
            Files.createDirectories(file.getParent());
            byte[] content = new byte[header.content().remaining()];
            header.content().duplicate().get(content);
            Files.write(file, content);
          }
        });
  }

  private static boolean isThere(Path directory, SourceFile header) {
    return directory.resolve(header.path()).toFile().length() == header.content().remaining();
  }
}
