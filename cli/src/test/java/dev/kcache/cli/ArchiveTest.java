// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher with this Java and this build, as far as the archive of loaded classes goes. */
@Timeout(300)
class ArchiveTest {
  private static final String JARS =
      "(kcache|caffeine|error_prone_annotations|jackson-core|jspecify|picocli|jna|zstd-jni)-.*";

  private static final String KERNEL = "src/main/resources/dev/kcache/cli/vadd.hip";

  private static final String[] MISS = {
    "prewarm", Path.of(KERNEL).toAbsolutePath().toString(), "--arch", "gfx90a"
  };

  /** What a test changes here, it puts back: an archive is of no use in another place. */
  @TempDir private static Path shared;

  private static Path distribution;
  private static String sound;

  @TempDir private Path directory;
  private String toolOptions = "";
  private String locale = "C.UTF-8";

  @BeforeAll
  static void makeTheArchive(@TempDir Path directory) throws Exception {
    createDistribution();
    ArchiveTest any = new ArchiveTest();
    any.directory = directory;
    // As the build does it: 19 and newer need no option.
    boolean automatic = Runtime.version().feature() >= 19;
    any.launch(automatic ? "" : "-XX:ArchiveClassesAtExit=" + archive(), MISS);
    sound = any.launch("", "--version").out();
  }

  /** A distribution of the classes under test. */
  private static void createDistribution() throws IOException {
    // No blank in its name: JDK 17 starts without the classes of such jars.
    distribution = shared.resolve("kcache");
    Files.createDirectories(distribution.resolve("bin"));
    Files.copy(
        Path.of("src/main/dist/bin/kcache"),
        distribution.resolve("bin/kcache"),
        StandardCopyOption.COPY_ATTRIBUTES);
    Path jars = Files.createDirectory(distribution.resolve("lib"));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      collect(Path.of(entry), jars);
    }
  }

  @Test
  void secondStart_findsItsClassesInTheArchive() throws Exception {
    assertThat(archive()).isNotEmptyFile();

    Run second = launch("-Xlog:class+load", MISS);

    assertThat(second.err()).contains("KCACHE_POLICY=sealed forbids compiling");
    assertThat(second.out())
        .containsPattern("dev\\.kcache\\.cli\\.Main source: shared objects file")
        .containsPattern("picocli\\.CommandLine source: shared objects file")
        .doesNotContainPattern("dev\\.kcache\\.\\S+ source: (?!shared objects file)");
  }

  /** Up to 24, Java has no such thing, and a file of its name is nothing to the launcher. */
  @Test
  void aotCache_servesFrom25On() throws Exception {
    Path cache = archive().resolveSibling("classes-" + System.getProperty("java.version") + ".aot");
    boolean known = Runtime.version().feature() >= 25;
    if (known) {
      launch("-XX:AOTCacheOutput=" + cache, MISS);
    } else {
      Files.writeString(cache, "no such thing");
    }

    Run run = launch("-Xlog:class+load", MISS);

    Files.delete(cache);
    assertThat(run.err()).contains("KCACHE_POLICY=sealed forbids compiling");
    assertThat(run.out())
        .containsPattern("dev\\.kcache\\.cli\\.Main source: shared objects file")
        .matches(log -> log.contains("shared objects file (top)") != known, "taken from it");
  }

  /** Java writes the header last, so that is what others see while one writes, or after a crash. */
  @Test
  void unfinishedArchive_isPassedOverInSilence() throws Exception {
    Path archive = archive();
    byte[] bytes = Files.readAllBytes(archive);
    assertThat(bytes).hasSizeGreaterThan(1 << 20);
    Path kept = Files.move(archive, directory.resolve("kept"));
    Arrays.fill(bytes, 0, 4096, (byte) 0);
    Files.write(archive, Arrays.copyOf(bytes, bytes.length / 2));

    Run run = launch("", "--version");

    Files.move(kept, archive, StandardCopyOption.REPLACE_EXISTING);
    assertThat(run).isEqualTo(new Run(0, sound, ""));
  }

  @Test
  void archiveOfOtherJars_isPassedOverInSilence() throws Exception {
    Path jar = archive().resolveSibling("kcache-cli-classes.jar");
    FileTime time = Files.getLastModifiedTime(jar);
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(60)));

    Run run = launch("", "--version");

    Files.setLastModifiedTime(jar, time);
    assertThat(run).isEqualTo(new Run(0, sound, ""));
  }

  @Test
  void archiveOfTheCallers_isNotOverruled() throws Exception {
    toolOptions = "-Xshare:off";

    assertThat(launch("", "--version").out()).isEqualTo(sound);
  }

  @Test
  void optionThatJavaDoesNotKnow_isUnavailable() throws Exception {
    assertThat(launch("-XX:+NoSuchOption", "--version"))
        .isEqualTo(
            new Run(
                ExitCode.UNAVAILABLE,
                "",
                "kcache: Java does not start: Unrecognized VM option 'NoSuchOption'\n"));
  }

  @Test
  void localeThatIsNotInstalled_losesNoNames() throws Exception {
    locale = "xx_XX.UTF-8";
    Path kernel = Files.copy(Path.of(KERNEL), directory.resolve("größe-核.hip"));

    Run run = launch("", "prewarm", kernel.toString(), "--arch", "gfx90a");

    assertThat(run.err()).contains("größe-核.hip for gfx90a with toolchain 6.4 (request ");
  }

  private Run launch(String options, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(distribution.resolve("bin/kcache").toString());
    command.addAll(List.of(arguments));
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", "/usr/bin:/bin");
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("KCACHE_POLICY", "sealed");
    environment.put("ROCM_VERSION", "6.4");
    environment.put("LANG", locale);
    environment.put("KCACHE_DIR", directory.resolve("cache").toString());
    environment.put("KCACHE_JAVA_OPTS", options);
    if (!toolOptions.isEmpty()) {
      environment.put("JDK_JAVA_OPTIONS", toolOptions);
    }
    return Programs.run(Programs.builder(directory, environment, command));
  }

  private static Path archive() {
    return distribution.resolve("lib/classes-" + System.getProperty("java.version") + ".jsa");
  }

  /** Classes are in directories where the modules have not been packaged. */
  private static void collect(Path entry, Path jars) throws IOException {
    String name = entry.getFileName().toString();
    if (entry.endsWith("target/classes")) {
      String module = entry.getParent().getParent().getFileName().toString();
      jar(jars.resolve("kcache-" + module + "-classes.jar"), entry);
    } else if (name.matches(JARS) && !name.contains("tests")) {
      Files.copy(entry, jars.resolve(name));
    }
  }

  private static void jar(Path jar, Path classes) {
    ToolProvider tool = ToolProvider.findFirst("jar").orElseThrow();
    int exitCode =
        tool.run(System.out, System.err, "cf", jar.toString(), "-C", classes.toString(), ".");
    assertThat(exitCode).isZero();
  }
}
