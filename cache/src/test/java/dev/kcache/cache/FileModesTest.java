// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.toolchain.standin.FakeHipcc;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The modes of all files that a process makes, whatever its umask is. */
@Timeout(120)
class FileModesTest {
  @TempDir Path directory;
  private FakeHipcc fake;
  private Path root;
  private Path staged;

  @BeforeEach
  void makeCompiler() throws IOException {
    fake = new FakeHipcc(directory.resolve("rocm"));
    root = directory.resolve("cache");
    staged = directory.resolve("staged");
    Path image = fake.root.resolve("made");
    try (InputStream in = FileModesTest.class.getResourceAsStream("/elf/gfx90a.elf")) {
      Files.copy(Objects.requireNonNull(in), image);
    }
    fake.compilesWith(
        String.join(
            "\n",
            "for main; do :; done",
            "echo \"x: $main\" >../out.d; cat " + image + " >../out.co; echo x >$TMPDIR/x",
            "find .. -printf '%m %y %p\\n' >>" + staged));
  }

  /** The last takes everything away, from the owner too. */
  @ParameterizedTest
  @ValueSource(strings = {"000", "022", "077", "0277", "0777"})
  void modes_ofAPrivateCache_areTheOwnersAlone(String umask) throws Exception {
    run(umask, Map.of());

    assertThat(kinds(root)).contains(".co", ".json", ".deps", "memo", "usage", "quarantine");
    assertThat(open(root)).isEmpty();
    assertStagedIsPrivate();
  }

  @ParameterizedTest
  @ValueSource(strings = {"000", "077"})
  void modes_ofASharedCache_areTheGroups(String umask) throws Exception {
    run(umask, Map.of("KCACHE_SHARED", "group"));

    assertThat(modes(root)).contains("2770 d", "660 f").containsOnly("2770 d", "660 f");
    assertStagedIsPrivate();
  }

  @ParameterizedTest
  @ValueSource(strings = {"000", "022", "077", "0277"})
  void modes_ofALayer_letEverybodyRead(String umask) throws Exception {
    run(umask, Map.of("KCACHE_DIR", directory.resolve("own").toString()), "layer");

    assertThat(kinds(root)).contains(".co", ".json", ".deps", "quarantine");
    assertThat(modes(root)).containsExactlyInAnyOrder("755 d", "644 f");
    assertThat(open(directory.resolve("own"))).isEmpty();
    assertStagedIsPrivate();
  }

  private void assertStagedIsPrivate() throws IOException {
    List<String> lines = Files.readAllLines(staged);
    assertThat(lines).hasSizeGreaterThan(10);
    assertThat(lines)
        .allSatisfy(line -> assertThat(line).matches("(?:700 d|600 f) .*"))
        .anySatisfy(line -> assertThat(line).endsWith("/stdout"));
  }

  private void run(String umask, Map<String, String> more, String... kind) throws Exception {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("/bin/sh", "-c", "umask " + umask + "; exec \"$@\"", "sh"));
    command.addAll(Jvm.command(FileModesMain.class, List.of("-Xmx64m"), root.toString()));
    command.addAll(List.of(kind));
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().clear();
    builder.environment().putAll(fake.environment(Map.of("KCACHE_DIR", root.toString())));
    builder.environment().putAll(more);
    builder.environment().put("XDG_CACHE_HOME", directory.resolve("home").toString());
    builder.environment().put("TMPDIR", directory.toString());
    assertThat(builder.start().waitFor()).isZero();
  }

  /** Returns what others than the owner may use, or the owner may not. */
  private static List<String> open(Path tree) throws IOException {
    return CacheTestBase.files(tree, "").stream()
        .map(path -> mode(path) + " " + path)
        .filter(line -> !line.startsWith("600 ") && !line.startsWith("700 "))
        .toList();
  }

  private static List<String> modes(Path tree) throws IOException {
    return CacheTestBase.files(tree, "").stream()
        .map(path -> mode(path) + (Files.isDirectory(path) ? " d" : " f"))
        .distinct()
        .toList();
  }

  private static String kinds(Path tree) throws IOException {
    return CacheTestBase.files(tree, "").toString();
  }

  private static String mode(Path path) {
    try {
      int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      return Integer.toOctalString(mode & 07777);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
