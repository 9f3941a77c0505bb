// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opentelemetry;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.CacheEvent;
import dev.kcache.cache.CacheEvent.CompileFailed;
import dev.kcache.cache.CacheEvent.CompileFinished;
import dev.kcache.cache.CacheEvent.CompileStarted;
import dev.kcache.cache.CacheEvent.LoadFailed;
import dev.kcache.cache.CacheEvent.LoadFinished;
import dev.kcache.cache.CacheEvent.LoadStarted;
import dev.kcache.cache.CacheEvent.Outcome;
import dev.kcache.cache.CacheListener;
import dev.kcache.toolchain.CompilationException;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Makes a span of each compile and of each load.
 *
 * <pre>{@code
 * CacheManager cache =
 *     CacheManager.builder().listener(KcacheTracing.create(openTelemetry)).build();
 * }</pre>
 *
 * <p>The parent is the span that is current where the request is made, also if it is asynchronous;
 * of several requests that wait for one compile or load, the first one's. Hits have no spans.
 *
 * <table>
 * <caption>Spans and their attributes</caption>
 * <tr><th>span</th><th>attribute</th><th>value</th></tr>
 * <tr><td>{@code kcache.compile}</td><td>{@code kcache.source}</td>
 *     <td>the source's logical name</td></tr>
 * <tr><td></td><td>{@code kcache.target}</td><td>such as {@code gfx90a}</td></tr>
 * <tr><td></td><td>{@code kcache.label}</td>
 *     <td>the compiler's label, such as {@code 6.4}; after a failure, of the one tried first</td></tr>
 * <tr><td></td><td>{@code kcache.result}</td><td>{@code compiled}; {@code hit} if another process
 *     had compiled it meanwhile; {@code failed}</td></tr>
 * <tr><td></td><td>{@code kcache.code_object}</td><td>its SHA-256, unless it failed</td></tr>
 * <tr><td></td><td>{@code kcache.exit_code}</td>
 *     <td>of a compiler that failed, unless it was ended</td></tr>
 * <tr><td>{@code kcache.load}</td><td>{@code kcache.source}</td>
 *     <td>the source whose request loads it</td></tr>
 * <tr><td></td><td>{@code kcache.target}</td><td>of the code object</td></tr>
 * <tr><td></td><td>{@code kcache.code_object}</td><td>its SHA-256</td></tr>
 * <tr><td></td><td>{@code kcache.device}</td><td>the ordinal of the device</td></tr>
 * </table>
 *
 * <p>What fails has the status {@code ERROR}, with the first line of the exception's message, and
 * {@code error.type}, its class. Safe for use by any number of threads.
 */
public final class KcacheTracing implements CacheListener {
  private static final AttributeKey<String> SOURCE = AttributeKey.stringKey("kcache.source");
  private static final AttributeKey<String> TARGET = AttributeKey.stringKey("kcache.target");
  private static final AttributeKey<String> LABEL = AttributeKey.stringKey("kcache.label");
  private static final AttributeKey<String> RESULT = AttributeKey.stringKey("kcache.result");
  private static final AttributeKey<String> CODE = AttributeKey.stringKey("kcache.code_object");
  private static final AttributeKey<Long> EXIT_CODE = AttributeKey.longKey("kcache.exit_code");
  private static final AttributeKey<Long> DEVICE = AttributeKey.longKey("kcache.device");

  /** OpenTelemetry's own name, of its semantic conventions. */
  private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

  private final Tracer tracer;

  /** The spans that have begun, by the events of their beginning. */
  private final Map<CacheEvent, CurrentSpan> open =
      Collections.synchronizedMap(new IdentityHashMap<>());

  private KcacheTracing(Tracer tracer) {
    this.tracer = tracer;
  }

  /**
   * {@return a listener whose spans have the instrumentation scope {@code dev.kcache}}
   *
   * @param openTelemetry takes the spans; asked for its tracer now, so it has to be set up
   */
  public static KcacheTracing create(OpenTelemetry openTelemetry) {
    requireNonNull(openTelemetry, "openTelemetry");
    return new KcacheTracing(openTelemetry.getTracer("dev.kcache"));
  }

  @Override
  public Executor context() {
    Executor here = Runnable::run;
    return Context.current().wrap(here);
  }

  @Override
  public void onEvent(CacheEvent event) {
    requireNonNull(event, "event");
    if (event instanceof CompileStarted started) {
      begin(
          started,
          tracer
              .spanBuilder("kcache.compile")
              .setAttribute(SOURCE, started.source())
              .setAttribute(TARGET, started.target().toString())
              .setAttribute(LABEL, started.label().toString()));
    } else if (event instanceof CompileFinished finished) {
      boolean compiled = finished.outcome() == Outcome.COMPILED;
      end(
          finished.started(),
          span ->
              span.setAttribute(LABEL, finished.label().toString())
                  .setAttribute(RESULT, compiled ? "compiled" : "hit")
                  .setAttribute(CODE, finished.codeObject().toString()));
    } else if (event instanceof CompileFailed failed) {
      end(failed.started(), span -> fail(span.setAttribute(RESULT, "failed"), failed.failure()));
    } else if (event instanceof LoadStarted started) {
      begin(
          started,
          tracer
              .spanBuilder("kcache.load")
              .setAttribute(SOURCE, started.source())
              .setAttribute(TARGET, started.target().toString())
              .setAttribute(CODE, started.codeObject().toString())
              .setAttribute(DEVICE, (long) started.device()));
    } else if (event instanceof LoadFinished finished) {
      end(finished.started(), span -> {});
    } else if (event instanceof LoadFailed failed) {
      end(failed.started(), span -> fail(span, failed.failure()));
    }
  }

  private void begin(CacheEvent started, SpanBuilder builder) {
    open.put(started, new CurrentSpan(builder.startSpan()));
  }

  /** Called on the thread of the beginning, as the scope of its span demands. */
  private void end(CacheEvent started, Consumer<Span> attributes) {
    CurrentSpan current = open.remove(started);
    if (current != null) {
      attributes.accept(current.span);
      current.end();
    }
  }

  private static void fail(Span span, Throwable failure) {
    if (failure instanceof CompilationException e && e.exitCode() >= 0) {
      span.setAttribute(EXIT_CODE, (long) e.exitCode());
    }
    String message = failure.getMessage();
    span.setAttribute(ERROR_TYPE, failure.getClass().getName())
        .setStatus(StatusCode.ERROR, message == null ? "" : message.lines().findFirst().orElse(""));
  }

  /** A span that is the current one of its thread until it ends: what runs in it is its child. */
  private static final class CurrentSpan {
    private final Span span;
    private final Scope scope;

    @SuppressWarnings("MustBeClosedChecker") // end() closes it.
    CurrentSpan(Span span) {
      this.span = span;
      scope = span.makeCurrent();
    }

    void end() {
      scope.close();
      span.end();
    }
  }
}
