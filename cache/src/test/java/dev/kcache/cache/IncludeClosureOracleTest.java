// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.source.CompilerOfHipcc;
import dev.kcache.toolchain.Toolchain;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The oracle is the preprocessor behind the {@code hipcc} on the PATH: in random trees, what it
 * reads and prints where the source lies must be what it reads and prints where the closure is
 * staged.
 */
final class IncludeClosureOracleTest {
  private static final List<String> DIRECTORIES =
      List.of("k", "k/sub", "common", "inc", "inc/sub", "inc two");
  private static final List<String> NAMES =
      List.of(
          "a.h",
          "b.h",
          "sub/a.h",
          "../a.h",
          "../common/b.h",
          "sub/../b.h",
          "../k/a.h",
          "./c.h",
          "../inc two/a.h",
          "../../a.h");

  private static Path compiler;

  @TempDir Path directory;

  @BeforeAll
  static void findCompiler() throws IOException {
    compiler = CompilerOfHipcc.find();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void closure_isWhatTheCompilerReads(long seed) throws Exception {
    Random random = new Random(seed);
    Path tree = directory.toRealPath().resolve("deep/tree");
    List<String> searched = grow(tree, random);

    KernelSource source = KernelSource.read(tree.resolve("k/main.hip"));
    for (String include : searched) {
      source = source.withIncludeDirectory(tree.resolve(include));
    }
    Path staging = directory.toRealPath().resolve("staging");
    stage(source, staging);

    Run original = preprocess(tree, "k/main.hip", searched);
    Run staged =
        preprocess(staging, source.staged().mainFile(), source.staged().includeDirectories());
    assertThat(displays(staged, staging, source.staged().displayNames(), tree))
        .isEqualTo(displays(original, tree, Map.of(), tree))
        .hasSizeGreaterThan(1);
    assertThat(staged.text).isEqualTo(original.text).contains("main.hip");
  }

  /** Makes a tree of files that include one another and returns the include directories. */
  private static List<String> grow(Path tree, Random random) throws IOException {
    for (String directory : DIRECTORIES) {
      Files.createDirectories(tree.resolve(directory));
      for (String name : List.of("a.h", "b.h", "c.h")) {
        if (random.nextInt(3) > 0) {
          Files.writeString(tree.resolve(directory + "/" + name), text(directory, name, random));
        }
      }
    }
    Files.writeString(tree.resolve("k/main.hip"), text("k", "main.hip", random));
    Files.writeString(tree.resolve("k/a.h"), text("k", "a.h", random));
    Files.writeString(
        tree.resolve("k/main.hip"), "#include \"a.h\"\n" + text("k", "main.hip", random));
    List<String> searched = new ArrayList<>(List.of("inc", "inc/sub", "common", "k", "inc two"));
    Collections.shuffle(searched, random);
    return searched.subList(0, 1 + random.nextInt(4));
  }

  private static String text(String directory, String name, Random random) {
    StringBuilder text = new StringBuilder("#pragma once\n");
    for (int i = 0; i < 5; i++) {
      String included = NAMES.get(random.nextInt(NAMES.size()));
      String operand = random.nextInt(3) > 0 ? "\"" + included + "\"" : "<" + included + ">";
      String next = random.nextInt(4) == 0 && !name.equals("main.hip") ? "_next" : "";
      text.append("#if __has_include" + next + "(" + operand + ")\n");
      text.append("# /* c */ include" + next + " \\\n " + operand + " // c\n#endif\n");
    }
    return text + "const char* here = \"" + directory + "/" + name + "\";\n";
  }

  private static void stage(KernelSource source, Path staging) throws IOException {
    for (Toolchain.SourceFile file : source.staged().files()) {
      Path path = staging.resolve(file.path());
      Files.createDirectories(path.getParent());
      byte[] bytes = new byte[file.content().remaining()];
      file.content().duplicate().get(bytes);
      Files.write(path, bytes);
    }
  }

  private static Set<String> displays(
      Run run, Path directory, Map<String, String> names, Path tree) {
    Set<String> displays = new TreeSet<>();
    for (String file : run.files) {
      String path = directory.relativize(directory.resolve(file).normalize()).toString();
      Path display = tree.resolve(names.getOrDefault(path, path)).normalize();
      displays.add(tree.relativize(display).toString());
    }
    return displays;
  }

  private Run preprocess(Path where, String main, List<String> searched) throws Exception {
    Path dependencies = directory.toRealPath().resolve("dependencies");
    Path output = directory.toRealPath().resolve("output");
    List<String> command =
        new ArrayList<>(
            List.of("" + compiler, "--cuda-device-only", "--offload-arch=gfx90a", "-nogpulib"));
    command.add("-nogpuinc");
    command.addAll(List.of("-Wno-everything", "-E", "-P", "-x", "hip", main, "-o", "" + output));
    searched.forEach(include -> command.add("-I" + include));
    for (String argument :
        List.of("-dependency-file", "" + dependencies, "-sys-header-deps", "-MT", "x")) {
      command.addAll(List.of("-Xclang", argument));
    }
    ProcessBuilder builder = new ProcessBuilder(command).directory(where.toFile());
    File log = directory.resolve("log").toFile();
    Process process = builder.redirectErrorStream(true).redirectOutput(log).start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log.toPath())).isZero();
    return new Run(
        CompilerOfHipcc.prerequisites(Files.readString(dependencies)),
        Files.readString(output, UTF_8));
  }

  private record Run(List<String> files, String text) {}
}
