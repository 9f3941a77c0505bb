// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opentelemetry;

import static io.opentelemetry.sdk.testing.assertj.OpenTelemetryAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheEvent.CompileFailed;
import dev.kcache.cache.CacheEvent.CompileFinished;
import dev.kcache.cache.CacheEvent.CompileStarted;
import dev.kcache.cache.CacheEvent.Outcome;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipException;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import dev.kcache.kernels.KernelManager;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainLabel;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** With the real compiler, OpenTelemetry's SDK, and a stand-in for the GPU's runtime. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class KcacheTracingTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final KernelSource FILL =
      KernelSource.of("fill.hip", "extern \"C\" __global__ void fill(int *a) { *a = 1; }\n");
  private static final KernelSource BROKEN = KernelSource.of("broken.hip", "int broken( {}\n");
  private static final int OUT_OF_MEMORY = 2;

  @TempDir private Path temp;
  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final OpenTelemetrySdk sdk =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                  .build())
          .build();
  private final KcacheTracing tracing = KcacheTracing.create(sdk);

  @AfterEach
  void close() {
    sdk.close();
  }

  private CacheManagerBuilder builder() {
    return CacheManager.builder()
        .environment(Map.of("PATH", System.getenv("PATH"), "KCACHE_DIR", temp.toString()))
        .listener(tracing);
  }

  private SpanData span(String name) {
    List<SpanData> spans = spans(name);
    assertThat(spans).hasSize(1);
    return spans.get(0);
  }

  private List<SpanData> spans(String name) {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .toList();
  }

  /** Does something under a span named parent. */
  private <T> void underASpan(Consumer<T> work, T argument) {
    Span parent = sdk.getTracer("test").spanBuilder("parent").startSpan();
    Runnable checked =
        () -> {
          work.accept(argument);
          assertThat(Span.current()).isEqualTo(parent);
        };
    try {
      Context.current().with(parent).wrap(checked).run();
    } finally {
      parent.end();
    }
  }

  private static AttributeKey<String> key(String name) {
    return AttributeKey.stringKey("kcache." + name);
  }

  @Test
  void compile_isAChildOfItsCallersSpan() {
    try (CacheManager cache = builder().build()) {
      underASpan(each -> each.getOrCompile(FILL, GFX90A), cache);

      ToolchainLabel label = cache.toolchain(Platform.AMD).label();
      CodeObject code = cache.getOrCompile(FILL, GFX90A);
      assertThat(span("kcache.compile"))
          .hasParent(span("parent"))
          .hasStatus(StatusData.unset())
          .hasAttributesSatisfying(
              attributes ->
                  assertThat(attributes)
                      .hasSize(5)
                      .containsEntry(key("source"), "fill.hip")
                      .containsEntry(key("target"), "gfx90a")
                      .containsEntry(key("label"), label.toString())
                      .containsEntry(key("result"), "compiled")
                      .containsEntry(key("code_object"), code.digest().toString()));
    }
  }

  @Test
  void asyncCompile_isAChildOfItsCallersSpan() {
    try (CacheManager cache = builder().build()) {
      underASpan(each -> each.getOrCompileAsync(FILL, GFX90A).join(), cache);

      assertThat(span("kcache.compile")).hasParent(span("parent"));
    }
  }

  @Test
  void failedCompile_isAnError() {
    try (CacheManager cache = builder().build()) {
      Throwable[] failure = new Throwable[1];
      underASpan(
          each ->
              assertThatThrownBy(() -> each.getOrCompile(BROKEN, GFX90A))
                  .isInstanceOf(CompilationException.class)
                  .satisfies(thrown -> failure[0] = thrown),
          cache);

      assertThat(span("kcache.compile"))
          .hasParent(span("parent"))
          .hasStatus(
              StatusData.create(
                  StatusCode.ERROR, failure[0].getMessage().lines().findFirst().orElseThrow()))
          .hasAttribute(key("result"), "failed")
          .hasAttribute(AttributeKey.longKey("kcache.exit_code"), 1L)
          .hasAttribute(AttributeKey.stringKey("error.type"), CompilationException.class.getName());
    }
  }

  @Test
  void compileThatSeveralWaitFor_isOneSpan() {
    try (CacheManager cache = builder().parallelism(4).build()) {
      List<CompletableFuture<CodeObject>> waiting = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        waiting.add(cache.getOrCompileAsync(FILL, GFX90A));
      }
      waiting.forEach(CompletableFuture::join);

      assertThat(spans("kcache.compile")).hasSize(1);
    }
  }

  @Test
  void hits_areNoSpans() {
    try (CacheManager first = builder().build();
        CacheManager second = builder().build()) {
      first.getOrCompile(FILL, GFX90A);
      exporter.reset();
      first.getOrCompile(FILL, GFX90A);
      second.getOrCompile(FILL, GFX90A);

      assertThat(exporter.getFinishedSpanItems()).isEmpty();
    }
  }

  @Test
  void resultOfAnotherProcess_isAHit() {
    CompileStarted started = new CompileStarted("fill.hip", GFX90A, new ToolchainLabel("0.1"));
    tracing.onEvent(started);
    tracing.onEvent(
        new CompileFinished(
            started,
            new ToolchainLabel("6.4"),
            Digest.of(new byte[0]),
            Outcome.FOUND,
            Duration.ofSeconds(1),
            Duration.ofSeconds(2)));

    assertThat(span("kcache.compile"))
        .hasAttribute(key("result"), "hit")
        .hasAttribute(key("label"), "6.4");
  }

  /** So a compiler that makes spans, too, makes children of it. */
  @Test
  void spanOfACompile_isCurrentUntilItEnds() {
    underASpan(
        listener -> {
          Span before = Span.current();
          CompileStarted started =
              new CompileStarted("fill.hip", GFX90A, new ToolchainLabel("6.4"));
          listener.onEvent(started);
          assertThat(Span.current()).isNotEqualTo(before);
          listener.onEvent(
              new CompileFailed(started, new IllegalStateException(), Duration.ofSeconds(1)));
          assertThat(Span.current()).isEqualTo(before);
        },
        tracing);

    assertThat(span("kcache.compile")).hasStatus(StatusData.create(StatusCode.ERROR, ""));
  }

  @Test
  void compileAndLoad_areChildrenOfTheirCallersSpan() {
    HipDevice device = device(StandIn.build(Version.HIP_6_4));
    try (CacheManager cache = builder().build();
        KernelManager kernels = KernelManager.builder().device(device).cache(cache).build()) {
      underASpan(each -> each.getOrCompileAsync(FILL).join(), kernels);
      CodeObject code = kernels.getOrCompile(FILL).codeObject();

      assertThat(span("kcache.compile")).hasParent(span("parent"));
      assertThat(span("kcache.load"))
          .hasParent(span("parent"))
          .hasStatus(StatusData.unset())
          .hasAttributesSatisfying(
              attributes ->
                  assertThat(attributes)
                      .hasSize(4)
                      .containsEntry(key("source"), "fill.hip")
                      .containsEntry(key("target"), "gfx90a")
                      .containsEntry(key("code_object"), code.digest().toString())
                      .containsEntry(AttributeKey.longKey("kcache.device"), 1L));
    }
  }

  @Test
  void failedLoad_isAnError() {
    StandIn standIn = StandIn.build(Version.HIP_6_4);
    HipDevice device = device(standIn);
    try (CacheManager cache = builder().build();
        KernelManager kernels = KernelManager.builder().device(device).cache(cache).build()) {
      standIn.fail("hipModuleLoadData", OUT_OF_MEMORY);
      underASpan(
          each ->
              assertThatThrownBy(() -> each.getOrCompile(FILL))
                  .isInstanceOf(HipException.class)
                  .hasMessageStartingWith(span("kcache.load").getStatus().getDescription()),
          kernels);

      assertThat(span("kcache.load"))
          .hasParent(span("parent"))
          .hasAttribute(AttributeKey.stringKey("error.type"), HipException.class.getName());
      assertThat(span("kcache.load").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    }
  }

  /** Returns the second of two devices. */
  private static HipDevice device(StandIn standIn) {
    standIn.devices("gfx90a", "gfx90a");
    return HipRuntime.at(standIn.directory()).devices().get(1);
  }
}
