// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.toolchain.Toolchain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole command over a real cache directory, with a compiler that is none. */
class PrewarmCommandTest extends CommandTestBase {
  private static final String GFX90A = Fixtures.codeObject(Fixtures.GFX90A).digest().toString();
  private static final String GFX1030 = Fixtures.codeObject(Fixtures.GFX1030).digest().toString();

  @Test
  void interrupt_isHeardFromTheBeginning() {
    Path source = directory.resolve("late.hip");
    command.interrupts =
        action -> {
          command.kernel("late.hip"); // Nothing was read before.
          return CommandRunner.AT_ONCE.register(action);
        };

    Run run = ends(ExitCode.INTERRUPTED, "prewarm", source, "--arch", "gfx90a");

    assertThat(run.out()).startsWith("0 hits, 0 compiled, 0 failed, 1 not done;");
    assertThat(run.err())
        .isEqualTo("kcache: interrupted; what is finished is kept, run it again to do the rest\n");
  }

  @Test
  void sealedCache_missesAKernelAsIfItHadFailed() {
    put("KCACHE_POLICY", "sealed");

    Run run = ends(ExitCode.FAILED, "prewarm", command.kernel("a.hip"), "--arch", "gfx90a");

    assertThat(run.out()).contains("0 hits, 0 compiled, 1 failed;");
    assertThat(run.err())
        .startsWith("kcache: a.hip for gfx90a with toolchain 5.2 (request ")
        .contains("KCACHE_POLICY=sealed forbids compiling it; prewarm it")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"prewarm", "key", "explain"})
  void compilerOfAnotherPlatform_isRefusedAsAnOptionAndToldAsAVariable(String verb) {
    Path kernel = command.kernel("a.hip");
    String why = "nvcc compiles for nvidia only, and no target is one of nvidia's: gfx90a, gfx1030";

    assertThat(ends(ExitCode.USAGE, verb, kernel, "--toolchain=nvcc", "--arch=gfx90a,gfx1030"))
        .isEqualTo(
            new Run(
                2,
                "",
                "kcache: --toolchain "
                    + why
                    + "; leave it out, or name another target by --arch\n"));
    put("KCACHE_TOOLCHAIN", "nvcc");
    assertThat(command.run(verb, kernel, "--arch=gfx90a,gfx1030").err())
        .isEqualTo("kcache: warning: KCACHE_TOOLCHAIN=" + why + "; it is ignored\n");
    assertThat(command.run(verb, kernel, "--arch=gfx90a,sm_90").err())
        .doesNotContain("no target is one of");
  }

  @Test
  void prewarm_compilesEachSourceForEachTarget() {
    Path source = command.kernel("a.hip");

    Run run = succeeds("prewarm", source, "--arch", "gfx90a,gfx1030,gfx90a", "-j1");

    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines())
        .containsExactly(
            "compiled  gfx90a  " + source + "  in 1.5 s  3.5 kB  " + GFX90A,
            "compiled  gfx1030  " + source + "  in 1.5 s  3.4 kB  " + GFX1030,
            "0 hits, 2 compiled, 0 failed; 0 ms saved, 6.8 kB, in 0 ms");
    assertThat(command.cache.resolve("gfx90a-5.2/" + GFX90A + ".co")).isRegularFile();
  }

  @Test
  void prewarm_compilesNothingTwice() {
    Path source = command.kernel("a.hip");
    command.run("prewarm", source, "--arch", "gfx90a");

    assertThat(succeeds("prewarm", source, "--arch", "gfx90a").out().lines())
        .containsExactly(
            "hit       gfx90a  " + source + "  saved 1.5 s  3.5 kB  " + GFX90A,
            "1 hit, 0 compiled, 0 failed; 1.5 s saved, 3.5 kB, in 0 ms");
    assertThat(command.run("prewarm", source, "--arch", "gfx90a", "--json").out())
        .contains("\"compileSeconds\":1.5,\"savedSeconds\":1.5");
    assertThat(command.toolchain.jobs).hasSize(1);
  }

  /** As CMake's {@code AMDGPU_TARGETS}, as a shell's list, and as both at once. */
  @ParameterizedTest
  @ValueSource(strings = {"gfx90a;gfx1030", "gfx90a gfx1030", "gfx90a;gfx1030;", "gfx90a, gfx1030"})
  void targets_areTakenHoweverTheyAreSeparated(String targets) {
    assertThat(succeeds("prewarm", command.kernel("a.hip"), "--arch", targets).out())
        .contains("compiled  gfx90a  ", "compiled  gfx1030  ", "2 compiled");
  }

  @Test
  void force_compilesAgain() {
    Path source = command.kernel("a.hip");
    command.run("prewarm", source, "--arch", "gfx90a");

    Run run = command.run("prewarm", source, "--arch", "gfx90a", "--force");

    assertThat(run.out()).startsWith("compiled  gfx90a");
    assertThat(command.toolchain.jobs).hasSize(2);
  }

  @Test
  void prewarm_compilesFirstWhatIsNewOrTookLongest() {
    Path quick = command.kernel("a.hip");
    Path slow = command.kernel("b.hip", "SLOW");
    command.run("prewarm", quick, slow, "--arch", "gfx90a,gfx1030", "-j1");
    command.toolchain.jobs.clear();
    command.kernel("a.hip", "edited");
    command.kernel("b.hip", "SLOW, edited");
    Path unknown = command.kernel("c.hip");

    command.run("prewarm", quick, slow, unknown, "--arch", "gfx90a,gfx1030", "-j1");

    assertThat(command.toolchain.jobs)
        .extracting(job -> job.source().name())
        .containsExactly("c.hip", "c.hip", "b.hip", "b.hip", "a.hip", "a.hip");
  }

  /** A run may come by more of them than there is memory. */
  @Test
  void prewarm_holdsNoCodeObjectLongerThanItsTaskTakes() {
    Path first = command.kernel("a.hip");
    Path second = command.kernel("b.hip", "another");
    Path last = command.kernel("c.hip", "CENSUS");

    command.run("prewarm", first, second, last, "--arch", "gfx90a", "-j1");

    assertThat(command.toolchain.held).isZero();
  }

  /** So that what is learnt of a source for one target is there for the others. */
  @Test
  void prewarm_compilesEachSourceOnceBeforeAnyForAnotherTarget() {
    Path first = command.kernel("a.hip");
    Path second = command.kernel("b.hip", "another");

    command.run("prewarm", first, second, "--arch", "gfx90a,gfx1030", "-j1");

    assertThat(command.toolchain.jobs)
        .extracting(job -> job.source().name() + " " + job.target())
        .containsExactly("a.hip gfx90a", "b.hip gfx1030", "a.hip gfx1030", "b.hip gfx90a");
  }

  @Test
  void dryRun_onlyTells() {
    Path old = command.kernel("old.hip");
    Path fresh = command.kernel("fresh.hip");
    command.run("prewarm", old, "--arch", "gfx90a");

    assertThat(succeeds("prewarm", old, fresh, "--arch", "gfx90a", "--dry-run").out().lines())
        .containsExactly(
            "hit       gfx90a  " + old + "  3.5 kB  " + GFX90A,
            "miss      gfx90a  " + fresh,
            "1 hit, 0 compiled, 1 to compile, 0 failed; 0 ms saved, 3.5 kB, in 0 ms");
    assertThat(command.toolchain.jobs).hasSize(1);
  }

  @Test
  void dryRun_writesNothing() {
    command.run("prewarm", command.kernel("a.hip"), "--arch", "gfx90a", "--dry-run");

    assertThat(command.cache).doesNotExist();
  }

  @Test
  void brokenKernel_leavesTheOthersAlone() {
    Path good = command.kernel("good.hip");
    Path broken = command.kernel("broken.hip", "BROKEN");

    Run run = ends(ExitCode.FAILED, "prewarm", broken, good, "--arch", "gfx90a", "-j1");

    assertThat(run.err().lines())
        .containsExactly(
            "broken.hip:1:8: error: expected ';'",
            "kcache: gfx90a: broken.hip: the compiler failed with exit code 1");
    assertThat(run.out().lines())
        .containsExactly(
            "failed    gfx90a  " + broken,
            "compiled  gfx90a  " + good + "  in 1.5 s  3.5 kB  " + GFX90A,
            "0 hits, 1 compiled, 1 failed; 0 ms saved, 3.5 kB, in 0 ms");
  }

  @Test
  void brokenKernel_forSeveralTargetsIsShownOnce() {
    Path broken = command.kernel("broken.hip", "BROKEN");

    Run run = command.run("prewarm", broken, "--arch", "gfx90a,gfx1030", "-j1");

    assertThat(run.err().lines())
        .containsExactly(
            "broken.hip:1:8: error: expected ';'",
            "kcache: gfx90a: broken.hip: the compiler failed with exit code 1",
            "kcache: gfx1030: broken.hip: the compiler failed with exit code 1");
  }

  @Test
  void failFast_stopsAtTheFirstFailure() {
    Path broken = command.kernel("broken.hip", "BROKEN");
    Path good = command.kernel("good.hip");

    assertThat(
            ends(ExitCode.FAILED, "prewarm", broken, good, "--arch", "gfx90a", "-j1", "--fail-fast")
                .out())
        .contains("0 hits, 0 compiled, 1 failed, 1 not done;");
    assertThat(command.toolchain.jobs).hasSize(1);
  }

  @Test
  void failFast_endsWhatIsRunning() {
    Path endless = command.kernel("endless.hip", "ENDLESS");
    Path broken = command.kernel("broken.hip", "BROKEN");

    assertThat(
            ends(
                    ExitCode.FAILED,
                    "prewarm",
                    endless,
                    broken,
                    "--arch",
                    "gfx90a",
                    "-j2",
                    "--fail-fast")
                .out())
        .contains(" 1 failed, 1 not done;");
  }

  @Test
  void stacktrace_isOnlyThereWhenAskedFor() {
    Path broken = command.kernel("broken.hip", "BROKEN");

    assertThat(command.run("prewarm", broken, "--arch", "gfx90a").err()).doesNotContain("\tat ");
    assertThat(command.run("prewarm", broken, "--arch", "gfx90a", "--stacktrace").err())
        .contains("CompilationException", "\tat ");
  }

  @Test
  void compilersWarning_isShownOnce() {
    Path source = command.kernel("dubious.hip", "DUBIOUS");

    assertThat(command.run("prewarm", source, "--arch", "gfx90a").err())
        .isEqualTo("dubious.hip:1:8: warning: dubious\n");
    assertThat(command.run("prewarm", source, "--arch", "gfx90a").err()).isEmpty();
  }

  @Test
  void sourceWithoutAKernel_isAWarning() {
    Path source = command.write("none.hip", "__device__ int f() { return 1; }\n");

    assertThat(succeeds("prewarm", source, "--arch", "gfx90a").err())
        .isEqualTo("kcache: warning: " + source + " has no kernel, no __global__ function\n");
  }

  @Test
  void sourcesOfTheSameName_areToldApart() {
    Path one = command.kernel("one/a.hip", "one");
    Path two = command.kernel("two/a.hip", "two");

    Run run = command.run("prewarm", one, two, one, "--arch", "gfx90a");

    assertThat(run.out())
        .contains("  " + one + "  ", "  " + two + "  ", "0 hits, 2 compiled, 0 failed;");
    assertThat(command.toolchain.jobs).hasSize(2);
  }

  @Test
  void options_reachTheCompiler() {
    Path source =
        command.write(
            "src/a.hip",
            "#include \"named.h\"\n#include <lib.h>\nextern \"C\" __global__ void f() {}\n");
    Path library = command.write("include/lib.h", "// lib\n").getParent();
    Path header = command.write("other.h", "// named\n");

    succeeds(
        "prewarm",
        source,
        "--arch=gfx90a",
        "-I" + library,
        "--header",
        "named.h=" + header,
        "-DN=4",
        "-D",
        "M",
        "--option=-ffast-math",
        "--timeout=90s");
    Toolchain.Job job = command.toolchain.jobs.remove();
    assertThat(job.options()).containsSubsequence("-DN=4", "-DM", "-ffast-math");
    assertThat(job.timeout()).isEqualTo(Duration.ofSeconds(90));
    assertThat(job.source().files()).hasSize(3);
  }

  @Test
  void emptySource_isCalledThat() {
    Run run = command.run("prewarm", "", "--arch", "gfx90a");

    assertThat(run).isEqualTo(new Run(2, "", "kcache: a SOURCE is empty; name a file\n"));
  }

  @Test
  void timeLimit_isTenMinutesIfNoneIsGiven() {
    succeeds("prewarm", command.kernel("a.hip"), "--arch=gfx90a");
    assertThat(command.toolchain.jobs.remove().timeout()).isEqualTo(Duration.ofMinutes(10));
    assertThat(command.run("prewarm", "--help").out()).contains("Default: 10m.");
  }

  @Test
  void target_isTheEnvironmentsIfNoneIsGiven() {
    put("ARCH", "gfx1030");

    assertThat(succeeds("prewarm", command.kernel("a.hip")).out())
        .startsWith("compiled  gfx1030  ");
  }

  @Test
  void badArch_inTheEnvironmentIsRefused() {
    put("ARCH", "../../etc");

    Run run = ends(ExitCode.USAGE, "prewarm", command.kernel("a.hip"));

    assertThat(run.err()).contains("ARCH", "../../etc").doesNotContain("internal error");
    assertThat(run.err().lines()).hasSize(1);
    assertThat(command.cache).doesNotExist();
  }

  @Test
  void cacheDirectory_isTheOptions() {
    Path image = directory.resolve("image");

    command.run("prewarm", command.kernel("a.hip"), "--arch=gfx90a", "--cache-dir", image);

    assertThat(image.resolve("gfx90a-5.2/" + GFX90A + ".co")).isRegularFile();
    assertThat(command.cache.resolve("gfx90a-5.2")).doesNotExist();
  }

  @Test
  void remote_isTheOptions() {
    Object[] prewarm = {
      "prewarm", command.kernel("a.hip"), "--arch=gfx90a", "--remote", "redis://:secret@host/data"
    };

    Run run = ends(ExitCode.USAGE, prewarm);

    assertThat(run.err()).contains("begins with redis://").doesNotContain("secret");
    assertThat(run.err().lines()).hasSize(1);
  }

  @Test
  void cacheDirectory_thatIsAFileIsRefusedBeforeAnythingIsCompiled() throws IOException {
    Files.writeString(command.cache, "mine");
    Path source = command.kernel("a.hip");

    Run run = ends(ExitCode.UNAVAILABLE, "prewarm", source, "--arch", "gfx90a");

    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .startsWith("kcache: cache directory " + command.cache + " is not a directory; ")
        .hasLineCount(1);
    assertThat(command.toolchain.jobs).isEmpty();
    assertThat(succeeds("prewarm", source, "--arch", "gfx90a", "--dry-run").out())
        .contains("1 to compile");
    Path classes = directory.resolve("classes");
    command.run("prewarm", source, "--arch", "gfx90a", "--resources", classes);
    assertThat(CommandRunner.files(classes, ".co")).as("needs no cache directory").hasSize(1);
    assertThat(command.cache).hasContent("mine");
  }

  @Test
  void noCacheDirectory_isRefusedBeforeAnythingIsCompiled() {
    command.environment.remove("KCACHE_DIR");
    Object[] prewarm = {"prewarm", command.kernel("a.hip"), "--arch", "gfx90a"};

    assertThat(ends(ExitCode.UNAVAILABLE, prewarm).err())
        .isEqualTo(
            "kcache: there is no cache directory, since there is no home directory; set KCACHE_DIR"
                + " or pass --cache-dir\n");
    put("KCACHE_DISABLE", "1");
    assertThat(ends(ExitCode.UNAVAILABLE, prewarm).out()).contains("1 compiled, 0 failed, 1 not");
  }

  @Test
  void cacheDirectory_thatTurnsOutUnusableLosesTheResultAndSaysSo() {
    command.write("cache/gfx90a-5.2", "a file in the place of the directory of a target");
    Path broken = command.kernel("broken.hip", "BROKEN");
    Path source = command.kernel("a.hip");

    Run run = ends(ExitCode.FAILED, "prewarm", source, broken, "--arch", "gfx90a", "-j1");

    assertThat(run.out())
        .startsWith("compiled  gfx90a")
        .contains("0 hits, 1 compiled, 1 failed, 1 not kept;");
    assertThat(run.err()).as("a logger prints the reason, once").doesNotContain("gfx90a-5.2");
  }

  @Test
  void namedDirectory_thatIsAFileIsRefusedBeforeAnythingIsCompiled() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "mine");

    Run run =
        command.run("prewarm", command.kernel("a.hip"), "--arch", "gfx90a", "--cache-dir", file);

    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .startsWith("kcache: cache directory " + file + " is not a directory; ")
        .hasLineCount(1);
    assertThat(command.toolchain.jobs).isEmpty();
  }

  @Test
  void targetThatTheCompilerLacks_isOneLineHoweverManyKernels() {
    command.toolchain.unaskableTargets.add(Fixtures.GFX1030);
    Path one = command.kernel("one.hip");
    Path two = command.kernel("two.hip", "second");
    Path broken = command.kernel("broken.hip", "BROKEN");

    Run run = ends(ExitCode.FAILED, "prewarm", one, two, broken, "--arch", "gfx90a,gfx1030", "-j1");

    assertThat(run.err().lines().filter(line -> line.startsWith("kcache: ")))
        .containsExactly(
            "kcache: gfx90a: broken.hip: the compiler failed with exit code 1",
            "kcache: gfx1030: hipcc: error: invalid target ID 'gfx1030' (3 kernels)");
    assertThat(run.out()).contains("2 compiled, 4 failed;");
  }

  @Test
  void json_isOneDocumentAndTheOnlyOutput() throws IOException {
    Path good = command.kernel("good.hip");
    Path broken = command.kernel("broken.hip", "BROKEN");

    Run run = ends(ExitCode.FAILED, "prewarm", good, broken, "--arch", "gfx90a", "--json");

    assertThat(run.out())
        .isEqualTo(
            ("{'schema':'kcache.prewarm/1','directory':'%s','dryRun':false,'interrupted':false,"
                        .formatted(command.cache)
                    + "'results':[{'source':'%s','target':'gfx90a','status':'compiled','label':'5.2',"
                        .formatted(good)
                    + "'codeObject':'%s','size':3464,'kept':true,'compileSeconds':1.5},"
                        .formatted(GFX90A)
                    + "{'source':'%s','target':'gfx90a','status':'failed',".formatted(broken)
                    + "'problem':'broken.hip: the compiler failed with exit code 1',"
                    + "'log':'broken.hip:1:8: error: expected `;`\\n1 error generated.\\n',"
                    + "'diagnostics':[{'severity':'error','file':'broken.hip','line':1,'column':8,"
                    + "'message':'expected `;`','excerpt':[],'includedFrom':[],'notes':[]}]}],"
                    + "'summary':{'hits':0,'compiled':1,'misses':0,'failed':1,'notDone':0,"
                    + "'notKept':0,'savedSeconds':0.0,'size':3464,'elapsedSeconds':0.0,"
                    + "'uploads':0,'droppedUploads':0}}\n")
                .replace('\'', '"')
                .replace('`', '\''));
    assertThat(run.err()).contains("error: expected ';'");
  }

  @Test
  void terminal_getsABarThatIsGoneAtTheEnd() {
    command.columns = 60;
    Path one = command.kernel("one.hip");
    Path two = command.kernel("two.hip", "second");

    Run run = command.run("prewarm", one, two, "--arch", "gfx90a", "-j1");

    assertThat(run.err()).contains(" 0/2 ", " 1/2, ETA 2s ").endsWith("\r\033[K");
    assertThat(run.out()).doesNotContain("\033");
  }

  @Test
  void interrupt_keepsWhatIsFinished() throws InterruptedException {
    Path good = command.kernel("good.hip");
    Path endless = command.kernel("endless.hip", "ENDLESS");
    List<Thread> threads = new ArrayList<>();
    command.interrupts =
        action -> {
          threads.add(new Thread(() -> onceEndless(action)));
          threads.get(0).start();
          return () -> {};
        };

    Run run = command.run("prewarm", good, endless, "--arch", "gfx90a", "-j1");

    threads.get(0).join();
    assertThat(run.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
    assertThat(run.err())
        .isEqualTo("kcache: interrupted; what is finished is kept, run it again to do the rest\n");
    assertThat(run.out()).contains("0 hits, 1 compiled, 0 failed, 1 not done;");
    assertThat(command.cache.resolve("gfx90a-5.2/" + GFX90A + ".co")).isRegularFile();
  }

  @Test
  void list_tellsWhatPrewarmMade() throws IOException {
    command.run("prewarm", command.kernel("a.hip"), "--arch", "gfx90a,gfx1030");

    Run run = succeeds("list", "--arch", "gfx90a");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .matches(
            "gfx90a  5\\.2  a\\.hip  3\\.5 kB  1\\.5 s  \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ "
                + " "
                + GFX90A.substring(0, 12)
                + "\n");
    assertThat(command.run("list").out().lines()).hasSize(2);
    assertThat(command.run("list", "--json").out())
        .startsWith(
            "{\"schema\":\"kcache.list/1\",\"directory\":\"%s\",\"layers\":[],\"entries\":[{"
                .formatted(command.cache))
        .contains("\"source\":\"a.hip\"", "\"label\":\"5.2\"", "\"compileSeconds\":1.5")
        .contains("\"codeObject\":\"" + GFX90A, "\"codeObject\":\"" + GFX1030);
  }

  @Test
  void prewarm_onATerminalFitsItAndIsWholeIfWide() {
    String name = "a_kernel_with_quite_a_long_name_for_a_column.hip";
    Object source = command.kernel(name);
    command.outIsTerminal = true;
    command.columns = 80;

    String fitted = succeeds("prewarm", source, "--arch", "gfx90a").out();
    String wide = succeeds("prewarm", source, "--arch", "gfx90a", "--wide").out();

    assertThat(fitted.lines()).allMatch(line -> line.length() < 80);
    assertThat(fitted)
        .matches(
            "(?s)compiled  gfx90a  ….*_for_a_column\\.hip  in 1\\.5 s  3\\.5 kB  %s\n.*"
                .formatted(GFX90A.substring(0, 12)));
    assertThat(wide).contains("hit       gfx90a  " + source + "  saved 1.5 s  3.5 kB  " + GFX90A);
  }

  @Test
  void list_onATerminalFitsIt() throws IOException {
    String name = "a_kernel_with_quite_a_long_name_for_a_column.hip";
    command.run("prewarm", command.kernel(name), "--arch", "gfx90a");
    command.outIsTerminal = true;
    command.columns = 80;

    assertThat(succeeds("list").out().lines())
        .hasSize(2)
        .allMatch(line -> line.length() < 80)
        .anyMatch(
            line -> line.matches("target +label +source +size +compile +made \\(UTC\\) +code"))
        .anyMatch(line -> line.contains("…r_a_column.hip  3.5 kB  "));
    assertThat(succeeds("list", "--wide").out()).contains(name, GFX90A);
    command.outIsTerminal = false;
    assertThat(succeeds("list").out()).contains(name).doesNotContain("target");
  }

  @Test
  void list_ofAnEmptyCacheSaysSo() throws IOException {
    Run run = succeeds("list");

    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo("kcache: no entries in '" + command.cache + "' (does not exist)\n");
    assertThat(command.cache).doesNotExist();
    assertThat(command.run("list", "--json").out()).endsWith("\"entries\":[]}\n");
  }

  private void onceEndless(Runnable action) {
    try {
      command.toolchain.endless.await();
      action.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
