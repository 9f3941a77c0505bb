// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/**
 * Starts {@link FleetMain} many times on few cores: the processes are small, and share an archive
 * of their classes. Java makes one of jars alone.
 */
final class FleetJava {
  private final String classPath;
  private final Path archive;

  /** Makes the archive in a directory, by a process that runs to its end. */
  FleetJava(Path directory, List<String> arguments) throws IOException {
    List<String> jars = new ArrayList<>();
    for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      jars.add(
          Files.isDirectory(Path.of(element))
              ? jar(element, directory.resolve("classes" + jars.size() + ".jar"))
              : element);
    }
    classPath = String.join(File.pathSeparator, jars);
    archive = directory.resolve("classes.jsa");
    List<String> command = command("-XX:ArchiveClassesAtExit=" + archive, arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (!Files.exists(archive)) {
      throw new IOException(output);
    }
  }

  private static String jar(String classes, Path jar) throws IOException {
    String[] arguments = {"--create", "--file", jar.toString(), "-C", classes, "."};
    if (ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.err, arguments) != 0) {
      throw new IOException("no jar of " + classes);
    }
    return jar.toString();
  }

  /** Returns what runs a process of the fleet. */
  List<String> command(List<String> arguments) {
    return command("-XX:SharedArchiveFile=" + archive, arguments);
  }

  private List<String> command(String option, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx40m", "-Xss256k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-XX:CICompilerCount=1", option, "-cp", classPath));
    command.add(FleetMain.class.getName());
    command.addAll(arguments);
    return command;
  }
}
