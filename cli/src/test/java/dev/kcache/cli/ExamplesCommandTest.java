// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The kernels of {@code examples/}, of each language, by the command in processes of its own, with
 * this machine's compilers and the embedded LLVM.
 */
@Timeout(300)
@TestInstance(Lifecycle.PER_CLASS)
class ExamplesCommandTest {
  /** The ends of the files' names, of all that this machine compiles. */
  private static final List<String> LANGUAGES =
      hasRustc() ? List.of(".hip", ".rs", ".ll", ".%s.s") : List.of(".hip", ".ll", ".%s.s");

  private static final Path EXAMPLES = Path.of("..", "examples").toAbsolutePath().normalize();
  private static final int FILES = 2 * LANGUAGES.size();

  /** Offset, size and kind of each argument, as {@code inspect} prints them. */
  private static final Map<String, List<String>> ARGUMENTS =
      Map.of(
          "vadd",
          List.of("0 8 global_buffer", "8 8 global_buffer", "16 8 global_buffer", "24 4 by_value"),
          "matmul",
          List.of(
              "0 8 global_buffer",
              "8 8 global_buffer",
              "16 8 global_buffer",
              "24 4 by_value",
              "28 4 by_value",
              "32 4 by_value"));

  private static final Pattern ARGUMENT = Pattern.compile(" +(\\d+) +(\\d+) +(?!hidden_)(\\w+) .*");

  private final Map<String, Run> first = new HashMap<>();
  private Path directory;

  @BeforeAll
  void prewarm(@TempDir Path directory) throws Exception {
    this.directory = directory;
    for (String target : List.of("gfx90a", "gfx1100")) {
      first.put(target, prewarm(target, "first-" + target, classPath(), System.getenv("PATH")));
    }
    assertThat(startsPrograms("first-gfx90a")).isTrue();
  }

