// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A user that root can become, and Java processes that run as that user. */
final class OtherUser {
  /** Called {@code www-data}, as is its group, in every Debian and what descends from it. */
  static final int WITH_A_PRIVATE_GROUP = 33;

  private final Path programs;
  private final int uid;
  private final List<String> groups;
  private String umask = "022";

  /** What a process printed, by which it is judged. */
  record Run(List<String> out, String err) {}

  /**
   * Returns a user.
   *
   * @param programs a directory that everybody can read, for copies of the programs
   * @param gid the first group
   * @param more the other groups
   */
  OtherUser(Path programs, int uid, int gid, int... more) {
    this.programs = programs;
    this.uid = uid;
    List<String> all = new ArrayList<>(List.of("--regid", Integer.toString(gid)));
    if (more.length == 0) {
      all.add("--clear-groups");
    }
    for (int group : more) {
      all.addAll(List.of("--groups", Integer.toString(group)));
    }
    groups = List.copyOf(all);
  }

  OtherUser withUmask(String umask) {
    this.umask = umask;
    return this;
  }

  /** Runs a program with this environment and nothing else, and waits for its end. */
  Run run(Map<String, String> environment, Class<?> program, String... arguments) throws Exception {
    Path err = Files.createTempFile(programs, "err", "");
    Process process = start(environment, err, program, arguments);
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    String printed = Files.readString(err);
    assertThat(process.waitFor()).as(printed).isZero();
    return new Run(out.lines().toList(), printed);
  }

  /** Starts a program, whose standard error goes to a file. */
  Process start(Map<String, String> environment, Path err, Class<?> program, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>(List.of("setpriv", "--reuid", Integer.toString(uid)));
    command.addAll(groups);
    command.addAll(List.of("--", "/bin/sh", "-c", "umask " + umask + "; exec \"$@\"", "sh"));
    command.addAll(CopiedClasses.in(programs).java(program, arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder.start();
  }
}
