// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.codeobject.Processor;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.RocmFinder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * ROCm's installed device library: LLVM bitcode of {@code printf} and of the mathematical functions
 * that processors lack. It may be installed without a compiler (Debian's rocm-device-libs).
 *
 * @param directory the directory of its files
 */
record DeviceLibrary(Path directory) {
  /** The text of our headers' errors where the library is needed: see {@code kcache/language.h}. */
  private static final String WANTED = "needs ROCm's device library";

  /** The linker's error if a source declares a function of the library itself. */
  private static final Pattern UNDEFINED =
      Pattern.compile("undefined (?:\\w{1,20} )?symbol: (__oc(?:ml|kl|lc)_\\w{1,200})");

  private static final String FOR_PROCESSOR = "oclc_isa_version_";

  /**
   * Finds the library: only in {@code HIP_DEVICE_LIB_PATH} or {@code DEVICE_LIB_PATH}, the
   * variables of clang and hipcc, if one is set; else in the ROCm that {@link RocmFinder} finds.
   *
   * @param root the root of the file system, below which the usual places are
   */
  static Optional<DeviceLibrary> find(Environment variables, Path root) {
    Optional<Path> named =
        variables.path("HIP_DEVICE_LIB_PATH").or(() -> variables.path("DEVICE_LIB_PATH"));
    Optional<Path> directory =
        named.isPresent()
            ? named.filter(path -> Files.isRegularFile(path.resolve("ocml.bc")))
            : RocmFinder.of(variables, root).deviceLibrary();
    return directory.map(DeviceLibrary::new);
  }

  /** Returns whether a compile failed because the library was missing. */
  static boolean isWantedBy(String log) {
    return log.contains(WANTED) || undefined(log).isPresent();
  }

  /** Returns the first function of the library that the linker did not find. */
  static Optional<String> undefined(String log) {
    Matcher undefined = UNDEFINED.matcher(log);
    return undefined.find() ? Optional.of(undefined.group(1)) : Optional.empty();
  }

  /** Returns whether it has the files to link for a processor. */
  boolean isFor(Processor processor) {
    return Files.isRegularFile(directory.resolve(forProcessor(processor)));
  }

  /** Returns the files that a compile for a processor may read. */
  List<Path> files(Processor processor) {
    List<Path> files = new ArrayList<>();
    for (Path file : matching(directory, "*.bc")) {
      String name = file.getFileName().toString();
      if (!name.startsWith(FOR_PROCESSOR) || name.equals(forProcessor(processor))) {
        files.add(file);
      }
    }
    return files;
  }

  private static String forProcessor(Processor processor) {
    return FOR_PROCESSOR + processor.toString().substring("gfx".length()) + ".bc";
  }

  /** Returns the children of a directory, the last name first; none if it can't be listed. */
  private static List<Path> matching(Path directory, String glob) {
    List<Path> matching = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, glob)) {
        found.forEach(matching::add);
      } catch (IOException e) {
        return List.of();
      }
    }
    matching.sort(Collections.reverseOrder());
    return matching;
  }
}