  /** Not each machine has a rustc with the target. */
  private static boolean hasRustc() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DISABLE", "1");
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      return !cache.toolchain(Platform.AMD, Language.RUST).processors().isEmpty();
    } catch (ToolchainNotFoundException e) {
      return false;
    }
  }

  private static List<Path> files(String target) {
    return Stream.of("vadd", "matmul")
        .flatMap(
            kernel -> LANGUAGES.stream().map(end -> kernel + "/" + kernel + end.formatted(target)))
        .map(EXAMPLES::resolve)
        .toList();
  }

  private static String classPath() {
    Path llvm = Path.of(System.getProperty("kcache.test.llvm"));
    assertThat(llvm).exists();
    return System.getProperty("java.class.path") + File.pathSeparator + llvm;
  }

  private static String classPathWithoutCompilers() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.contains("hiprtc"))
        .collect(joining(File.pathSeparator));
  }

  /** Prewarms all files for a target and logs the classes that this loads. */
  private Run prewarm(String target, String log, String classPath, String path) throws Exception {
    return run(logging(log), classPath, path, prewarming(target));
  }

  private static List<String> logging(String log) {
    return List.of("-Xlog:class+load:file=" + log);
  }

  private static List<String> prewarming(String target) {
    List<String> arguments = new ArrayList<>(List.of("prewarm", "--arch", target));
    files(target).forEach(file -> arguments.add(file.toString()));
    return arguments;
  }

  private static List<String> command(
      List<String> options, String classPath, List<String> arguments) {
    List<String> command = Programs.java(Main.class, options, arguments.toArray(String[]::new));
    command.set(command.indexOf("-cp") + 1, classPath);
    return command;
  }

  private Run run(List<String> options, String classPath, String path, List<String> arguments)
      throws Exception {
    List<String> command = command(options, classPath, arguments);
    Map<String, String> environment =
        Map.of(
            "PATH",
            path,
            "HOME", // where rustup has its rustc
            System.getProperty("user.home"),
            "RUSTC_BOOTSTRAP",
            "1",
            "KCACHE_DIR",
            directory.resolve("cache").toString());
    return Programs.run(Programs.builder(directory, environment, command));
  }

  private Run run(String... arguments) throws Exception {
    return run(List.of(), classPath(), System.getenv("PATH"), List.of(arguments));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gfx90a", "gfx1100"})
  void examples_areCompiled(String target) {
    Run run = first.get(target);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("0 hits, " + FILES + " compiled, 0 failed");
    for (Path file : files(target)) {
      assertThat(run.out()).contains("compiled  " + target + "  " + file + "  in ");
    }
  }

  @Test
  void codeObjects_areSound() throws Exception {
    Run run = run("verify");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(2 * FILES + " records and " + 2 * FILES + " code objects ")
        .contains(": all sound");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gfx90a", "gfx1100"})
  void secondRun_hitsWithoutAProcess(String target) throws Exception {
    hitsWithoutAProcess(target, "second-" + target, classPath(), System.getenv("PATH"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gfx90a", "gfx1100"})
  void machineWithoutCompilers_hits(String target) throws Exception {
    String nowhere = directory.resolve("nowhere").toString();

    hitsWithoutAProcess(target, "bare-" + target, classPathWithoutCompilers(), nowhere);
  }

  /** The user's variables lead to directories that are empty. */
  @ParameterizedTest
  @ValueSource(strings = {"gfx90a", "gfx1100"})
  void containerWithoutToolchains_hitsAndInspects(String target) throws Exception {
    String log = "container-" + target;

    assertAllHit(inContainer(logging(log), prewarming(target)), log);
    for (Path file : files(target)) {
      assertShown(file, inContainer(List.of(), List.of("inspect", digest(target, file))).out());
    }
    for (String end : List.of(".rs", ".hip")) {
      Path other =
          Files.writeString(directory.resolve("other" + end), "// extern \"gpu-kernel\"\n");
      Run run = inContainer(List.of(), List.of("prewarm", "--arch", target, other.toString()));
      assertThat(run.exitCode()).as(run.err()).isEqualTo(3);
      assertThat(run.err()).contains(end.equals(".rs") ? "no rustc in PATH" : "no hipcc in ");
    }
  }

  /** Runs the command where no program and no compiler of this machine is mounted. */
  private Run inContainer(List<String> options, List<String> arguments) throws Exception {
    StringBuilder script = new StringBuilder("mount --make-rprivate / 2>/dev/null; ");
    for (Path hidden : toolchains()) {
      script.append("mount -t tmpfs none ").append(hidden).append(" && ");
    }
    List<String> words = new ArrayList<>(List.of("/usr/bin/unshare", "--mount"));
    if (!Files.getAttribute(directory, "unix:uid").equals(0)) {
      words.add("--map-root-user");
    }
    words.addAll(List.of("/bin/sh", "-c", script + "exec \"$@\"", "sh"));
    words.addAll(command(options, classPathWithoutCompilers(), arguments));
    Map<String, String> environment =
        Map.of(
            "PATH",
            System.getenv("PATH"),
            "HOME",
            System.getProperty("user.home"),
            "KCACHE_DIR",
            directory.resolve("cache").toString());
    return Programs.run(Programs.builder(directory, environment, words));
  }

  /** Returns the directories of all programs and compilers; the last has {@code mount}. */
  private static List<Path> toolchains() throws IOException {
    List<Path> found = new ArrayList<>();
    for (String parent : List.of("/opt", "/usr/local", "/usr/lib")) {
      try (DirectoryStream<Path> each =
          Files.newDirectoryStream(Path.of(parent), "{rocm,cuda,llvm-,rustlib}*")) {
        each.forEach(found::add);
      }
    }
    Path home = Path.of(System.getProperty("user.home"));
    List<Path> programs =
        List.of(
            home.resolve(".cargo"),
            home.resolve(".rustup"),
            Path.of("/usr/local/bin"),
            Path.of("/usr/bin"));
    return Stream.concat(found.stream(), programs.stream()).filter(Files::isDirectory).toList();
  }

  private void hitsWithoutAProcess(String target, String log, String classPath, String path)
      throws Exception {
    assertAllHit(prewarm(target, log, classPath, path), log);
  }

  private void assertAllHit(Run run, String log) throws IOException {
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains(FILES + " hits, 0 compiled, 0 failed");
    assertThat(run.err()).isEmpty();
    assertThat(startsPrograms(log)).isFalse();
  }

  /** Whether a JVM loaded the class without which Java starts no process. */
  private boolean startsPrograms(String log) throws IOException {
    String classes = Files.readString(directory.resolve(log));
    assertThat(classes).contains(" dev.kcache.cache.CacheManager ");
    return classes.contains(" java.lang.ProcessBuilder ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gfx90a", "gfx1100"})
  void inspect_showsTheArguments(String target) throws Exception {
    for (Path file : files(target)) {
      assertShown(file, run("inspect", digest(target, file)).out());
    }
  }

  private static void assertShown(Path file, String shown) {
    String kernel = file.getParent().getFileName().toString();
    assertThat(shown).as(file.toString()).contains("\nkernel       " + kernel + "\n");
    assertThat(shown.lines().flatMap(line -> ARGUMENT.matcher(line).results()))
        .as(shown)
        .extracting(found -> found.group(1) + " " + found.group(2) + " " + found.group(3))
        .containsExactlyElementsOf(ARGUMENTS.get(kernel));
  }

  private String digest(String target, Path file) {
    return first
        .get(target)
        .out()
        .lines()
        .filter(line -> line.contains(file.toString()))
        .findFirst()
        .orElseThrow()
        .replaceFirst(".* ", "");
  }
}
