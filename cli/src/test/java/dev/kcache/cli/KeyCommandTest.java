// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeyCommandTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```text (.+?)\n(.*?)^```$");

  @TempDir Path directory;
  private CommandRunner kcache;

  @BeforeEach
  void makeRunner() {
    kcache = new CommandRunner(directory);
  }

  @Test
  void path_isThatOfTheRecordThatPrewarmWrites() {
    Path source = kcache.kernel("k.hip");
    Run key = kcache.run("key", source, "--arch", "gfx90a");
    kcache.run("prewarm", source, "--arch", "gfx90a");
    Path record = CommandRunner.files(kcache.cache, ".json").get(0);

    assertThat(key.exitCode()).isZero();
    assertThat(key.err()).isEmpty();
    assertThat(key.out().lines())
        .containsExactly(
            "source     " + source,
            "target     gfx90a",
            "request    " + record.getParent().getFileName(),
            "toolchain  " + record.getFileName().toString().replace(".json", ""),
            "path       " + record);
  }

  @Test
  void withoutCompiler_theDirectoryOfTheRecordsIsNamed() {
    kcache.toolchain.missing = true;
    kcache.environment.put("ROCM_VERSION", "5.2");

    Run run = kcache.run("key", kcache.kernel("k.hip"), "--arch", "gfx90a", "--json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .startsWith("{\"schema\":\"kcache.key/1\",\"requests\":[{\"source\":")
        .contains(
            "\"label\":\"5.2\",\"toolchain\":null,\"path\":\"" + kcache.cache + "/gfx90a-5.2/");
  }

  @Test
  void sourceThatCannotBeKeyed_isALineAndNoReasonNotToDoTheOthers() {
    Path refused = kcache.write("r.hip", "#include NAME\n#define NAME __FILE__\n");
    Path good = kcache.kernel("k.hip");

    Run run = kcache.run("key", refused, good, "--arch", "gfx90a");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.out()).startsWith("source     " + good);
  }

  @Test
  void fields_areThoseOfTheVectorsInTheFormat() throws IOException {
    Map<String, String> blocks = new HashMap<>();
    Matcher matcher = BLOCK.matcher(Files.readString(Path.of("..", "docs", "format.md")));
    while (matcher.find()) {
      blocks.put(matcher.group(1), matcher.group(2));
    }
    blocks.forEach(
        (name, text) -> {
          if (name.startsWith("file ")) {
            String file = name.substring("file ".length());
            kcache.write(file.startsWith("include/") ? "elsewhere/" + file : "src/" + file, text);
          }
        });

    assertThat(vector("k.hip", "gfx90a")).isEqualTo(blocks.get("request 1"));
    assertThat(
            vector(
                "scale.hip",
                "gfx942:sramecc+:xnack-",
                "-I",
                directory.resolve("elsewhere/include").toString(),
                "--header",
                "gen/t.h=" + directory.resolve("src/gen/t.h"),
                "-D",
                "N=4",
                "--option=-O2"))
        .isEqualTo(blocks.get("request 2"));
    assertThat(
            vector(
                "t.hip",
                "gfx90a",
                "--instantiate",
                " ns :: scale<unsigned  int,(1 >  0),2 - -1>",
                "--instantiate=ns::scale<float,true>"))
        .isEqualTo(blocks.get("request 3"));
  }

  private String vector(String source, String target, String... more) {
    Object[] arguments =
        Stream.concat(
                Stream.of(
                    "key", directory.resolve("src").resolve(source), "--fields", "--arch", target),
                Stream.of(more))
            .toArray();
    List<String> lines = kcache.run(arguments).out().lines().toList();
    String request = lines.get(2).substring("request    ".length());
    List<String> fields = lines.stream().filter(line -> line.matches("(text|number) .*")).toList();
    return String.join("\n", fields) + "\nsha256 " + request + "\n";
  }
}
