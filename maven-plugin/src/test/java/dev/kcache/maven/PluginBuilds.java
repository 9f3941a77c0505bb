// SPDX-License-Identifier: Apache-2.0
package dev.kcache.maven;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real builds of a small project, by the Maven that runs this test, without network. */
class PluginBuilds {
  private static final String KERNEL =
      """
      #include "parts/scale.h"
      extern "C" __attribute__((global)) void scaled(float* x) {
        x[0] = scale(x[0]);
      }
      """;

  @TempDir Path temp;
  private Path project;
  private Path kernel;
  private Path cache;

  @BeforeEach
  void writeProject() throws IOException {
    project = temp.resolve("project");
    cache = temp.resolve("cache");
    kernel = project.resolve("src/main/hip/demo/scaled.hip");
    Files.createDirectories(kernel.resolveSibling("parts"));
    Files.writeString(kernel, KERNEL);
    Files.writeString(
        kernel.resolveSibling("parts/scale.h"),
        "__attribute__((device)) inline float scale(float x) { return 2 * x; }\n");
    writePom("gfx90a,gfx1030");
    Files.writeString(
        temp.resolve("settings.xml"),
        """
        <settings>
          <mirrors>
            <mirror><id>downloaded</id><mirrorOf>*</mirrorOf><url>%s</url></mirror>
          </mirrors>
        </settings>
        """
            .formatted(Path.of(System.getProperty("kcache.test.downloaded")).toUri()));
  }

  @Test
  void verify_givesJarThatCarriesKernelsAndSources() throws Exception {
    Build build = maven("verify");

    assertThat(build.exitCode()).as(build.output()).isZero();
    assertThat(build.output()).contains("2 compiled, 0 unchanged", "carries all kernels");
    try (JarFile jar = new JarFile(jar().toFile())) {
      List<String> names = jar.stream().map(entry -> entry.getName()).toList();
      assertThat(names).contains("demo/scaled.hip", "demo/parts/scale.h");
      for (String target : List.of("gfx90a", "gfx1030")) {
        assertThat(names)
            .filteredOn(name -> name.startsWith("META-INF/kcache/" + target + "/"))
            .filteredOn(name -> name.endsWith(".json") || name.endsWith(".co"))
            .hasSize(2);
      }
    }
  }

  @Test
  void secondBuild_compilesNothingAndTouchesNoFile() throws Exception {
    maven("process-classes");
    Map<Path, FileTime> before = times();

    Build second = maven("process-classes");

    assertThat(second.output()).contains("0 compiled, 2 unchanged");
    assertThat(times()).isEqualTo(before).hasSize(6);
  }

  @Test
  void buildWithoutCacheOfBefore_givesSameBytes() throws Exception {
    maven("package");
    byte[] first = Files.readAllBytes(jar());

    Build again = maven("clean", "package", "-Dkcache.cacheDirectory=" + temp.resolve("other"));

    assertThat(again.output()).contains("2 compiled");
    assertThat(Files.readAllBytes(jar())).isEqualTo(first);
  }

  @Test
  void wrongKernel_failsWithFileLineAndColumn() throws Exception {
    Files.writeString(kernel, KERNEL.replace("scale(x[0])", "scale(y[0])"));

    Build build = maven("process-classes");

    assertThat(build.exitCode()).isEqualTo(1);
    assertThat(build.output())
        .containsOnlyOnce("[ERROR] " + kernel.toRealPath() + ":[3,16] error: ")
        .contains("undeclared identifier 'y'");
  }

  @Test
  void unknownTarget_failsWithParameterAndSuggestion() throws Exception {
    writePom("gfx90b");

    Build build = maven("process-classes");

    assertThat(build.exitCode()).isEqualTo(1);
    assertThat(build.output())
        .contains("<targets> of kcache-maven-plugin: unknown processor 'gfx90b'; did you mean");
  }

  @Test
  void noTarget_failsWithWhatToWrite() throws Exception {
    writePom("");

    assertThat(maven("process-classes").output())
        .contains("such as <targets><target>gfx90a</target></targets>");
  }

  @Test
  void jarWithoutKernels_isNotProven() throws Exception {
    Build build = maven("verify", "-Dkcache.jar=" + emptyJar());

    assertThat(build.exitCode()).isEqualTo(1);
    assertThat(build.output()).contains("lacks kernels", "[ERROR] gfx90a: " + kernel.toRealPath());
  }

  @Test
  void skip_copiesSourcesOnly() throws Exception {
    Build build = maven("verify", "-Dkcache.skip");

    assertThat(build.exitCode()).as(build.output()).isZero();
    assertThat(times().keySet())
        .map(path -> project.resolve("target/classes").relativize(path).toString())
        .containsExactly("demo/parts/scale.h", "demo/scaled.hip");
  }

