// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import java.util.List;

/**
 * The program that loads hiprtc, in a process of its own. It is given the class path of this class
 * and of JNA, and nothing else.
 */
final class HiprtcWorker {
  private HiprtcWorker() {}

  /** Ends with 0, or with 1 and the reason on standard error. */
  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments)));
  }

  private static int run(List<String> arguments) {
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
