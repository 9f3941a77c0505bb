// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static dev.kcache.toolchain.standin.TestJob.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.standin.FakeHipcc;
import dev.kcache.toolchain.standin.Options;
import dev.kcache.toolchain.standin.Script;
import dev.kcache.toolchain.standin.TestJob;
import dev.kcache.toolchain.standin.TickingClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The variables that say where hipcc's clang and its device library are. */
class CompilerPlacesTest {
  private static final String SOURCE =
      """
      #include <hip/hip_runtime.h>
      extern "C" __global__ void f(float* x) { *x = sinf(*x); }
      """;

  private static final String ANSWER =
      """
      case "$*" in *--version*) echo 'HIP version: 6.1.40091-0'; exit;; esac
      test -n "$HIP_CLANG_PATH" && exec "$HIP_CLANG_PATH/clang++" "$@"
      """;

  /** One for all tests with the real compilers: hashing these takes seconds. */
  @TempDir static Path memo;

  @TempDir Path directory;
  private final TickingClock clock = new TickingClock();
  private FakeHipcc fake;
  private Path place;

  @BeforeEach
  void make() throws IOException {
    fake = new FakeHipcc(directory.resolve("rocm"));
    place = Files.createDirectory(directory.resolve("place"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ROCM_PATH",
        "HIP_PATH",
        "HIP_CLANG_PATH",
        "HIP_DEVICE_LIB_PATH",
        "DEVICE_LIB_PATH"
      })
  void directory_isPassedOnAndAskedAboutAnew(String variable) throws IOException {
    try (DriverToolchain toolchain = find(Map.of())) {
      Digest unused = identity(toolchain);
    }
    int before = fake.runs().size();
    try (DriverToolchain toolchain = find(Map.of())) {
      Digest unused = identity(toolchain);
    }
    assertThat(fake.runs()).as("remembered").hasSize(before);

    try (DriverToolchain toolchain = find(Map.of(variable, place.toString()))) {
      Digest unused = identity(toolchain);
    }

    assertThat(fake.runs()).hasSizeGreaterThan(before);
    assertThat(fake.variables()).contains(variable + "=" + place.toRealPath());
  }

  @Test
  void directory_thatAShellWouldRun_isRefused() throws IOException {
    Path odd = Files.createDirectory(directory.resolve("a;b"));

    assertThatThrownBy(() -> find(Map.of("DEVICE_LIB_PATH", odd.toString())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("DEVICE_LIB_PATH=" + odd + ": hipcc would give it to a shell");
  }

  /** The commands that hipcc prints name the real clang, whatever the script does. */
  @Test
  void scriptInThePlaceOfClang_changed_changesTheIdentity() throws IOException {
    String printed = Files.readString(fake.root.resolve("bin/hipcc"));
    Path clang = Script.write(place.resolve("clang++"), printed);
    Script.write(fake.root.resolve("bin/hipcc"), ANSWER);
    Map<String, String> variables = Map.of("HIP_CLANG_PATH", place.toString());
    try (DriverToolchain toolchain = find(variables)) {
      Digest before = identity(toolchain);

      Script.write(clang, printed + "\n# another one");
      clock.pass(Duration.ofSeconds(3));
      Digest after = identity(toolchain);
      Script.write(place.resolve("clang++-99"), printed);
      clock.pass(Duration.ofSeconds(3));

      assertThat(after).isNotEqualTo(before);
      assertThat(identity(toolchain)).as("one more").isNotEqualTo(after);
    }
  }

  @Test
  void clangThatFails_isToldWithItsVariable() throws IOException {
    Script.write(fake.root.resolve("bin/hipcc"), "exec \"$HIP_CLANG_PATH/clang++\" --version");
    Script.write(place.resolve("clang++"), "echo clang version 15; echo expired >&2; exit 3");

    try (DriverToolchain toolchain = find(Map.of("HIP_CLANG_PATH", place.toString()))) {
      assertThatThrownBy(toolchain::label)
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              toolchain.program()
                  + ": '--version' failed: expired; repair it, check HIP_CLANG_PATH, ROCM_PATH and"
                  + " HIP_PATH, or set KCACHE_COMPILER to another");
    }
  }

  /** It may do something to the result, so that nothing takes a way around it. */
  @Test
  void realCompiler_withAScriptInThePlaceOfClang_isRunByTheScriptEachTime() throws Exception {
    Path runs = directory.resolve("runs");
    for (Path clang : clangs(clangDirectory())) {
      Script.write(
          place.resolve(clang.getFileName()), "echo >>" + runs + "\nexec " + clang + " \"$@\"");
    }
    try (DriverToolchain toolchain = real(Map.of("HIP_CLANG_PATH", place.toString()))) {
      for (int i = 0; i < 3; i++) {
        Files.deleteIfExists(runs);
        assertThat(bytes(toolchain.compile(job()))).isNotEmpty();
        assertThat(runs).exists();
      }
    }
  }

  private static List<Path> clangs(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().matches("clang(\\+\\+)?(-\\d+)?"))
          .toList();
    }
  }

