// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a checkout of nothing but names, with a Maven and a Java that only record. */
class LauncherTest {
  private static final Path LAUNCHER = Path.of("bin/kcache").toAbsolutePath();

  // What the launcher needs besides Java and Maven; not flock.
  private static final List<String> TOOLS =
      List.of(
          "cat", "date", "env", "find", "mkdir", "mv", "readlink", "rm", "sed", "sleep", "touch");

  private static final String MVN =
      """
      #!/bin/sh
      echo "$*" >> "$(dirname "$0")/../mvn.log"
      [ -e "$(dirname "$0")/../mvn.fails" ] && { echo '[ERROR] no compiler'; exit 1; }
      for argument; do
        case $argument in -Dkcache.app=*) app=${argument#*=} ;; esac
      done
      mkdir -p "$app" && touch "$app/kcache.jar"
      echo 'Maven speaks'
      """;

  private static final String JAVA =
      """
      #!/bin/sh
      printf '[%s]' "$@"
      """;

  // Makes what it is asked to, too.
  private static final String ARCHIVING_JAVA =
      """
      #!/bin/sh
      for argument; do
        case $1$argument in
          -Xshare:dump-XX:SharedArchiveFile=* | *-XX:AOTCacheOutput=*)
            echo classes > "${argument#*=}" ;;
        esac
      done
      printf '[%s]' "$@"
      """;

  @TempDir private Path directory;
  private Path checkout;
  private Path launcher;

