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
 * ROCm's device library as it is installed: LLVM bitcode of the mathematical functions that
 * processors do not have by themselves, and of {@code printf}. It comes without a compiler too
 * (Debian's rocm-device-libs).
 *
 * @param directory where the files are
 */
record DeviceLibrary(Path directory) {
  /** What a header of ours says where it would be needed: see {@code kcache/language.h}. */
  private static final String WANTED = "needs ROCm's device library";

  /** What the linker says where a source declares a function of the library by itself. */
  private static final Pattern UNDEFINED =
      Pattern.compile("undefined (?:\\w{1,20} )?symbol: (__oc(?:ml|kl|lc)_\\w{1,200})");

  private static final String FOR_PROCESSOR = "oclc_isa_version_";

  /**
   * Finds it: where {@code HIP_DEVICE_LIB_PATH} or {@code DEVICE_LIB_PATH} says, which are clang's
   * and hipcc's own variables, and nowhere else if one is set; else where {@link RocmFinder} finds
   * a ROCm that has it.
   *
   * @param root the root of the filesystem, below which the usual places are
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

  /** Returns whether a compile failed for want of it. */
  static boolean isWantedBy(String log) {
    return log.contains(WANTED) || undefined(log).isPresent();
  }

  /** Returns the first of its names that the linker did not find. */
  static Optional<String> undefined(String log) {
    Matcher undefined = UNDEFINED.matcher(log);
    return undefined.find() ? Optional.of(undefined.group(1)) : Optional.empty();
  }

  /** Returns whether it has what code for a processor is linked with. */
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

  /** Returns what is in a directory, the last name first; nothing if it can't be listed. */
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
