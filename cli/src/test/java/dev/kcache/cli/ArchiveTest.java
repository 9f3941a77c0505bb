// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher with this Java and this build, as far as the archive of loaded classes goes. */
@Timeout(300)
class ArchiveTest {
  private static final String JARS =
      "(kcache|caffeine|error_prone_annotations|jackson-core|jspecify|picocli|jna|zstd-jni)-.*";

  private static final String KERNEL = "cli/src/main/resources/dev/kcache/cli/vadd.hip";

  /** What a test changes here, it puts back: an archive is of no use in another place. */
  @TempDir private static Path shared;

  private static Path checkout;
  private static Path rehearsed;

  /** The first start of all, and what a later one says. */
  private static Run first;

  private static String sound;

  @TempDir private Path directory;
  private Path hipcc = rehearsed;
  private String toolOptions = "";

  private record Run(String out, String err) {}

  @BeforeAll
  static void startTheFirstTime(@TempDir Path directory) throws Exception {
    createCheckout();
    ArchiveTest any = new ArchiveTest();
    any.directory = directory;
    first = any.launch("", "prewarm", checkout.resolve(KERNEL).toString(), "--arch", "gfx90a");
    sound = any.launch("", "--version").out();
  }

  /** A checkout with what the launcher needs of one, and a Maven that has built already. */
  private static void createCheckout() throws IOException {
    // No blank in its name: JDK 17 starts without the classes of such jars.
    checkout = shared.resolve("checkout");
    copy("cli/bin/kcache");
    copy("cli/rehearsal/bin/hipcc");
    copy("cli/rehearsal/include/header.h");
    copy(KERNEL);
    copy("codeobject/src/test/resources/kernels/hipcc-5.2-gfx90a.co");
    rehearsed = checkout.resolve("cli/rehearsal/bin/hipcc");
    Path jars = Files.createDirectory(shared.resolve("jars"));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      collect(Path.of(entry), jars);
    }
    Path mvn = Files.createDirectory(shared.resolve("bin")).resolve("mvn");
    String script =
        """
        #!/bin/sh
        for argument; do
          case $argument in -Dkcache.app=*) cp -r "$(dirname "$0")/../jars" "${argument#*=}" ;; esac
        done
        """;
    Files.writeString(mvn, script);
    assertThat(mvn.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void secondStart_findsItsClassesInTheArchive() throws Exception {
    assertThat(first.err()).contains("building").contains("learning to start fast");
    assertThat(first.out()).contains("1 compiled");
    String kernel = checkout.resolve(KERNEL).toString();
    launch("", "prewarm", kernel, "--arch", "gfx90a");
    // Only of what did not change a moment ago something is noted, and believed.
    Thread.sleep(2500);
    launch("", "prewarm", kernel, "--arch", "gfx90a");

    Run second = launch("-Xlog:class+load", "prewarm", kernel, "--arch", "gfx90a");

    assertThat(second.err()).isEmpty();
    assertThat(second.out())
        .contains("1 hit")
        .containsPattern("dev\\.kcache\\.cli\\.Main source: shared objects file")
        .containsPattern("picocli\\.CommandLine source: shared objects file")
        .containsPattern("dev\\.kcache\\.cache\\.toolchain\\.Answers source: shared objects file")
        .containsPattern("dev\\.kcache\\.cache\\.store\\.JsonReader source: shared objects file")
        .doesNotContainPattern("dev\\.kcache\\.\\S+ source: (?!shared objects file)");
    // No jar is opened, neither for a class nor in search of one that is nowhere. Later versions
    // load all classes of the archive at once.
    if (Runtime.version().feature() < 24) {
      assertThat(second.out()).doesNotContain("jdk.internal.loader.URLClassPath$JarLoader ");
    }
  }

  /** Without it a compiler's libraries take seven times as long to digest. */
  @Test
  void thoroughCompiler_isThereForTheDigestsOfAnUnknownCompiler() throws Exception {
    hipccWithALargeLibrary();
    String kernel = checkout.resolve(KERNEL).toString();

    Run cold = launch("-XX:+PrintCompilation", "prewarm", kernel, "--arch", "gfx90a");

    assertThat(cold.out())
        .contains("1 compiled")
        .containsPattern("(?m) 4 +sun\\.security\\.provider\\.(SHA2|DigestBase)::impl");
  }

  private void hipccWithALargeLibrary() throws IOException {
    Path rehearsal = checkout.resolve("cli/rehearsal");
    Path large = Files.createDirectories(checkout.resolve("cli/large/bin")).getParent();
    Files.createDirectory(large.resolve("include"));
    Files.copy(rehearsal.resolve("include/header.h"), large.resolve("include/header.h"));
    String script = Files.readString(rehearsal.resolve("bin/hipcc"));
    String answer = "\"-internal-isystem\" \"%s/include\"\\n' \"$0\"";
    assertThat(script).contains(answer);
    hipcc = large.resolve("bin/hipcc");
    Files.writeString(hipcc, script.replace(answer, "\"%s/library\" " + answer + " \"$here\""));
    assertThat(hipcc.toFile().setExecutable(true)).isTrue();
    try (RandomAccessFile library = new RandomAccessFile(large.resolve("library").toFile(), "rw")) {
      library.setLength(64 << 20);
    }
  }

  @Test
  void damagedArchive_isPassedOverInSilence() throws Exception {
    Path archive = archive();
    byte[] bytes = Files.readAllBytes(archive);
    assertThat(bytes).hasSizeGreaterThan(1 << 20);
    Path kept = Files.move(archive, directory.resolve("kept"));
    Files.write(archive, Arrays.copyOf(bytes, bytes.length / 2));

    assertThat(launch("", "--version")).isEqualTo(new Run(sound, ""));
    Files.move(kept, archive, StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void archiveOfOtherJars_isPassedOverInSilence() throws Exception {
    Path jar = archive().resolveSibling("kcache-cli.jar");
    FileTime time = Files.getLastModifiedTime(jar);
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(60)));

    assertThat(launch("", "--version")).isEqualTo(new Run(sound, ""));
    Files.setLastModifiedTime(jar, time);
  }

  @Test
  void interruptedLearning_isDoneAgain() throws Exception {
    Path archive = archive();
    Files.delete(archive);
    Files.createDirectories(archive.resolveSibling("rehearsal/cache"));

    Run again = launch("", "--version");

    assertThat(again.out()).isEqualTo(sound);
    assertThat(archive).exists();
    assertThat(launch("", "--version")).isEqualTo(new Run(sound, ""));
  }

  @Test
  void archiveOfTheCallers_isNotOverruled() throws Exception {
    toolOptions = "-Xshare:off";

    assertThat(launch("", "--version").out()).isEqualTo(sound);
  }

  private Run launch(String options, String... arguments) throws Exception {
    Path err = directory.resolve("err");
    List<String> command = new ArrayList<>();
    command.add(checkout.resolve("cli/bin/kcache").toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(directory.toFile()).redirectError(err.toFile());
    builder.environment().clear();
    builder
        .environment()
        .putAll(
            Map.of(
                "PATH",
                shared.resolve("bin") + ":/usr/bin:/bin",
                "JAVA_HOME",
                System.getProperty("java.home"),
                "KCACHE_HIPCC",
                hipcc.toString(),
                "KCACHE_DIR",
                directory.resolve("cache").toString(),
                "KCACHE_JAVA_OPTS",
                options));
    if (!toolOptions.isEmpty()) {
      builder.environment().put("JDK_JAVA_OPTIONS", toolOptions);
    }
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(120, SECONDS)).isTrue();
    return new Run(out, Files.readString(err));
  }

  private static Path archive() throws IOException {
    try (Stream<Path> files = Files.walk(checkout.resolve("cli/target"))) {
      return files.filter(file -> file.toString().endsWith(".archive")).findFirst().orElseThrow();
    }
  }

  private static void copy(String name) throws IOException {
    Path copy = checkout.resolve(name);
    Files.createDirectories(copy.getParent());
    Files.copy(Path.of("..").resolve(name), copy, StandardCopyOption.COPY_ATTRIBUTES);
  }

  /** Classes are in directories where the modules have not been packaged. */
  private static void collect(Path entry, Path jars) throws IOException {
    String name = entry.getFileName().toString();
    if (entry.endsWith("target/classes")) {
      String module = entry.getParent().getParent().getFileName().toString();
      jar(jars.resolve("kcache-" + module + ".jar"), entry);
    } else if (name.matches(JARS) && !name.contains("tests")) {
      Files.copy(entry, jars.resolve(name.replaceFirst("^(kcache-[a-z-]*[a-z])-.*", "$1.jar")));
    }
  }

  private static void jar(Path jar, Path classes) {
    ToolProvider tool = ToolProvider.findFirst("jar").orElseThrow();
    int exitCode =
        tool.run(System.out, System.err, "cf", jar.toString(), "-C", classes.toString(), ".");
    assertThat(exitCode).isZero();
  }
}
