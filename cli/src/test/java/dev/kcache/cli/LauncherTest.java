// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher of a checkout of nothing but names, with a Maven that records what it is asked. */
class LauncherTest {
  private static final Path LAUNCHER = Path.of("bin/kcache").toAbsolutePath();

  private static final String MVN =
      """
      echo "$*" >> "$(dirname "$0")/../mvn.log"
      printf '\\033[1mMaven speaks\\033[0m\\n'
      [ -e "$(dirname "$0")/../mvn.fails" ] && { echo '[ERROR] no compiler'; exit 1; }
      for argument; do
        case $argument in -Dkcache.dist=*) bin=${argument#*=}/kcache/kcache-1.0/bin ;; esac
      done
      mkdir -p "$bin" && cp "$(dirname "$0")/../command" "$bin/kcache"
      """;

  private static final String COMMAND =
      """
      printf '[%s]' "$0" "$PATH" "$@"
      """;

  @TempDir private Path directory;
  private Path checkout;
  private Path launcher;

  @BeforeEach
  void createCheckout() throws IOException {
    checkout = directory.resolve("a checkout");
    launcher = checkout.resolve("cli/bin/kcache");
    Files.createDirectories(launcher.getParent());
    Files.copy(LAUNCHER, launcher, StandardCopyOption.COPY_ATTRIBUTES);
    source("pom.xml");
    source("cli/pom.xml");
    source("cache/src/main/java/Some.java");
    source(".mvn/jvm.config");
    Programs.script(directory.resolve("bin/mvn"), MVN);
    Programs.script(directory.resolve("command"), COMMAND);
  }

  @Test
  void firstStart_buildsAndRuns() throws Exception {
    Run run = launch(launcher, "prewarm", "a b", "*");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .startsWith("[" + checkout + "/cli/target/build.")
        .endsWith("[" + directory.resolve("bin") + ":/usr/bin:/bin][prewarm][a b][*]");
    assertThat(run.err()).isEqualTo("kcache: building, which takes a minute the first time\n");
    assertThat(builds()).singleElement().asString().contains("-Dmaven.test.skip=true", "package");
  }

  /** mktemp makes a directory that is its owner's alone, whatever the umask says. */
  @Test
  void build_canBeRunByWhomTheUmaskLets() throws Exception {
    launch(launcher);

    Path build = Path.of(Files.readString(checkout.resolve("cli/target/newest")).strip());
    assertThat(Files.getPosixFilePermissions(build))
        .isEqualTo(Files.getPosixFilePermissions(build.resolve("kcache")));
  }

  @Test
  void secondStart_buildsNothing() throws Exception {
    launch(launcher);

    Run run = launch(launcher, "list");

    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(builds()).hasSize(1);
  }

  @Test
  void changedSource_isBuiltBesideWhatMayBeRunning() throws Exception {
    String first = launch(launcher).out();
    touch("cache/src/main/java/Some.java");

    String second = launch(launcher).out();

    assertThat(builds()).hasSize(2);
    assertThat(second).isNotEqualTo(first);
    assertThat(Path.of(first.substring(1, first.indexOf(']')))).isExecutable();
  }

  @Test
  void removedSource_isBuiltAgain() throws Exception {
    launch(launcher);
    Files.delete(checkout.resolve("cache/src/main/java/Some.java"));
    touch("cache/src/main/java");

    launch(launcher);

    assertThat(builds()).hasSize(2);
  }

  @Test
  void oldBuilds_areRemoved() throws Exception {
    for (int i = 0; i < 4; i++) {
      touch("pom.xml");
      launch(launcher);
      Files.setLastModifiedTime(
          checkout.resolve("cli/target/newest"), FileTime.from(Instant.EPOCH));
    }

    assertThat(builds()).hasSize(4);
    try (var files = Files.list(checkout.resolve("cli/target"))) {
      assertThat(files.filter(Files::isDirectory)).hasSize(2);
    }
  }

  @Test
  void severalAtOnce_buildOnce() throws Exception {
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      processes.add(builder(launcher, "list").start());
    }

    for (Process process : processes) {
      assertThat(Programs.end(process).exitCode()).isZero();
    }
    assertThat(builds()).hasSize(1);
  }

  @Test
  void link_leadsToTheCheckout() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("kcache"), Path.of("other"));
    Files.createSymbolicLink(directory.resolve("other"), launcher);

    assertThat(launch(link, "list").out()).endsWith("[list]");
  }

  @Test
  void failedBuild_isToldAndLeavesNothing() throws Exception {
    Files.createFile(directory.resolve("mvn.fails"));

    Run run = launch(launcher, "list");

    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines().skip(1))
        .containsExactly(
            "Maven speaks",
            "[ERROR] no compiler",
            "kcache: the build failed, Maven's messages are above;"
                + " KCACHE_MAVEN_ARGS passes more arguments to it");
    Files.delete(directory.resolve("mvn.fails"));
    assertThat(launch(launcher, "list").exitCode()).isZero();
  }

  @Test
  void mavenArguments_arePassedOn() throws Exception {
    ProcessBuilder builder = builder(launcher);
    builder.environment().put("KCACHE_MAVEN_ARGS", "-o -Dmaven.repo.local=repo");

    Programs.run(builder);

    assertThat(builds()).singleElement().asString().contains(" -o -Dmaven.repo.local=repo ");
  }

  private Run launch(Path program, String... arguments) throws Exception {
    return Programs.run(builder(program, arguments));
  }

  private ProcessBuilder builder(Path program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    Map<String, String> environment = Map.of("PATH", directory.resolve("bin") + ":/usr/bin:/bin");
    return Programs.builder(directory, environment, command);
  }

  private List<String> builds() throws IOException {
    return Files.readAllLines(directory.resolve("mvn.log"));
  }

  private void source(String name) throws IOException {
    Path file = checkout.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, name);
  }

  /** Makes a file, or a directory, newer than anything that is there. */
  private void touch(String name) throws IOException {
    Files.setLastModifiedTime(checkout.resolve(name), FileTime.from(Instant.now().plusSeconds(60)));
  }
}
