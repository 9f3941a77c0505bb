// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import com.sun.jna.Native;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.File;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An installed hiprtc, and the command of the {@link HiprtcWorker} that loads it. */
final class HiprtcLibrary {
  static final String NAME = "hiprtc";

  /** Compilers are recursive, and the default of a megabyte is soon used up. */
  private static final String STACK = "-Xss64m";

  /** The first Java release that warns of native calls which were not allowed. */
  private static final int NATIVE_ACCESS = 22;

  /** The properties with the place of JNA's own library. */
  private static final List<String> JNA = List.of("jna.boot.library.path", "jna.nosys");

  private final Path file;
  private final Map<String, String> environment;

  HiprtcLibrary(Path file, Map<String, String> environment) {
    this.file = file;
    this.environment = Map.copyOf(environment);
  }

  /** Returns the absolute path of the library. */
  Path file() {
    return file;
  }

  /**
   * Returns the command that starts {@link HiprtcWorker}, without a verb.
   *
   * @throws ToolchainNotFoundException if it can't be run here
   */
  List<String> program() {
    List<String> words = new ArrayList<>();
    words.add(java().toString());
    // It runs for half a second, in which optimising costs more than it gains.
    words.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", STACK));
    words.addAll(List.of("-XX:-UsePerfData", "-XX:-CreateCoredumpOnCrash"));
    words.add("-XX:ErrorFile=../crash.log");
    words.addAll(List.of("-Djava.io.tmpdir=../tmp", "-Dfile.encoding=UTF-8"));
    String unpack = System.getProperty("jna.tmpdir");
    words.add("-Djna.tmpdir=" + (unpack == null ? "../tmp" : Path.of(unpack).toAbsolutePath()));
    for (String property : JNA) {
      String value = System.getProperty(property);
      if (value != null) {
        words.add("-D" + property + "=" + value);
      }
    }
    if (Runtime.version().feature() >= NATIVE_ACCESS) {
      words.add("--enable-native-access=ALL-UNNAMED");
    }
    words.addAll(
        List.of(
            "-cp",
            place(HiprtcWorker.class) + File.pathSeparator + place(Native.class),
            HiprtcWorker.class.getName()));
    return words;
  }

  private static Path java() {
    Path java = Path.of(System.getProperty("java.home", ""), "bin", "java");
    if (!Files.isExecutable(java)) {
      throw new ToolchainNotFoundException(
          "hiprtc can't be used: it runs in a Java process of its own, and there is no "
              + java
              + "; run with a Java runtime that has it");
    }
    return java;
  }

  /** Returns the jar or directory of a class. */
  private static Path place(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    @Nullable URL place = source == null ? null : source.getLocation();
    try {
      if (place != null && place.getProtocol().equals("file")) {
        return Path.of(place.toURI());
      }
    } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
      throw unreachable(type, place);
    }
    throw unreachable(type, place);
  }

  private static ToolchainNotFoundException unreachable(Class<?> type, @Nullable URL place) {
    return new ToolchainNotFoundException(
        "hiprtc can't be used: it runs in a Java process of its own, which can't have "
            + type.getName()
            + " from "
            + place
            + "; put kcache-hiprtc and JNA on the class path as jars of their own");
  }

  /**
   * Returns the worker's whole environment, without TMPDIR.
   *
   * <p>It hides the rest of ROCm, so that a result depends on the libraries alone, and turns off
   * AMD's own cache. Libraries that these need may be in the directory where they were found.
   */
  Map<String, String> environment() {
    Map<String, String> reduced = new TreeMap<>();
    for (String variable : List.of("ROCM_PATH", "HIP_PATH", "LLVM_PATH")) {
      reduced.put(variable, "/dev/null");
    }
    reduced.put("AMD_COMGR_CACHE", "0");
    // Otherwise Java could not name a file beyond ASCII, nor load JNA's library from its directory.
    reduced.put("LC_ALL", "C.UTF-8");
    StringBuilder directories = new StringBuilder(String.valueOf(file.getParent()));
    for (Path directory : new Environment(environment).listed("LD_LIBRARY_PATH")) {
      directories.append(':').append(directory);
    }
    reduced.put("LD_LIBRARY_PATH", directories.toString());
    return reduced;
  }
}
