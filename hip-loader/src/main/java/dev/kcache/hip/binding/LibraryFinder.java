// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Finds the HIP runtime library: which files and names to try, in which order. */
public final class LibraryFinder {
  private static final List<String> NAMES =
      List.of("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so");

  private LibraryFinder() {}

  /**
   * What a search gave.
   *
   * @param library the first usable library, if there is one
   * @param attempts each one that was tried before it, with what was wrong with it
   */
  public record Search(Optional<HipLibrary> library, List<String> attempts) {}

  /**
   * Loads the first library that can be loaded and that {@code usable} accepts.
   *
   * @param explicit the file or directory to look at, and nowhere else
   */
  public static Search search(
      Map<String, String> environment, Optional<Path> explicit, Predicate<HipLibrary> usable) {
    List<String> attempts = new ArrayList<>();
    for (String candidate : candidates(environment, explicit)) {
      try {
        HipLibrary library = HipLibrary.load(candidate);
        if (usable.test(library)) {
          return new Search(Optional.of(library), attempts);
        }
        attempts.add(candidate + ": too old");
      } catch (LinkageError e) {
        attempts.add(candidate + ": " + e.getMessage());
      }
    }
    return new Search(Optional.empty(), attempts);
  }

  private static List<String> candidates(Map<String, String> environment, Optional<Path> explicit) {
    Optional<Path> chosen =
        explicit.or(
            () ->
                Optional.ofNullable(environment.get("KCACHE_HIP_LIBRARY"))
                    .filter(value -> !value.isEmpty())
                    .map(Path::of));
    if (chosen.isEmpty()) {
      return NAMES;
    }
    Path path = chosen.get().toAbsolutePath();
    return Files.isDirectory(path)
        ? NAMES.stream().map(path::resolve).filter(Files::exists).map(Path::toString).toList()
        : List.of(path.toString());
  }
}