  /** The one that the first compile runs, and those behind it that later ones do. */
  @ParameterizedTest
  @ValueSource(strings = {"DEVICE_LIB_PATH", "HIP_DEVICE_LIB_PATH", "HIP_CLANG_PATH"})
  void realCompiler_withADirectoryThatIsNamed_compilesTheSameWithAndWithoutItsDriver(
      String variable) throws Exception {
    Path named = variable.equals("HIP_CLANG_PATH") ? clangDirectory() : copyOfDeviceLibrary();
    byte[] expected;
    try (DriverToolchain plain = real(Map.of())) {
      expected = bytes(plain.compile(job()));
    }
    try (DriverToolchain toolchain = real(Map.of(variable, named.toString()))) {
      for (int i = 0; i < 3; i++) {
        assertThat(bytes(toolchain.compile(job()))).isEqualTo(expected);
      }
    }
  }

  @Test
  void realDeviceLibrary_changedWhereAVariableNamesIt_changesTheIdentityAndTheResult()
      throws Exception {
    Path named = copyOfDeviceLibrary();
    Map<String, String> variables = Map.of("DEVICE_LIB_PATH", named.toString());
    Digest before;
    byte[] result;
    try (DriverToolchain toolchain = real(variables)) {
      before = identity(toolchain);
      result = bytes(toolchain.compile(job()));
    }
    // What it takes for granted of numbers is a file of its own.
    for (String answer : List.of("unsafe_math", "finite_only")) {
      Files.copy(
          named.resolve("oclc_" + answer + "_on.bc"),
          named.resolve("oclc_" + answer + "_off.bc"),
          StandardCopyOption.REPLACE_EXISTING);
    }

    try (DriverToolchain toolchain = real(variables)) {
      assertThat(identity(toolchain)).isNotEqualTo(before);
      for (int i = 0; i < 3; i++) {
        assertThat(bytes(toolchain.compile(job()))).isNotEqualTo(result);
      }
    }
  }

  private Path copyOfDeviceLibrary() throws IOException {
    Path installed;
    try (DriverToolchain toolchain = real(Map.of())) {
      installed =
          toolchain.identityFiles(FakeHipcc.TARGET, Options.DEFAULT).stream()
              .map(file -> Path.of(file.path()))
              .filter(file -> file.endsWith("ocml.bc"))
              .findFirst()
              .orElseThrow()
              .getParent();
    }
    Path copy = Files.createDirectory(directory.resolve("bitcode"));
    try (Stream<Path> files = Files.list(installed)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  /** Where hipcc finds its clang by itself. */
  private Path clangDirectory() throws Exception {
    try (DriverToolchain toolchain = real(Map.of())) {
      ProcessBuilder builder =
          new ProcessBuilder(toolchain.program().toString(), "--version", "--offload-arch=gfx900");
      builder.environment().put("HIP_PLATFORM", "amd");
      Process process = builder.redirectErrorStream(true).start();
      String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
      Matcher found = Pattern.compile("InstalledDir: (\\S+)").matcher(printed);
      assertThat(found.find()).as(printed).isTrue();
      return Path.of(found.group(1));
    }
  }

  private DriverToolchain find(Map<String, String> variables) {
    return TestToolchains.find(
        Platform.AMD,
        fake.environment(variables),
        () -> directory,
        Optional.of(directory.resolve("memo")),
        clock);
  }

  private DriverToolchain real(Map<String, String> variables) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.putAll(variables);
    return TestToolchains.find(Platform.AMD, environment, () -> directory, Optional.of(memo));
  }

  private static Digest identity(DriverToolchain toolchain) {
    return toolchain.identity(FakeHipcc.TARGET, Options.DEFAULT);
  }

  private static Toolchain.Job job() {
    return TestJob.of("f.hip", SOURCE).job();
  }

  /** hipcc.exe quotes paths and gives them to cmd.exe. */
  @Test
  void windowsPaths_mayHaveBlanksButNothingThatCmdChanges() {
    String plain = DriverFacts.PLAIN_ON_WINDOWS;
    DriverFacts.checkWord("HIP_PATH", "C:\\Program Files (x86)\\AMD\\ROCm\\6.4\\", plain);

    for (String odd : List.of("%", "^", "&", "|", "<", ">", "\"", "!", "\n")) {
      String path = "C:\\a" + odd + "b";
      assertThatThrownBy(() -> DriverFacts.checkWord("HIP_PATH", path, plain))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("HIP_PATH=" + path + ": hipcc would give it to a shell");
    }
  }
}
