// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import com.sun.jna.Native;
import java.nio.file.Path;
import java.util.List;

/**
 * The program that loads hiprtc, in a process of its own, so that a crash of the compiler ends no
 * other. Its class path has this class and JNA, and nothing else.
 *
 * <p>It runs in a staging directory. {@code describe LIBRARY} prints lines of words separated by
 * tabs to standard output: {@code version V}, the version of HIP that it belongs to; {@code library
 * PATH} for each library that decides what it makes; {@code processor NAME} for each that it
 * compiles for; {@code candidate NAME} for each that it may compile for, which takes a compile to
 * tell; {@code identifier TEXT}, what else tells it from others, if there is something. {@code try
 * LIBRARY NAMES...} prints {@code processor NAME} for those of the candidates that it compiles for.
 * {@code compile LIBRARY CODE DEPENDENCIES HEADERS FILE DIRECTORIES... -- OPTIONS...} compiles a
 * file, writes the code object and, in the form of make, the files that were read beside its own
 * temporary ones. All end with 0, or with another code and the reason on standard error, where the
 * compiler's log goes too.
 */
final class HiprtcWorker {
  private HiprtcWorker() {}

  /** The exit code for a fault of the machine, not of the library. */
  static final int NO_PROGRAM = 3;

  /** Ends with 0, or with 1 or 3 and the reason on standard error. */
  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments)));
  }

  private static int run(List<String> arguments) {
    try {
      // JNA has a library of its own, which it unpacks when it is first used.
      var unused = Native.POINTER_SIZE;
    } catch (LinkageError e) {
      System.err.println("error: " + withoutJna(e));
      return NO_PROGRAM;
    }
    try {
      List<String> rest = arguments.subList(2, arguments.size());
      LoadedHiprtc hiprtc = LoadedHiprtc.load(arguments.get(1));
      return switch (arguments.get(0)) {
        case "describe" -> new Describing(hiprtc).run(System.out);
        case "try" -> new Describing(hiprtc).tryOut(rest, System.out);
        default -> Compiling.of(hiprtc, rest).run(System.err);
      };
    } catch (Exception | LinkageError e) {
      System.err.println("error: " + reason(e));
      return 1;
    }
  }

  /**
   * Java puts the file's name before what the system says, twice. A relative directory is one in
   * that of this process, which is gone when the user reads this: what remains is the parent.
   */
  private static String withoutJna(LinkageError problem) {
    String text = reason(problem);
    Path directory = Path.of(System.getProperty("jna.tmpdir"));
    if (!directory.isAbsolute()) {
      directory = Path.of("../..").toAbsolutePath().normalize();
    }
    return "JNA, which loads it, can't load its own library from %s (%s), which is perhaps mounted noexec; set TMPDIR, or jna.tmpdir for Java, to a directory whose files may be executed"
        .formatted(
            directory, text.substring(text.lastIndexOf(": ") < 0 ? 0 : text.lastIndexOf(": ") + 2));
  }

  /** Where a library can't be loaded, JNA tells the reason below a line of its own. */
  private static String reason(Throwable problem) {
    return String.valueOf(problem.getMessage())
        .lines()
        .map(String::strip)
        .filter(line -> !line.startsWith("Unable to load library") && !line.isEmpty())
        .findFirst()
        .orElse(problem.toString());
  }
}
