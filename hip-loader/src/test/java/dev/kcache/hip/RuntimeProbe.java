// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Looks for the runtime in a process of its own. In the tests' own a library that was loaded before
 * is what the system's loader finds by its name.
 */
final class RuntimeProbe {
  private RuntimeProbe() {}

  /** Returns what {@link #main} prints, with the environment changed and options for Java. */
  static String run(Map<String, String> environment, String... options) {
    return run(RuntimeProbe.class, environment, List.of(options));
  }

  /** Runs a program in a Java that lives for seconds, and returns what it printed. */
  static String run(
      Class<?> main, Map<String, String> environment, List<String> options, String... arguments) {
    List<String> command = java();
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return CCompiler.run(command, environment);
  }

  /** Returns the beginning of a command for a Java that lives for seconds, as all of these do. */
  static List<String> java() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return new ArrayList<>(List.of(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
  }

  /** Prints the library, both versions and the devices; what is wrong, twice, if there is none. */
  public static void main(String[] arguments) {
    HipRuntime hip = HipRuntime.find();
    if (!hip.isAvailable()) {
      System.out.println(hip.unavailability().orElseThrow().getMessage());
      System.out.println(HipRuntime.find().unavailability().orElseThrow().getMessage());
      return;
    }
    System.out.println(hip.library());
    System.out.println(hip.version());
    System.out.println(hip.driverVersion());
    System.out.println(hip.devices());
    try {
      System.out.println(hip.device("0"));
    } catch (HipDeviceNotFoundException e) {
      System.out.println(e.getMessage());
    }
  }
}
