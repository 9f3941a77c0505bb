// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.probe.ProbeCacheCodec;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.standin.FakeHipcc;
import dev.kcache.toolchain.standin.Options;
import dev.kcache.toolchain.standin.Script;
import dev.kcache.toolchain.standin.TickingClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a toolchain's identity sees, and what it remembers of it. */
class ToolchainIdentityTest {
  private static final Duration INTERVAL = Duration.ofSeconds(3);

  @TempDir Path directory;
  private final TickingClock clock = new TickingClock();
  private FakeHipcc fake;
  private Path memo;

  @BeforeEach
  void make() throws IOException {
    fake = new FakeHipcc(directory.resolve("rocm"));
    memo = directory.resolve("memo");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bitcode/ocml.bc",
        "lib/libLLVM.so",
        "llvm/clang",
        "llvm/clang++.cfg",
        "bin/hipvars.pm",
        "bin/hipcc"
      })
  void identity_fileReplacedUnderTheSameVersion_changes(String name) throws IOException {
    try (DriverToolchain running = find()) {
      Digest before = identity(running);
      ToolchainLabel label = running.label();

      Script.replaceKeepingSizeAndTime(fake.root.resolve(name));

      assertThat(identity(running)).as("within the interval").isEqualTo(before);
      clock.pass(INTERVAL);
      assertThat(identity(running)).isNotEqualTo(before);
      assertThat(running.label()).isEqualTo(label);
      try (DriverToolchain later = find()) {
        assertThat(identity(later)).isEqualTo(identity(running)).isNotEqualTo(before);
      }
    }
  }

  @Test
  void identity_scriptBehindTheScriptChanged_changes() throws IOException {
    Path inner =
        Script.write(directory.resolve("inner"), "exec " + fake.root + "/bin/hipcc \"$@\"");
    Path outer = Script.write(directory.resolve("outer"), "exec " + inner + " \"$@\"");
    Map<String, String> environment = new HashMap<>(fake.environment(Map.of()));
    environment.put("KCACHE_HIPCC", outer.toString());
    Digest before;
    try (DriverToolchain toolchain = find(environment)) {
      before = identity(toolchain);
    }
    Script.write(inner, "exec " + fake.root + "/bin/hipcc \"$@\" # another one");

    try (DriverToolchain toolchain = find(environment)) {
      assertThat(identity(toolchain)).isNotEqualTo(before);
    }
  }

  @Test
  void identity_fileReplacedAndPutBack_isTheFirst() throws IOException {
    byte[] original = Files.readAllBytes(fake.bitcode);
    try (DriverToolchain toolchain = find()) {
      Digest before = identity(toolchain);
      Files.writeString(fake.bitcode, "other");
      clock.pass(INTERVAL);
      assertThat(identity(toolchain)).isNotEqualTo(before);

      Files.write(fake.bitcode, original);
      clock.pass(INTERVAL);

      assertThat(identity(toolchain)).isEqualTo(before);
    }
  }

  @Test
  void hasUnchanged_headerReplaced_isFalse() throws IOException {
    Toolchain.File header = header();
    try (DriverToolchain toolchain = find()) {
      assertThat(toolchain.hasUnchanged(List.of(header))).isTrue();

      Script.replaceKeepingSizeAndTime(fake.header);
      clock.pass(INTERVAL);

      assertThat(toolchain.hasUnchanged(List.of(header))).isFalse();
    }
  }

  @Test
  void isStillUnchanged_listThatAnEarlierProcessRemembered_isTrueUntilAFileIsReplaced()
      throws IOException {
    Digest list = Digest.of(new byte[] {1});
    clock.pass(Duration.ofSeconds(10));
    try (DriverToolchain toolchain = find()) {
      assertThat(toolchain.isStillUnchanged(list)).isFalse();
      toolchain.rememberUnchanged(list, List.of(header()));
    }
    try (DriverToolchain toolchain = find()) {
      assertThat(toolchain.isStillUnchanged(list)).isTrue();
      assertThat(toolchain.isStillUnchanged(Digest.of(new byte[] {2}))).isFalse();
      Script.replaceKeepingSizeAndTime(fake.header);
      assertThat(toolchain.isStillUnchanged(list)).isFalse();
    }
  }

  @Test
  void rememberUnchanged_fileThatChangedAMomentAgo_isNotRemembered() throws IOException {
    Digest list = Digest.of(new byte[] {1});
    try (DriverToolchain toolchain = find()) {
      Files.setLastModifiedTime(fake.header, FileTime.from(clock.instant()));
      clock.pass(Duration.ofSeconds(3));
      toolchain.rememberUnchanged(list, List.of(header()));
      assertThat(toolchain.isStillUnchanged(list)).isFalse();
      clock.pass(Duration.ofSeconds(3));
      toolchain.rememberUnchanged(list, List.of(header()));
      assertThat(toolchain.isStillUnchanged(list)).isTrue();
    }
  }

  @Test
  void rememberUnchanged_hundredsOfLists_keepsTheNewest() throws IOException {
    clock.pass(Duration.ofSeconds(10));
    try (DriverToolchain toolchain = find()) {
      for (int i = 0; i <= 256; i++) {
        toolchain.rememberUnchanged(Digest.of(("list " + i).getBytes(UTF_8)), List.of(header()));
      }
      assertThat(toolchain.isStillUnchanged(Digest.of("list 256".getBytes(UTF_8)))).isTrue();
    }
    try (Stream<Path> files = Files.walk(memo)) {
      assertThat(files.filter(file -> file.toString().endsWith(".stamps"))).hasSize(256);
    }
  }

  private Toolchain.File header() throws IOException {
    return new Toolchain.File(fake.header.toString(), Digest.of(Files.readAllBytes(fake.header)));
  }

  @Test
  void hasUnchanged_fileIsGoneOrNoFile_isFalse() {
    Digest digest = Digest.of(new byte[0]);
    try (DriverToolchain toolchain = find()) {
      assertThat(toolchain.hasUnchanged(List.of(new Toolchain.File("/nowhere", digest)))).isFalse();
      assertThat(toolchain.hasUnchanged(List.of(new Toolchain.File("/dev/null", digest))))
          .isFalse();
      assertThat(toolchain.hasUnchanged(List.of(new Toolchain.File("a\0b", digest)))).isFalse();
    }
  }

  @Test
  void identity_environmentOfTheCaller_neverReachesHipcc() throws IOException {
    Digest plain;
    try (DriverToolchain toolchain = find()) {
      plain = identity(toolchain);
    }
    Map<String, String> noisy =
        Map.of(
            "HIPCC_COMPILE_FLAGS_APPEND", "-O0",
            "HIP_PLATFORM", "nvidia",
            "CPATH", "/tmp",
            "GLIBC_TUNABLES", "glibc.malloc.check=3");
    try (DriverToolchain toolchain =
        TestToolchains.find(
            Platform.AMD, fake.environment(noisy), () -> directory, Optional.empty(), clock)) {
      assertThat(identity(toolchain)).isEqualTo(plain);
      assertThat(fake.variables())
          .contains("HIP_PLATFORM=amd")
          .noneMatch(line -> line.matches("(HIPCC_|CPATH|GLIBC_TUNABLES).*"));
    }
  }

  @Test
  void memo_secondProcess_startsNothing() throws IOException {
    Digest first = askOnce();
    List<String> runs = fake.runs();

    try (DriverToolchain second = find()) {
      assertThat(second.label()).isEqualTo(new ToolchainLabel("6.1"));
      assertThat(identity(second)).isEqualTo(first);
    }
    assertThat(fake.runs()).isEqualTo(runs).hasSize(2);
  }

  @Test
  void memo_otherTarget_isAnotherQuestion() throws IOException {
    askOnce();
    try (DriverToolchain second = find()) {
      second.identity(FakeHipcc.TARGET, Options.of("-O1"));
    }
    assertThat(fake.runs()).hasSize(3);
  }

  @Test
  void memo_newerLibraryBesideTheOldOne_asksAgain() throws IOException {
    askOnce();
    int runs = fake.runs().size();
    Files.createDirectory(fake.root.resolve("include/c++/13"));

    askOnce();

    assertThat(fake.runs()).hasSize(runs + 1);
  }

  @Test
  void memo_damagedOrOfAnotherQuestion_isAsGoodAsNone() throws IOException {
    Digest first = askOnce();
    List<byte[]> contents = new ArrayList<>(List.of(new byte[0], new byte[] {'{'}));
    for (List<List<String>> lines :
        List.of(
            List.<List<String>>of(),
            List.of(List.of("gfx90a", "of another question", "")),
            List.of(List.of("\0"), List.<String>of(), List.of("clang")),
            List.of(List.<String>of(), List.<String>of(), List.<String>of()))) {
      contents.add(
          ProbeCacheCodec.encodeAnswer(new ProbeResult(lines, Map.of("/missing", "absent"), true)));
    }
    for (byte[] content : contents) {
      try (Stream<Path> files = Files.walk(memo)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.write(file, content);
        }
      }
      assertThat(askOnce()).as(new String(content, UTF_8)).isEqualTo(first);
    }
  }

  @Test
  void memo_cannotBeWritten_isAsGoodAsNone() throws IOException {
    memo = Files.createFile(directory.resolve("file"));

    Digest first = askOnce();

    assertThat(askOnce()).isEqualTo(first);
  }

  @Test
  void memo_onDisk_isForThisUserOnly() throws IOException {
    askOnce();
    try (Stream<Path> files = Files.walk(memo)) {
      assertThat(files.filter(Files::isRegularFile))
          .hasSize(4)
          .allMatch(file -> permissions(file).equals("rw-------"));
    }
  }

  @Test
  void identity_fileChangedAMomentAgo_isReadAgain() throws IOException {
    TickingClock now = new TickingClock();
    now.pass(Duration.ofHours(-1));
    ProbeResult answer = ProbeResult.dependingOn(Set.of(fake.bitcode), List.of(), now.instant());

    assertThat(answer.settled()).isFalse();
    assertThat(answer.holds()).isFalse();
  }

  private Digest askOnce() {
    try (DriverToolchain toolchain = find()) {
      return identity(toolchain);
    }
  }

  private DriverToolchain find() {
    return find(fake.environment(Map.of()));
  }

  private DriverToolchain find(Map<String, String> environment) {
    return TestToolchains.find(
        Platform.AMD, environment, () -> directory, Optional.of(memo), clock);
  }

  private static Digest identity(DriverToolchain toolchain) {
    return toolchain.identity(FakeHipcc.TARGET, Options.DEFAULT);
  }

  private static String permissions(Path file) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
