// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files below a ROCm's root that tell its release, from which HIP's version may differ: ROCm
 * 10.0 has HIP 7.15. Distributions' packages have none.
 */
public final class ReleaseFiles {
  /** Their names. ROCm 10 for containers has only the second. */
  public static final List<String> NAMES = List.of(".info/version", "core/.info/version");

  /** As in {@code 6.1.0-82}: what follows the release is a build. */
  private static final Pattern RELEASE = Pattern.compile("(\\d{1,4}\\.\\d{1,4}(?:\\.\\d{1,9})?).*");

  private static final int LARGEST = 1 << 16;

  private ReleaseFiles() {}

  /**
   * {@return the release of the ROCm that a library belongs to, links followed}
   *
   * @param library the library's file
   */
  public static Optional<String> ofLibrary(Path library) {
    Path root = RocmRoot.ofLibrary(library);
    return NAMES.stream()
        .map(root::resolve)
        .flatMap(file -> text(file).stream())
        .flatMap(text -> release(text).stream())
        .findFirst();
  }

  /**
   * {@return what a file holds, up to 64 kB of it; empty if it can't be read}
   *
   * @param file may be missing
   */
  public static Optional<String> text(Path file) {
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try (InputStream content = Files.newInputStream(file)) {
      return Optional.of(new String(content.readNBytes(LARGEST), ISO_8859_1));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * {@return the release that a file's text tells}
   *
   * @param text of {@code .info/version} or a {@code rocm_version.h}
   */
  public static Optional<String> release(String text) {
    Matcher release = RELEASE.matcher(text.strip());
    return release.matches() ? Optional.of(release.group(1)) : Optional.empty();
  }
}
