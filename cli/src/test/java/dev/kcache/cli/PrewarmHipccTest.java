// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.kcache.cache.CacheManager;
import dev.kcache.cli.CommandRunner.Run;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole command with the compiler of this machine. */
@Timeout(180)
class PrewarmHipccTest {
  /**
   * One for all tests, so that the compiler is asked what it is once; no two have a source in
   * common.
   */
  @TempDir private static Path cache;

  @TempDir private Path directory;
  private CommandRunner files;

  @BeforeEach
  void createFiles() {
    files = new CommandRunner(directory);
  }

  @Test
  void prewarm_fillsACacheOfRealCodeObjects() throws IOException {
    Path source = vadd("vadd.hip");

    Run first = run("prewarm", source, "--arch", "gfx90a");
    Run second = run("prewarm", source, "--arch", "gfx90a");
    Run other = run("prewarm", source, "--arch", "gfx90a", "--option=-DUNUSED=1");

    assertThat(first.exitCode()).as(first.err()).isZero();
    assertThat(first.out()).startsWith("compiled  gfx90a  " + source);
    assertThat(other.out()).as(other.err()).contains("0 hits, 1 compiled");
    assertThat(second.exitCode()).as(second.err()).isZero();
    assertThat(second.out())
        .startsWith("hit       gfx90a  " + source)
        .contains("1 hit, 0 compiled");
    String digest = first.out().lines().findFirst().orElseThrow().replaceFirst(".* ", "");
    Path file = CommandRunner.files(cache, digest + ".co").get(0);
    CodeObject codeObject = CodeObject.parse(Files.readAllBytes(file));
    assertThat(codeObject.target()).isEqualTo(Fixtures.GFX90A);
    assertThat(codeObject.digest()).hasToString(digest);
  }

