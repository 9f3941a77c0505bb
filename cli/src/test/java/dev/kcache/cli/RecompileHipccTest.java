// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.codeobject.Digest;
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
import org.junit.jupiter.api.Timeout;

/** Entries that are compiled again, with the compiler of this machine. */
@Timeout(300)
class RecompileHipccTest extends CommandTestBase {
  private static final String KERNEL =
      "#include <hip/hip_runtime.h>\n#include <tuned.h>\nextern \"C\" __global__ void k(float* x) { *x = %s; }\n";

  private Path tuned;
  private Path right;
  private Path other;

  /** Where the compiler looks for headers before it finds its own. */
  private Path first;

  private Path manifest;

  /** The compiler has a header of its own that can be changed. */
  @BeforeEach
  void prewarm() throws IOException {
    tuned = command.write("tuned/tuned.h", "#define FACTOR 2\n");
    first = Files.createDirectory(directory.resolve("first"));
    Path bin = Files.createDirectory(directory.resolve("bin"));
    Programs.script(
        bin.resolve("hipcc"),
        "exec %s -isystem %s -isystem %s \"$@\""
            .formatted(Programs.onPath("hipcc"), first, tuned.getParent()));
    right = command.write("right.hip", KERNEL.formatted("FACTOR"));
    other = command.write("other.hip", KERNEL.formatted("7"));
    manifest =
        command.write(
            "kernels.json",
            """
            {"schema": "kcache.manifest/1", "kernels": [{"source": "right.hip"}, {"source": "other.hip"}]}
            """);
    command.realCompiler = true;
    command.environment.putAll(System.getenv());
    put("KCACHE_DIR", command.cache.toString(), "PATH", bin + ":" + System.getenv("PATH"));
    succeeds("prewarm", right, other, "--arch", "gfx90a");
  }

  private Run verify(int exitCode) {
    Run run = command.run("verify", "--recompile", "all", "--manifest", manifest);
    assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(exitCode);
    return run;
  }

  @Test
  void soundEntries_giveTheSameBytes() {
    Run run = verify(ExitCode.OK);

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .endsWith(
            ": all sound\n2 of 2 entries compiled again: 2 the same, 0 wrong, 0 not comparable\n");
    assertThat(command.cache.resolve("quarantine")).doesNotExist();
  }

  @Test
  void traceOfAnApplication_hasTheSourcesToo() {
    Path trace = directory.resolve("trace");
    Map<String, String> environment = new HashMap<>(command.environment);
    environment.put("KCACHE_TRACE", trace.toString());
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      cache.getOrCompile(KernelSource.read(right), Fixtures.GFX90A);
    }
    manifest = trace;

    assertThat(verify(ExitCode.OK).out())
        .endsWith(
            "1 of 1 entry compiled again: 1 the same, 0 wrong, 0 not comparable\n1 entry has no source in '%s'\n"
                .formatted(trace));
  }

  @Test
  void codeObjectOfAnotherSource_isFoundQuarantinedAndCompiledAnew() throws IOException {
    byte[] sound = image("right.hip");
    plant(command.cache);
    assertThat(succeeds("verify").out()).contains("all sound");

    Run run = verify(ExitCode.DAMAGED);

    assertThat(run.out())
        .contains(
            "wrong  gfx90a  right.hip  ",
            "  the same compiler gives other bytes; moved to quarantine\n")
        .contains("2 of 2 entries compiled again: 1 the same, 1 wrong, 0 not comparable\n");
    assertThat(run.err())
        .isEqualTo("kcache: an entry does not have the bytes that its source gives\n");
    assertThat(CommandRunner.files(command.cache.resolve("quarantine"), ".json")).hasSize(1);
    assertThat(succeeds("prewarm", right, "--arch", "gfx90a").out()).contains("1 compiled");
    assertThat(image("right.hip")).isEqualTo(sound);
    verify(ExitCode.OK);
  }

  @Test
  void wrongEntryOfALayer_isReportedAndStays() throws IOException {
    Path layer = directory.resolve("layer");
    copyEntries(layer);
    plant(layer);
    List<Path> before = CommandRunner.files(layer, "");
    put("KCACHE_PATH", layer.toString());

    Run run = verify(ExitCode.DAMAGED);

    assertThat(run.out())
        .contains("the same compiler gives other bytes; not moved out of '" + layer + "'")
        .contains("4 of 4 entries compiled again: 3 the same, 1 wrong, 0 not comparable");
    assertThat(CommandRunner.files(layer, "")).isEqualTo(before);
  }

  @Test
  void headerOfTheCompilerThatChanged_isNamed() throws IOException {
    Files.writeString(tuned, "#define FACTOR 3\n");

    Run run = verify(ExitCode.OK);

    assertThat(run.out())
        .contains(
            "not comparable  gfx90a  right.hip  ", "compiler header '" + tuned + "' changed\n")
        .contains("2 of 2 entries compiled again: 1 the same, 0 wrong, 1 not comparable");
    assertThat(command.cache.resolve("quarantine")).doesNotExist();
  }

  @Test
  void headerOfTheCompilerThatIsNew_isNamed() throws IOException {
    Path added = Files.writeString(first.resolve("tuned.h"), "#define FACTOR 3\n");

    assertThat(verify(ExitCode.OK).out())
        .contains("not comparable  gfx90a  right.hip  ", "compiler header '" + added + "' is new\n")
        .contains("2 of 2 entries compiled again: 1 the same, 0 wrong, 1 not comparable");
    assertThat(command.cache.resolve("quarantine")).doesNotExist();
  }

  private static Path entries(Path cache) throws IOException {
    try (Stream<Path> directories = Files.list(cache)) {
      return directories
          .filter(each -> each.getFileName().toString().startsWith("gfx90a-"))
          .findFirst()
          .orElseThrow();
    }
  }

  private void copyEntries(Path to) throws IOException {
    for (Path file : CommandRunner.files(entries(command.cache), "")) {
      Path copy = to.resolve(command.cache.relativize(file).toString());
      Files.createDirectories(copy.getParent());
      Files.copy(file, copy);
    }
  }

  /** Makes the record of one source name the code object of the other, with its digest and size. */
  private void plant(Path cache) throws IOException {
    Path record = record(cache, "right.hip");
    Path wrong = record(cache, "other.hip");
    for (String field : List.of("codeObject", "size")) {
      String of = "\"" + field + "\"\\s*:\\s*\"?([0-9a-f]+)";
      String before = find(of, Files.readString(record));
      String after = find(of, Files.readString(wrong));
      Files.writeString(record, Files.readString(record).replace(before, after));
    }
  }

  private static String find(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group();
  }

  private static Path record(Path cache, String source) throws IOException {
    for (Path file : CommandRunner.files(entries(cache), ".json")) {
      if (Files.readString(file).contains("\"" + source + "\"")) {
        return file;
      }
    }
    throw new AssertionError("no record of " + source);
  }

  private byte[] image(String source) throws IOException {
    String text = Files.readString(record(command.cache, source));
    Digest digest =
        Digest.parse(text.replaceFirst("(?s).*?\"codeObject\"\\s*:\\s*\"([0-9a-f]{64})\".*", "$1"));
    return Files.readAllBytes(entries(command.cache).resolve(digest + ".co"));
  }
}
