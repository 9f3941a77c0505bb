// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The distribution's launcher with a Java that only prints its arguments. */
class DistributionLauncherTest {
  private static final Path LAUNCHER = Path.of("src/main/dist/bin/kcache").toAbsolutePath();

  @TempDir private Path directory;
  private Path home;
  private Path launcher;

  @BeforeEach
  void createDistribution() throws IOException {
    home = directory.resolve("a kcache-1.0");
    launcher = home.resolve("bin/kcache");
    Files.createDirectories(launcher.getParent());
    Files.copy(LAUNCHER, launcher, StandardCopyOption.COPY_ATTRIBUTES);
    for (String jar : List.of("b", "a", "kcache-cli-1.0")) {
      write(home.resolve("lib/" + jar + ".jar"), "");
    }
    jdk("jdk", "17.0.15", "printf '[%s]' \"$@\"");
    Files.createDirectory(directory.resolve("bin"));
    Files.createSymbolicLink(directory.resolve("bin/java"), directory.resolve("jdk/bin/java"));
  }

  @Test
  void command_runsWithTheJarsInOneOrder() throws Exception {
    Run run = run(Map.of(), "prewarm", "a b", "*");

    String lib = home + "/lib/";
    assertThat(run)
        .isEqualTo(
            new Run(
                0,
                "[-Xlog:disable][-XX:+UseSerialGC][-XX:-UsePerfData][-XX:TieredStopAtLevel=1]"
                    + "[-XX:NewSize=8m][-Djna.platform.library.path=][-cp]["
                    + (lib + "a.jar:" + lib + "b.jar:" + lib + "kcache-cli-1.0.jar][")
                    + ("-Dkcache.llvm.fetch=" + home + "/bin/fetch-llvm]")
                    + "[dev.kcache.cli.Main][prewarm][a b][*]",
                ""));
  }

  @Test
  void link_leadsToTheDistribution() throws Exception {
    launcher = Files.createSymbolicLink(directory.resolve("kcache"), launcher);

    assertThat(run(Map.of(), "list").out()).contains(home + "/lib/a.jar").endsWith("[list]");
  }

  @Test
  void fetchOfLlvm_check_saysWhatAFetchWouldTake() throws Exception {
    Path fetch = home.resolve("bin/fetch-llvm");
    String script = Files.readString(LAUNCHER.resolveSibling("fetch-llvm"));
    write(
        fetch, script.replace("${llvm.version}", "1").replace("${dependency.plugin.version}", "1"));
    Path bin = Files.createDirectories(directory.resolve("maven"));

    assertThat(checkOfLlvm(bin))
        .isEqualTo(
            new Run(1, "", "Maven gets it and is not there either: install Maven 3.8 or newer\n"));
    Programs.script(bin.resolve("mvn"), "");
    assertThat(checkOfLlvm(bin))
        .isEqualTo(
            new Run(
                1,
                "",
                "Maven gets its 147 MB at the first compile, or now by '%s linux-x86_64'\n"
                    .formatted(fetch)));
    assertThat(home.resolve("llvm")).doesNotExist();
    write(home.resolve("llvm/llvm-1-linux-x86_64.jar"), "jar");
    assertThat(checkOfLlvm(bin)).isEqualTo(new Run(0, "", ""));
  }

  private Run checkOfLlvm(Path bin) throws Exception {
    List<String> command = List.of("/bin/sh", home + "/bin/fetch-llvm", "--check", "linux-x86_64");
    return Programs.run(Programs.builder(directory, Map.of("PATH", bin.toString()), command));
  }

  @Test
  void missingJars_areReported() throws Exception {
    Files.delete(home.resolve("lib/kcache-cli-1.0.jar"));

    assertRefused(
        run(Map.of(), "list"),
        "'" + home + "/lib' lacks the jars of kcache; unpack the distribution again");
  }

  @Test
  void oldJava_isRefusedByName() throws Exception {
    jdk("jdk", "1.8.0_402", "echo started");

    assertRefused(
        run(Map.of(), "list"),
        "'"
            + directory.resolve("bin/java")
            + "' is Java 8; kcache needs 17 or newer, set JAVA_HOME");
  }

  @Test
  void javaWithoutReleaseFile_isAsked() throws Exception {
    jdk("jdk", "17", "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2");
    Files.delete(directory.resolve("jdk/release"));

    assertThat(run(Map.of(), "list").err()).contains("is Java 11; kcache needs 17");
  }

  @Test
  void javaHome_goesBeforeThePath() throws Exception {
    Path other = jdk("other", "21", "echo other");

    assertThat(run(Map.of("JAVA_HOME", other.toString())).out()).isEqualTo("other\n");
  }

  @Test
  void missingJavaHome_isRefused() throws Exception {
    assertRefused(
        run(Map.of("JAVA_HOME", "/nowhere")),
        "JAVA_HOME is '/nowhere', which has no bin/java; set it to a JDK 17 or newer");
  }

