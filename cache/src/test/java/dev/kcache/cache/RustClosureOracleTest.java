// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The oracle is the rustc on the PATH: what it lists as read ({@code --emit=dep-info}) where the
 * source lies must be what it reads where the closure is staged.
 */
final class RustClosureOracleTest {
  /** Each tree is one run of rustc, and each tenth is run where it is staged as well. */
  private static final int TREES = Integer.getInteger("kcache.rust.trees", 60);

  @TempDir Path directory;

  /** The trees of rust-trees.txt, a source and the files around it each. */
  static Stream<String> oddTrees() throws IOException {
    try (var in = RustClosureOracleTest.class.getResourceAsStream("rust-trees.txt")) {
      return Arrays.stream(new String(in.readAllBytes(), UTF_8).split("(?m)^#### ", -1)).skip(1);
    }
  }

  @ParameterizedTest
  @MethodSource("oddTrees")
  void closureOfAnOddTree_isWhatTheCompilerReads(String described) throws Exception {
    Map<String, String> files = new LinkedHashMap<>();
    for (String file : described.split("(?m)^== ", -1)) {
      String[] parts = file.split("\n", 2);
      files.put(parts[0], parts[1]);
    }
    String title = files.keySet().iterator().next();
    files.remove(title);
    files.replaceAll((name, text) -> title.contains("CR LF") ? text.replace("\n", "\r\n") : text);

    Tree tree = new Tree(directory.toRealPath().resolve("a/b/c"), files);

    assertThat(tree.readWhereStaged()).isEqualTo(tree.read()).hasSizeGreaterThan(1);
    assertThat(tree.closure()).containsAll(tree.read());
  }

  static Stream<List<Integer>> seeds() {
    int batch = 20;
    return IntStream.range(0, (TREES + batch - 1) / batch)
        .mapToObj(each -> IntStream.range(each * batch, (each + 1) * batch).boxed().toList());
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void closureOfRandomTrees_isWhatTheCompilerReads(List<Integer> seeds) throws Exception {
    for (int seed : seeds) {
      Map<String, String> files = new RandomRust(new Random(seed)).files();
      Tree tree = new Tree(directory.toRealPath().resolve("t" + seed), files);

      Set<String> read = tree.read();

      assertThat(tree.closure()).as("seed %s", seed).containsAll(read);
      assertThat(tree.closure().size()).as("seed %s", seed).isLessThanOrEqualTo(read.size() + 3);
      if (seed % 10 == 0) {
        assertThat(tree.readWhereStaged()).as("seed %s", seed).isEqualTo(read);
      }
    }
  }

  /** Files on disk, the first of which is the source. */
  private static final class Tree {
    private final Path root;
    private final String main;
    private final StagedSource staged;

    Tree(Path root, Map<String, String> files) throws IOException {
      this.root = root;
      this.main = files.keySet().iterator().next();
      for (Map.Entry<String, String> file : files.entrySet()) {
        Path path = root.resolve(file.getKey()).normalize();
        Files.createDirectories(path.getParent());
        Files.writeString(path, file.getValue());
      }
      staged = KernelSource.read(root.resolve(main)).staged();
    }

    Set<String> closure() {
      return staged.files().stream()
          .filter(file -> !file.path().endsWith("/.keep"))
          .map(file -> relative(Path.of(staged.displayNames().get(file.path()))))
          .collect(Collectors.toCollection(TreeSet::new));
    }

    Set<String> read() throws Exception {
      return rustc(root, main).stream()
          .map(file -> relative(root.resolve(file)))
          .collect(Collectors.toCollection(TreeSet::new));
    }

    Set<String> readWhereStaged() throws Exception {
      Path staging = root.resolveSibling("staged " + root.getFileName());
      for (Toolchain.SourceFile file : staged.files()) {
        Path path = staging.resolve(file.path());
        Files.createDirectories(path.getParent());
        byte[] content = new byte[file.content().remaining()];
        file.content().duplicate().get(content);
        Files.write(path, content);
      }
      return rustc(staging, staged.mainFile()).stream()
          .map(file -> staging.relativize(staging.resolve(file).normalize()).toString())
          .map(file -> relative(Path.of(staged.displayNames().get(file))))
          .collect(Collectors.toCollection(TreeSet::new));
    }

    private String relative(Path file) {
      return root.relativize(file.normalize()).toString();
    }

    private static List<String> rustc(Path directory, String main) throws Exception {
      List<String> command = new ArrayList<>();
      command.addAll(List.of("rustc", "--edition=2021", "--crate-type=lib", "--crate-name=k"));
      command.addAll(List.of("--emit=dep-info=-", "-Awarnings", main));
      ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
      builder.environment().put("RUSTC_BOOTSTRAP", "1");
      Path errors = directory.resolveSibling("errors");
      Process process = builder.redirectError(errors.toFile()).start();
      process.getOutputStream().close();
      String rule = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor()).as("%s", Files.readString(errors)).isZero();
      return rule.lines()
          .filter(line -> line.endsWith(":"))
          .map(line -> line.substring(0, line.length() - 1).replace("\\ ", " "))
          .toList();
    }
  }
}
