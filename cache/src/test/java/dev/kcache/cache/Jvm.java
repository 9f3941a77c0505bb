// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The Java that runs the tests, for processes of their own. */
public final class Jvm {
  private Jvm() {}

  /** Returns the command that runs a class's main method, soon rather than fast. */
  public static List<String> command(Class<?> main, List<String> options, String... arguments) {
    return command(System.getProperty("java.class.path"), main, options, arguments);
  }

  /** As {@link #command(Class, List, String...)}, with another class path. */
  static List<String> command(
      String classPath, Class<?> main, List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }
}