  @Test
  void archive_isMadeByPrewarmFrom19On() throws Exception {
    Map<String, String> newer = Map.of("JAVA_HOME", printing("25.0.3").toString());
    String archive = "[-XX:SharedArchiveFile=" + home + "/lib/classes-25.0.3.jsa]";

    assertThat(run(newer, "list").out()).doesNotContain("Archive");
    assertThat(run(newer, "prewarm").out())
        .contains(
            archive, "[-XX:+AutoCreateSharedArchive]", "[--enable-native-access=ALL-UNNAMED]");
    write(home.resolve("lib/classes-25.0.3.jsa"), "classes");
    assertThat(run(newer, "list").out()).contains(archive).doesNotContain("AutoCreate");
  }

  @Test
  void archive_isUsedButNotMadeBy17() throws Exception {
    assertThat(run(Map.of(), "prewarm").out()).doesNotContain("Archive");

    write(home.resolve("lib/classes-17.0.15.jsa"), "classes");

    assertThat(run(Map.of(), "prewarm").out())
        .contains("[-XX:SharedArchiveFile=" + home + "/lib/classes-17.0.15.jsa]")
        .doesNotContain("AutoCreate");
  }

  @Test
  void aotCache_goesBeforeAnArchiveFrom25On() throws Exception {
    for (String version : List.of("24.0.2", "25.0.3")) {
      write(home.resolve("lib/classes-" + version + ".jsa"), "classes");
      write(home.resolve("lib/classes-" + version + ".aot"), "classes");
    }

    assertThat(run(Map.of("JAVA_HOME", printing("25.0.3").toString()), "prewarm").out())
        .contains("[-XX:AOTCache=" + home + "/lib/classes-25.0.3.aot]")
        .doesNotContain("SharedArchive");
    assertThat(run(Map.of("JAVA_HOME", printing("24.0.2").toString()), "list").out())
        .contains("[-XX:SharedArchiveFile=" + home + "/lib/classes-24.0.2.jsa]")
        .doesNotContain("AOT");
  }

  @Test
  void archiveOfTheCallers_goesFirst() throws Exception {
    write(home.resolve("lib/classes-17.0.15.jsa"), "classes");

    assertThat(run(Map.of("KCACHE_JAVA_OPTS", "-Xshare:off"), "list").out())
        .contains("[-Xshare:off]")
        .doesNotContain("Archive");
  }

  @Test
  void javaThatDoesNotStart_isUnavailable() throws Exception {
    jdk(
        "jdk",
        "17.0.15",
        "echo 'Picked up JAVA_TOOL_OPTIONS: -XX:+No' >&2; echo \"Unrecognized VM option 'No'\" >&2;"
            + " echo 'Error: Could not create the Java Virtual Machine.' >&2; exit 1");

    assertRefused(
        run(Map.of("JAVA_TOOL_OPTIONS", "-XX:+No"), "list"),
        "Java does not start: Unrecognized VM option 'No'");
  }

  @Test
  void exitCodeOfTheCommand_isKept() throws Exception {
    jdk("jdk", "17.0.15", "[ \"$1\" = -version ] || exit 1");

    assertThat(run(Map.of(), "list").exitCode()).isEqualTo(1);
    assertThat(run(Map.of("JAVA_TOOL_OPTIONS", "-Da=b"), "list").exitCode()).isEqualTo(1);
  }

  @Test
  void localeThatIsNotInstalled_doesNotLoseUtf8() throws Exception {
    jdk("jdk", "17.0.15", "echo \"$(locale charmap 2>&1) ${LC_ALL-}\"");

    for (String locale : List.of("xx_XX.UTF-8", "C", "POSIX")) {
      assertThat(run(Map.of("LANG", locale)).out()).isEqualTo("UTF-8 C.UTF-8\n");
      assertThat(run(Map.of("LC_ALL", locale)).out()).isEqualTo("UTF-8 C.UTF-8\n");
    }
    assertThat(run(Map.of()).out()).isEqualTo("UTF-8 C.UTF-8\n");
    assertThat(run(Map.of("LANG", "C.UTF-8")).out()).isEqualTo("UTF-8 \n");
  }

  private static void assertRefused(Run run, String message) {
    assertThat(run).isEqualTo(new Run(ExitCode.UNAVAILABLE, "", "kcache: " + message + "\n"));
  }

  private Path printing(String version) throws IOException {
    return jdk("printing", version, "printf '[%s]' \"$@\"");
  }

  private Path jdk(String name, String version, String script) throws IOException {
    Path jdk = directory.resolve(name);
    write(jdk.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    Programs.script(jdk.resolve("bin/java"), script);
    return jdk;
  }

  private static void write(Path file, String content) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private Run run(Map<String, String> more, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(arguments));
    Map<String, String> environment = new HashMap<>(more);
    environment.put("PATH", directory.resolve("bin") + ":/usr/bin:/bin");
    return Programs.run(Programs.builder(directory, environment, command));
  }
}