  @Test
  void syntaxError_isTheCompilersMessageWithTheUsersFileAndLine() {
    Path good = vadd("good.hip");
    Path broken = files.write("broken.hip", "// one\n__global__ void f( { }\n");

    Run run = run("prewarm", broken, good, "--arch", "gfx90a");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err()).contains("broken.hip:2:").containsOnlyOnce("error: expected ')'");
    assertThat(run.out()).contains("failed    gfx90a  " + broken, "compiled  gfx90a  " + good);
  }

  @Test
  void errorInAHeader_namesTheUsersHeaderAndWhoIncludesIt() {
    Path header = files.write("common.h", "inline int broken = undeclared;\n");
    Path source = files.write("k/kernel.hip", "#include \"../common.h\"\n");

    Run run = run("prewarm", source, "--arch", "gfx90a");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err())
        .contains("In file included from " + source + ":1:")
        .contains(source.resolveSibling("../common.h") + ":1:");
    assertThat(header).exists();
  }

  @Test
  void undefinedFunction_isExplainedOnOneLine() {
    Path source =
        files.write(
            "link.hip",
            """
            #define __device__ __attribute__((device))
            #define __global__ __attribute__((global))
            __device__ float scale(float x);
            __global__ void k(float* p) { *p = scale(*p); }
            """);

    Run run = run("prewarm", source, "--arch", "gfx90a", "--json");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err().lines())
        .startsWith("lld: error: undefined hidden symbol: scale(float)")
        .contains(">>> referenced by " + source + ":(k(float*))")
        .endsWith(
            "kcache: gfx90a: link.hip does not compile, see the error above; it is"
                + " declared but not defined, and each source is compiled and linked by itself:"
                + " define it in this source or in a file that it includes");
    assertThat(run.err()).doesNotContain("-link command failed", "failed to execute");
    assertThat(run.out())
        .contains(
            "\"diagnostics\":[{\"severity\":\"error\",\"program\":\"lld\",\"message\":"
                + "\"undefined hidden symbol: scale(float)\",\"excerpt\":[\">>> referenced by "
                + source);
  }

  @Test
  void tooMuchSharedMemory_isOneLine() {
    Path source =
        files.write(
            "lds.hip",
            """
            #define __global__ __attribute__((global))
            __global__ void k(float* p) {
              __attribute__((shared)) float tile[17500];
              tile[__builtin_amdgcn_workitem_id_x()] = p[1];
              *p = tile[(int)p[2]];
            }
            """);

    Run run = run("prewarm", source, "--arch", "gfx90a");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    List<String> lines = run.err().lines().toList();
    assertThat(lines)
        .filteredOn(line -> line.contains("error: local memory (70000) exceeds limit (65536) in "))
        .singleElement(STRING)
        .contains("lds.hip:");
    assertThat(lines.get(lines.size() - 1))
        .startsWith("kcache: gfx90a: ")
        .contains("lds.hip")
        .endsWith(
            "; this is the kernel's shared memory, in bytes: make its __shared__ variables"
                + " smaller");
  }

  @Test
  void noCompiler_isToldOnceAndWhatIsThereIsServed() {
    Path source = vadd("vadd.hip");
    Run first = run("prewarm", source, "--arch", "gfx90a");
    assertThat(first.exitCode()).as(first.err()).isZero();
    Map<String, String> bare = new HashMap<>();
    bare.put("PATH", directory.toString());
    bare.put("ROCM_PATH", directory.toString());
    bare.put("KCACHE_DIR", cache.toString());
    bare.put("ROCM_VERSION", label());
    String fresh = vadd("fresh.hip").toString();
    String other = vadd("other.hip").toString();

    Run run = run(bare, "prewarm", source, fresh, other, "--arch=gfx90a", "-j1");

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).contains("hit       gfx90a  " + source, "failed    gfx90a  " + fresh);
    assertThat(run.err().lines()).singleElement().asString().contains("hipcc");
  }

  @Test
  void instantiations_areCompiledAndShownByTheirNames() {
    String source =
        files
            .write("fill.hip", "template <class T, int N> __global__ void fill(T* x) { *x = N; }\n")
            .toString();
    Object[] arguments = {
      "prewarm",
      source,
      "--arch=gfx90a",
      "--instantiate",
      "fill<int,4>",
      "--instantiate=fill<char, 2>"
    };

    Run made = run(arguments);
    arguments[4] = " fill< int , 4 > ";
    Run hit = run(arguments);
    Run other = run("prewarm", source, "--arch=gfx90a", "--instantiate", "fill<long, 4>");
    Run wrong = run("prewarm", source, "--arch=gfx90a", "--instantiate", "nosuch<int>");

    assertThat(made.out()).as(made.err()).startsWith("compiled  gfx90a  " + source);
    assertThat(hit.out()).as(hit.err()).startsWith("hit       gfx90a  " + source);
    assertThat(other.out()).as(other.err()).startsWith("compiled  gfx90a  " + source);
    assertThat(wrong.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(wrong.err())
        .contains("fill.hip:", "instantiation nosuch<int>:2:1: error: ", "'nosuch'")
        .endsWith("kcache: gfx90a: fill.hip does not compile, see the error above\n");
    String digest = made.out().lines().findFirst().orElseThrow().replaceFirst(".* ", "");
    assertThat(run("inspect", digest.replace("\u2026", "")).out())
        .contains(
            "instance     fill<char, 2> is _Z4fillIcLi2EEvPT_",
            "fill<int, 4> is _Z4fillIiLi4EEvPT_");
    assertThat(run("list", "--json").out())
        .contains(
            "\"instances\":[{\"name\":\"fill<char, 2>\",\"kernel\":\"_Z4fillIcLi2EEvPT_\"},"
                + "{\"name\":\"fill<int, 4>\",\"kernel\":\"_Z4fillIiLi4EEvPT_\"}]");
  }

  private String label() {
    try (CacheManager manager = CacheManager.builder().environment(environment()).build()) {
      return manager.maintenance().entries().get(0).label().toString();
    }
  }

  @Test
  void toolchainOption_isTakenBeforeTheVariable() {
    String source = vadd("vadd.hip").toString();
    Map<String, String> environment = environment();
    environment.put("KCACHE_TOOLCHAIN", "gcc");
    Object[] arguments = {"prewarm", "--toolchain", "hipcc", "--arch", "gfx90a", source};

    Run variable = run(environment, "prewarm", "--arch", "gfx90a", source);
    Run option = run(environment, arguments);

    assertThat(variable.err())
        .contains(
            "there is no toolchain 'gcc' for amd here; KCACHE_TOOLCHAIN and --toolchain take hipcc,"
                + " ");
    assertThat(variable.exitCode()).isEqualTo(2);
    assertThat(option.exitCode()).as(option.err()).isZero();
  }

  private Path vadd(String name) {
    return files.write(
        name,
        "// %s\n".formatted(directory)
            + """
            #include <hip/hip_runtime.h>

            extern "C" __global__ void vadd(const float* x, const float* y, float* z, int n) {
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i < n) z[i] = x[i] + y[i];
            }
            """);
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", cache.toString());
    return environment;
  }

  /** What hipcc does not know is for the next compiler that does. */
  @Test
  void targetsOfTwoCompilers_areDoneAndToldInOneLine() throws IOException {
    Path source = files.write("k.hip", "extern \"C\" __global__ void k(int* x) { *x = 1; }\n");
    Path hipcc =
        files.write(
            "lacking/hipcc",
            """
            #!/bin/sh
            case "$*" in *--offload-arch=gfx1030*)
              echo "clang: error: invalid target ID 'gfx1030'" >&2; exit 1;;
            esac
            exec hipcc "$@"
            """
                .replace("exec hipcc", "exec " + realHipcc()));
    Files.setPosixFilePermissions(hipcc, PosixFilePermissions.fromString("rwxr-xr-x"));
    Map<String, String> environment = environment();
    environment.put("KCACHE_DIR", directory.resolve("cache").toString());
    environment.put("PATH", hipcc.getParent() + ":" + environment.get("PATH"));

    Run both = run(environment, "prewarm", source, "--arch", "gfx90a,gfx1030");
    Run again = run(environment, "prewarm", source, "--arch", "gfx90a,gfx1030", "--json");
    Run one = run(environment, "prewarm", source, "--arch", "gfx90a");

    assertThat(both.exitCode()).as(both.err()).isZero();
    assertThat(both.out())
        .contains("0 hits, 2 compiled, 0 failed")
        .containsPattern("\ngfx90a with [\\d.]+; gfx1030 with hiprtc[\\d.]+\n");
    assertThat(both.err()).isEmpty();
    assertThat(again.out())
        .contains("\"hits\":2")
        .containsPattern("\"status\":\"hit\",\"label\":\"hiprtc[\\d.]+\"");
    assertThat(one.out()).doesNotContain(" with ");
  }

  private static String realHipcc() {
    try (CacheManager cache = CacheManager.builder().toolchainNamed("hipcc").build()) {
      return cache.toolchain(Platform.AMD).describe().replaceFirst(", .*", "");
    }
  }

  private Run run(Object... arguments) {
    return run(environment(), arguments);
  }

  private Run run(Map<String, String> environment, Object... arguments) {
    files.realCompiler = true;
    files.environment.clear();
    files.environment.putAll(environment);
    return files.run(arguments);
  }
}
