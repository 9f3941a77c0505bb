// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The files of LLVM on one platform, listed by {@code scripts/llvm-manifest} for exactly the
 * version in the build, so that no other version is accepted.
 *
 * @param platform the classifier, such as {@code linux-x86_64}
 * @param files all files
 */
record PinnedFiles(String platform, List<PinnedFile> files) {
  /**
   * One file.
   *
   * @param digest of the content
   * @param size in bytes
   * @param isProgram whether it is executable
   * @param path its path, relative to LLVM's directory
   * @param resource its name on the class path
   */
  record PinnedFile(Digest digest, long size, boolean isProgram, String path, String resource) {}

  PinnedFiles {
    files = List.copyOf(files);
  }

  /** Returns the files for a platform; empty if LLVM does not support it. */
  static Optional<PinnedFiles> of(String platform) {
    return resource(platform + ".files").map(text -> parse(platform, text));
  }

  /** Returns the names of the processors, as {@code clang -print-supported-cpus} prints them. */
  static Set<String> processors(Platform platform) {
    return resource((platform == Platform.AMD ? "amdgcn" : "nvptx64") + ".processors").stream()
        .flatMap(String::lines)
        .collect(Collectors.toSet());
  }

  private static Optional<String> resource(String name) {
    try (InputStream in = PinnedFiles.class.getResourceAsStream(name)) {
      return in == null ? Optional.empty() : Optional.of(new String(in.readAllBytes(), US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static PinnedFiles parse(String platform, String text) {
    return new PinnedFiles(platform, text.lines().map(line -> file(platform, line)).toList());
  }

  private static PinnedFile file(String platform, String line) {
    String[] words = line.split(" ", 5);
    return new PinnedFile(
        Digest.parse(words[0]),
        Long.parseLong(words[1]),
        words[2].equals("x"),
        words[3],
        "org/bytedeco/llvm/" + platform + "/" + words[4]);
  }

  /** Returns clang, as the only name that a platform has for it. */
  PinnedFile clang() {
    return files.stream()
        .filter(file -> file.isProgram() && file.path().matches("bin/clang(\\.exe)?"))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the digest of the names and contents of all files. */
  Digest digest() {
    Digest.Builder digest = Digest.builder().text(platform);
    for (PinnedFile file : files) {
      digest.text(file.path()).text(file.digest().toString());
    }
    return digest.build();
  }
}