  private record Run(int exitCode, String out, String err) {}

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
    program("bin/mvn", MVN);
    program("jdk/bin/java", JAVA);
    // A Java that is none learns nothing from waiting.
    program("bin/sleep", "#!/bin/sh\n");
    Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"17.0.15\"\n");
    Files.createSymbolicLink(directory.resolve("bin/java"), directory.resolve("jdk/bin/java"));
  }

  @Test
  void firstStart_buildsAndRuns() throws Exception {
    Run run = launch(launcher, "prewarm", "a b", "*");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).endsWith("[dev.kcache.cli.Main][prewarm][a b][*]");
    assertThat(run.out()).contains("[-cp][" + checkout + "/cli/target/app-");
    assertThat(run.err())
        .isEqualTo(
            """
            kcache: building, which takes a minute the first time
            Maven speaks
            kcache: learning to start fast with Java 17.0.15, once
            """);
    assertThat(builds()).singleElement().asString().contains("-Dmaven.test.skip=true", "package");
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
    Path before = Path.of(first.replaceFirst(".*\\[-cp]\\[([^]]*)].*", "$1"));
    assertThat(before).hasFileName("kcache.jar").exists();
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
          checkout.resolve("cli/target/kcache-app"), FileTime.from(Instant.EPOCH));
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
      processes.add(start(launcher, "list"));
    }

    for (Process process : processes) {
      assertThat(end(process).exitCode()).isZero();
    }
    assertThat(builds()).hasSize(1);
  }

  @Test
  void severalAtOnce_buildOnceWithoutFlock() throws Exception {
    for (String tool : TOOLS) {
      program("bin/" + tool, "#!/bin/sh\nPATH=/usr/bin:/bin exec " + tool + " \"$@\"\n");
    }
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ProcessBuilder builder = builder(launcher);
      builder.environment().put("PATH", directory.resolve("bin").toString());
      processes.add(builder.start());
    }

    for (Process process : processes) {
      assertThat(end(process).exitCode()).isZero();
    }
    assertThat(builds()).hasSize(1);
  }

  @Test
  void link_leadsToTheCheckout() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("kcache"), Path.of("other"));
    Files.createSymbolicLink(directory.resolve("other"), launcher);

    assertThat(launch(link, "list").out()).endsWith("[dev.kcache.cli.Main][list]");
  }

  @Test
  void failedBuild_isToldAndLeavesNothing() throws Exception {
    Files.createFile(directory.resolve("mvn.fails"));

    Run run = launch(launcher, "list");

    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines().skip(1))
        .containsExactly(
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

    end(builder.start());

    assertThat(builds()).singleElement().asString().contains(" -o -Dmaven.repo.local=repo ");
  }

  @Test
  void oldJava_isRefusedByName() throws Exception {
    Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"1.8.0_402\"\n");

    Run run = launch(launcher, "list");

    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.err())
        .isEqualTo(
            "kcache: '"
                + directory.resolve("bin/java")
                + "' is Java 8; kcache needs 17 or newer, set JAVA_HOME\n");
    assertThat(directory.resolve("mvn.log")).doesNotExist();
  }

  @Test
  void javaHome_goesBeforeThePath() throws Exception {
    program("other/bin/java", "#!/bin/sh\necho other\n");
    Files.writeString(directory.resolve("other/release"), "JAVA_VERSION=\"25\"\n");
    ProcessBuilder builder = builder(launcher);
    builder.environment().put("JAVA_HOME", directory.resolve("other").toString());

    assertThat(end(builder.start()).out()).isEqualTo("other\n");
  }

  @Test
  void missingJavaHome_isRefused() throws Exception {
    ProcessBuilder builder = builder(launcher);
    builder.environment().put("JAVA_HOME", "/nowhere");

    Run run = end(builder.start());

    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.err())
        .isEqualTo(
            "kcache: JAVA_HOME is '/nowhere', which has no bin/java; set it to a JDK 17 or newer\n");
  }

  @Test
  void pipe_isNoTerminal() throws Exception {
    assertThat(launch(launcher).out()).contains("[-Dkcache.columns=0]");
  }

  @Test
  void archive_isMadeOnceAndUsed() throws Exception {
    program("jdk/bin/java", ARCHIVING_JAVA);

    String first = launch(launcher, "list").out();
    Run second = launch(launcher, "list");

    assertThat(first).contains("[-XX:SharedArchiveFile=" + checkout + "/cli/target/app-");
    assertThat(second.out()).isEqualTo(first);
    assertThat(second.err()).isEmpty();
    assertThat(archives()).singleElement().asString().contains("17.0.15").endsWith(".archive");
  }

  @Test
  void archiveThatCouldNotBeMade_isNotTriedAgain() throws Exception {
    launch(launcher, "list");

    Run second = launch(launcher, "list");

    assertThat(second.out()).doesNotContain("Archive").endsWith("[list]");
    assertThat(second.err()).isEmpty();
    assertThat(archives()).singleElement().satisfies(archive -> assertThat(archive).isEmptyFile());
  }

  @Test
  void otherJava_getsAnArchiveOfItsOwn() throws Exception {
    program("jdk/bin/java", ARCHIVING_JAVA);
    launch(launcher);
    program("other/bin/java", ARCHIVING_JAVA);
    Files.writeString(directory.resolve("other/release"), "JAVA_VERSION=\"25\"\n");
    ProcessBuilder builder = builder(launcher, "list");
    builder.environment().put("JAVA_HOME", directory.resolve("other").toString());

    Run run = end(builder.start());

    assertThat(run.err()).isEqualTo("kcache: learning to start fast with Java 25, once\n");
    assertThat(run.out()).contains("[-XX:AOTCache=" + checkout + "/cli/target/app-");
    assertThat(archives()).hasSize(2);
    assertThat(builds()).hasSize(1);
  }

  @Test
  void archiveOfTheCallers_goesFirst() throws Exception {
    program("jdk/bin/java", ARCHIVING_JAVA);
    ProcessBuilder builder = builder(launcher, "list");
    builder.environment().put("KCACHE_JAVA_OPTS", "-Xshare:off");

    assertThat(end(builder.start()).out()).contains("[-Xshare:off]").doesNotContain("Archive");
  }

  @Test
  void compilersOfJava_areAllThereToReadAnUnknownCompiler() throws Exception {
    Path cache = Files.createDirectory(directory.resolve("a cache"));
    ProcessBuilder builder = builder(launcher, "prewarm");
    builder.environment().put("KCACHE_DIR", cache.toString());
    assertThat(end(builder.start()).out()).contains("[-XX:Tier4").doesNotContain("TieredStop");

    Files.createDirectory(cache.resolve("memo"));

    assertThat(end(builder.start()).out()).contains("[-XX:TieredStopAtLevel=1]");
  }

  @Test
  void jars_areInOneOrder() throws Exception {
    program("bin/mvn", MVN.replace("kcache.jar\"", "kcache.jar\" \"$app/b.jar\" \"$app/a.jar\""));

    assertThat(launch(launcher).out())
        .containsPattern("\\[-cp]\\[[^:]*/a\\.jar:[^:]*/b\\.jar:[^:]*/kcache\\.jar]");
  }

  private List<Path> archives() throws IOException {
    try (var files = Files.walk(checkout.resolve("cli/target"))) {
      return files.filter(file -> file.toString().endsWith(".archive")).toList();
    }
  }

  private Run launch(Path program, String... arguments) throws Exception {
    return end(start(program, arguments));
  }

  private Process start(Path program, String... arguments) throws IOException {
    return builder(program, arguments).start();
  }

  // Neither HOME nor anything else of the caller's environment.
  private ProcessBuilder builder(Path program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", directory.resolve("bin") + ":/usr/bin:/bin");
    return builder;
  }

  private static Run end(Process process) throws Exception {
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(60, SECONDS)).isTrue();
    return new Run(process.exitValue(), out, err);
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

  private void program(String name, String script) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, script);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }
}
