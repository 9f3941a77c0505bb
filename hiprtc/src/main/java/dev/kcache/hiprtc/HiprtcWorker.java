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
      return arguments.get(0).equals("describe")
          ? new Describing(hiprtc).run(System.out)
          : Compiling.of(hiprtc, rest).run(System.err);
    } catch (Exception | LinkageError e) {
      System.err.println("error: " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
      return 1;
    }
  }
}
