// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestTest {
  @TempDir private Path directory;
  private CommandRunner command;
  private Path trace;

  @BeforeEach
  void createRunner() {
    command = new CommandRunner(directory);
    trace = directory.resolve("trace");
  }

  /** Runs an application on gfx90a and, with one of its kernels, on gfx1030. */
  private void traceAnApplication() {
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of("KCACHE_DIR", directory.resolve("application").toString()))
            .toolchain(command.toolchain)
            .traceTo(trace)
            .build()) {
      cache.getOrCompile(KernelSource.read(command.kernel("a.hip")), Fixtures.GFX90A);
      cache.getOrCompile(KernelSource.read(command.kernel("a.hip")), Fixtures.GFX1030);
      cache.getOrCompile(KernelSource.read(command.kernel("b.hip")), Fixtures.GFX90A);
    }
    command.toolchain.jobs.clear();
  }

  @Test
  void trace_isPrewarmedForTheTargetsThatItNames() {
    traceAnApplication();

    Run run = command.run("prewarm", "--manifest", trace);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("compiled  gfx90a  a.hip", "compiled  gfx1030  a.hip", "compiled  gfx90a  b.hip")
        .contains("0 hits, 3 compiled");
  }

  @Test
  void trace_isPrewarmedForOtherTargetsInstead() {
    traceAnApplication();

    Run run = command.run("prewarm", "--manifest", trace, "--arch", "gfx1030");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("0 hits, 2 compiled").doesNotContain("gfx90a ");
  }

  @Test
  void manifest_standsBesideFilesAndNothingIsDoneTwice() {
    traceAnApplication();

    Run run =
        command.run(
            "prewarm",
            directory.resolve("a.hip"),
            command.kernel("c.hip"),
            "--manifest",
            trace,
            "--arch",
            "gfx90a");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("0 hits, 3 compiled");
  }

  @Test
  void trace_isListed() {
    traceAnApplication();

    assertThat(command.run("trace", trace).out().lines())
        .containsExactly(
            "miss  gfx1030  a.hip  -O3 -std=c++17",
            "miss  gfx90a   a.hip  -O3 -std=c++17",
            "miss  gfx90a   b.hip  -O3 -std=c++17");
    assertThat(command.run("trace", trace, "--json").out())
        .startsWith("{\"schema\":\"kcache.trace/1\",\"directory\":\"" + trace + "\",")
        .contains("\"files\":[{\"path\":\"src/a.hip\",\"sha256\":\"");
    assertThat(command.run("trace", directory).err())
        .contains("'" + directory + "' is not a trace");
    assertThat(command.run("trace", "/dev/null").err()).contains("'/dev/null' is not a trace");
  }

  /** Else a trace would grow by the targets for which it is prewarmed. */
  @Test
  void prewarm_tracesNothing() throws IOException {
    traceAnApplication();
    command.environment.put("KCACHE_TRACE", trace.toString());

    command.run("prewarm", "--manifest", trace, "--arch", "gfx1030");

    assertThat(CommandRunner.files(trace, ".json")).hasSize(3);
  }

  @Test
  void damagedTrace_isOneLineAndNothingIsCompiled() throws IOException {
    traceAnApplication();
    Path request = CommandRunner.files(trace, ".json").get(0);
    Files.writeString(request, "{");

    Run run = command.run("prewarm", "--manifest", trace);

    assertThat(run.exitCode()).isEqualTo(ExitCode.DAMAGED);
    assertThat(run.err().lines()).singleElement().asString().contains(request.toString());
    assertThat(command.toolchain.jobs).isEmpty();
    assertThat(command.run("trace", trace).exitCode()).isEqualTo(ExitCode.DAMAGED);
  }

  private Path crate() throws IOException {
    Path crate = Files.createDirectories(directory.resolve("crate/src")).getParent();
    Files.writeString(
        crate.resolve("Cargo.toml"), "[package]\nname = \"k\"\nversion = \"1.0.0\"\n");
    Files.writeString(crate.resolve("Cargo.lock"), "version = 4\n");
    Files.writeString(crate.resolve("src/lib.rs"), "// gpu-kernel\n");
    return crate;
  }

  /** A trace may come from another machine; whoever compiles it here allows it here. */
  @Test
  void trace_ofACrateThatRunsCode_needsTheOptionAgain() throws IOException {
    CompileOptions allowed = CompileOptions.of("--allow-build-scripts");
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of("KCACHE_DIR", directory.resolve("application").toString()))
            .toolchain(command.toolchain)
            .traceTo(trace)
            .build()) {
      cache.getOrCompile(KernelSource.read(crate()).withOptions(allowed), Fixtures.GFX90A);
    }
    command.toolchain.jobs.clear();

    for (String[] verb : new String[][] {{"prewarm"}, {"verify", "--recompile=all"}}) {
      List<String> refused = new ArrayList<>(List.of(verb));
      refused.addAll(List.of("--manifest", trace.toString()));
      Run run = command.run(refused.toArray());
      assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(run.err())
          .contains("crate k was allowed to run its code when it is compiled; add --allow-build");
    }
    assertThat(command.toolchain.jobs).isEmpty();
    Run run = command.run("prewarm", "--allow-build-scripts", "--manifest", trace);
    assertThat(run.err() + run.exitCode()).isEqualTo("0");
    assertThat(command.toolchain.jobs).hasSize(1);
  }

  @Test
  void buildScripts_areAllowedForTheCratesOfAManifestOrOfACommand() throws IOException {
    Path crate = crate();
    Path manifest = directory.resolve("m.json");
    Files.writeString(
        manifest,
        "{\"schema\": \"kcache.manifest/1\", \"targets\": [\"gfx90a\"], \"kernels\":"
            + " [{\"source\": \"crate\", \"allowBuildScripts\": true}]}");
    command.run("prewarm", "--manifest", manifest);
    command.run(
        "prewarm", crate, command.kernel("a.hip"), "--allow-build-scripts", "--arch", "gfx1030");
    command.run("prewarm", crate, "--arch", "gfx1100");

    assertThat(command.toolchain.jobs)
        .extracting(job -> job.source().name() + " " + job.target() + " " + job.options())
        .containsExactlyInAnyOrder(
            "k gfx90a [-O3, --allow-build-scripts]",
            "k gfx1030 [-O3, --allow-build-scripts]",
            "a.hip gfx1030 [-O3, -std=c++17]",
            "k gfx1100 [-O3]");
    Files.writeString(
        manifest,
        "{\"schema\": \"kcache.manifest/1\", \"targets\": [\"gfx90a\"], \"kernels\":"
            + " [{\"source\": \"crate\", \"allowBuildScripts\": \"yes\"}]}");
    assertThat(command.run("prewarm", "--manifest", manifest).err())
        .contains("'allowBuildScripts' is true or false");
  }
}