  @Test
  void twoExecutions_keepEachOthersFiles() throws Exception {
    writePom("gfx90a");
    addExecution("-DSECOND");

    Build build = maven("verify");

    assertThat(build.exitCode()).as(build.output()).isZero();
    assertThat(records()).hasSize(2);
    Map<Path, FileTime> before = times();
    maven("process-classes");
    assertThat(times()).isEqualTo(before);

    writePom("gfx90a");
    addExecution("-DTHIRD");
    maven("process-classes");
    assertThat(records()).hasSize(2);
    assertThat(times()).isNotEqualTo(before);
  }

  @Test
  void logOfLibrary_isMavensLog() throws Exception {
    Path file = Files.writeString(temp.resolve("file"), "");
    cache = file.resolve("cache");

    Build build = maven("process-classes");

    assertThat(build.exitCode()).as(build.output()).isZero();
    assertThat(build.output())
        .contains("[WARNING] ")
        .contains(file.toString())
        .doesNotContain("dev.kcache.cache.", "\nWARNING: ");
  }

  private List<Path> records() throws IOException {
    return times().keySet().stream().filter(file -> file.toString().endsWith(".json")).toList();
  }

  private record Build(int exitCode, String output) {}

  private Build maven(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("kcache.test.maven"));
    command.addAll(List.of("-B", "-s", temp.resolve("settings.xml").toString()));
    command.add("-Dmaven.repo.local=" + System.getProperty("kcache.test.repository"));
    command.addAll(List.of(arguments));
    Path log = temp.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(project.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("KCACHE_DIR", cache.toString());
    builder.environment().remove("MAVEN_OPTS");
    builder.environment().remove("MAVEN_ARGS");
    Process process = builder.start();
    if (!process.waitFor(5, MINUTES)) {
      process.destroyForcibly();
    }
    return new Build(process.waitFor(), Files.readString(log, UTF_8));
  }

  private Path jar() {
    return project.resolve("target/demo-1.jar");
  }

  private Path emptyJar() throws IOException {
    return Files.createDirectories(temp.resolve("empty"));
  }

  private Map<Path, FileTime> times() throws IOException {
    Map<Path, FileTime> times = new TreeMap<>();
    try (Stream<Path> files = Files.walk(project.resolve("target/classes"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        times.put(file, Files.getLastModifiedTime(file));
      }
    }
    return times;
  }

  /** Adds a second execution of prewarm to the POM, with an option. */
  private void addExecution(String option) throws IOException {
    Path pom = project.resolve("pom.xml");
    String second =
        """
        <executions>
          <execution>
            <id>second</id>
            <goals>
              <goal>prewarm</goal>
            </goals>
            <configuration>
              <options>
                <option>%s</option>
              </options>
            </configuration>
          </execution>
        """
            .formatted(option);
    Files.writeString(pom, Files.readString(pom).replace("<executions>", second.strip()));
  }

  private void writePom(String targets) throws IOException {
    Files.writeString(
        project.resolve("pom.xml"),
        """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>demo</groupId>
          <artifactId>demo</artifactId>
          <version>1</version>
          <properties>
            <project.build.outputTimestamp>2026-01-01T00:00:00Z</project.build.outputTimestamp>
            <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
            <kcache.targets>%s</kcache.targets>
          </properties>
          <build>
            <plugins>
              <plugin>
                <artifactId>maven-clean-plugin</artifactId>
                <version>3.5.0</version>
              </plugin>
              <plugin>
                <artifactId>maven-resources-plugin</artifactId>
                <version>3.3.1</version>
              </plugin>
              <plugin>
                <artifactId>maven-compiler-plugin</artifactId>
                <version>3.16.0</version>
              </plugin>
              <plugin>
                <artifactId>maven-surefire-plugin</artifactId>
                <version>3.6.1</version>
              </plugin>
              <plugin>
                <artifactId>maven-jar-plugin</artifactId>
                <version>3.5.1</version>
              </plugin>
              <plugin>
                <groupId>dev.kcache</groupId>
                <artifactId>kcache-maven-plugin</artifactId>
                <version>%s</version>
                <executions>
                  <execution>
                    <goals>
                      <goal>prewarm</goal>
                      <goal>prove</goal>
                    </goals>
                  </execution>
                </executions>
              </plugin>
            </plugins>
          </build>
        </project>
        """
            .formatted(targets, System.getProperty("kcache.test.version")));
  }
}
