// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.kcache.cache.explain.RequestFields;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.cache.trace.TraceWriter;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceTest extends CacheTestBase {
  private static final TargetId GFX942 = TargetId.parse("gfx942");
  private Path trace;

  @BeforeEach
  void nameTheTrace() {
    Notices.clear();
    trace = temp.resolve("trace");
  }

  private CacheManager tracing() {
    return manager("KCACHE_TRACE", trace.toString());
  }

  @Test
  void eachDistinctRequest_isWrittenOnceWithItsFirstOutcome() throws IOException {
    fill(OTHER);
    try (CacheManager cache = tracing()) {
      for (int round = 0; round < 3; round++) {
        cache.getOrCompile(SOURCE, GFX90A);
        cache.getOrCompile(SOURCE, GFX942);
        cache.getOrCompile(OTHER, GFX90A);
      }
    }

    assertThat(Trace.read(trace))
        .extracting(each -> each.fields().name() + " " + each.fields().target() + " " + each.hit())
        .containsExactly("k.hip gfx90a false", "k.hip gfx942 false", "other.hip gfx90a true");
    assertThat(files(trace.resolve("files"), "")).hasSize(1 + 2);
  }

  @Test
  void builder_winsOverTheEnvironment() {
    Path other = temp.resolve("other");
    try (CacheManager cache = builder("KCACHE_TRACE", trace.toString()).traceTo(other).build()) {
      cache.getOrCompile(SOURCE, GFX90A);
    }

    assertThat(Trace.read(other)).hasSize(1);
    assertThat(trace).doesNotExist();
  }

  @Test
  void sourceReadBack_isTheOneThatWasAskedFor() throws IOException {
    List<KernelSource> sources = oddSources();
    try (CacheManager cache = tracing()) {
      // One that fails to compile is traced, too.
      sources.forEach(
          source -> {
            Throwable unused = catchThrowable(() -> cache.getOrCompile(source, GFX90A));
          });
    }

    // Nothing of what was read is needed any more.
    Files.move(temp.resolve("tree"), temp.resolve("gone"));
    assertThat(Trace.read(trace))
        .hasSize(sources.size())
        .extracting(each -> each.source().digest())
        .containsExactlyInAnyOrderElementsOf(sources.stream().map(KernelSource::digest).toList());
    assertThat(Trace.read(trace))
        .extracting(each -> RequestKey.describe(each.source(), GFX90A))
        .containsExactlyInAnyOrderElementsOf(fields(sources));
  }

  private static List<RequestFields> fields(List<KernelSource> sources) {
    return sources.stream().map(source -> RequestKey.describe(source, GFX90A)).toList();
  }

  /** Each kind of file and option that a request can have. */
  private List<KernelSource> oddSources() throws IOException {
    Path climbing =
        write("tree/a/b/climbing.hip", "#include \"../x.h\"\n#include \"../../../up.h\"");
    write("tree/a/x.h", "#include \"missing/../y.h\"\n#include \"y.h\"");
    write("tree/a/y.h", "");
    write("tree/include/string", "#include \"inner/z.h\"");
    write("tree/include/inner/z.h", "#include <../odd (1)/w.h>");
    write("tree/odd (1)/w.h", "");
    write("tree/other/v.h", "");
    Path plain = write("tree/a/plain.hip", "#include <v.h>\n#include \"b/../x.h\"");
    Path named = write("tree/odd (1)/na me.hip", "#define FILE(x) <x>\n#include FILE(gen/t.h)");
    return List.of(
        SOURCE,
        KernelSource.of("dir/é.hip", "__global__ void f() {} // é\n"),
        KernelSource.read(climbing),
        KernelSource.read(plain)
            .withIncludeDirectory(temp.resolve("tree/include"))
            .withIncludeDirectory(temp.resolve("tree/other")),
        KernelSource.read(climbing).withIncludeDirectory(temp.resolve("tree")),
        KernelSource.read(plain)
            .withIncludeDirectory(temp.resolve("tree/a/b"))
            .withHeader("v.h", "#include \"../../no.h\"\n#include \"sub/../u.h\"")
            .withHeader("u.h", "")
            .withIncludeDirectory(temp.resolve("tree/include")),
        KernelSource.read(named).withHeaderFiles(Map.of("gen/t.h", new byte[] {'/', '/', -1})),
        SOURCE
            .withOptions(CompileOptions.of("-O1", "-DX=\"a b\"", "-mllvm", "-unroll-threshold=9"))
            .withInstantiation("k<float, 4>"));
  }

  private Path write(String name, String text) throws IOException {
    Path file = temp.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text + "\n__global__ void f();\n");
  }

  @Test
  void requestWithoutACompiler_isTraced() {
    toolchain.isAbsent = true;
    try (CacheManager cache = tracing()) {
      assertThat(catchThrowable(() -> cache.getOrCompile(SOURCE, GFX90A)))
          .isInstanceOf(ToolchainNotFoundException.class);
    }

    assertThat(Trace.read(trace)).extracting(Trace.Request::hit).containsExactly(false);
  }

  @Test
  void managersAtOnce_writeOneTrace() throws Exception {
    List<KernelSource> sources = IntStream.range(0, 50).mapToObj(i -> source("k" + i)).toList();
    fill(sources.toArray(KernelSource[]::new));
    Callable<Object> application =
        () -> {
          try (CacheManager cache = tracing()) {
            sources.forEach(source -> cache.getOrCompile(source, GFX90A));
          }
          return true;
        };
    ExecutorService threads = Executors.newFixedThreadPool(4);
    threads.invokeAll(List.of(application, application, application, application));
    threads.shutdown();

    assertThat(Trace.read(trace)).hasSize(sources.size());
    assertThat(files(trace, "")).noneMatch(file -> file.getFileName().toString().startsWith("."));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void jvmThatEndsWithoutClosing_writesAtItsEnd(boolean terminated) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(Jvm.command(UsageMain.class, List.of(), terminated ? "wait" : "end"));
    builder.environment().clear();
    builder.environment().putAll(environment("KCACHE_TRACE", trace.toString()));
    Process child = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    if (terminated) {
      assertThat(child.inputReader().readLine()).isEqualTo("waiting");
      child.destroy();
    }

    assertThat(child.waitFor(50, TimeUnit.SECONDS)).isTrue();
    assertThat(Trace.read(trace)).hasSize(1);
  }

  @Test
  void traceThatCannotBeWritten_costsOneWarning() throws IOException {
    Files.writeString(trace, "in the way");
    try (Warnings warnings = Warnings.of(TraceWriter.class)) {
      try (CacheManager cache = tracing()) {
        assertThat(cache.getOrCompile(SOURCE, GFX90A)).isNotNull();
        assertThat(cache.getOrCompile(OTHER, GFX90A)).isNotNull();
      }

      assertThat(warnings.lines())
          .singleElement()
          .asString()
          .contains(trace.toString(), "KCACHE_TRACE")
          .doesNotContain("Exception", "java.");
    }
  }

  @Test
  void damage_isAnErrorThatNamesTheRequest() throws IOException {
    try (CacheManager cache = tracing()) {
      cache.getOrCompile(SOURCE, GFX90A);
    }
    Path file = files(trace.resolve("files"), "").get(1);
    Path request = files(trace, ".json").get(0);
    String text = Files.readString(request);

    Files.writeString(request, text.replace("-O3", "-O2"));
    assertDamaged("k.hip for gfx90a", "another request", "trace again");
    Files.writeString(request, text.substring(0, text.length() / 2));
    assertDamaged(request.toString(), "is not JSON", "trace again");
    Files.writeString(request, text);
    Files.writeString(file, "another");
    assertDamaged("k.hip for gfx90a", file + " is damaged", "trace again");
    Files.delete(file);
    assertDamaged("k.hip for gfx90a", file + " cannot be read", "trace again");
  }

  private void assertDamaged(String... words) {
    assertThatThrownBy(() -> Trace.read(trace))
        .isInstanceOf(DamagedTraceException.class)
        .message()
        .contains(words);
  }

  private void assertRefused(String... words) {
    assertThatThrownBy(() -> Trace.read(trace))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .contains(words);
  }

  @Test
  void directoryThatIsNoTrace_isRefused() {
    assertRefused("'" + trace + "' is not a trace");
  }
}
