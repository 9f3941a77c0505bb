// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opentelemetry;

import dev.kcache.cache.CacheResult;
import dev.kcache.cache.RequestObserver;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainLabel;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.concurrent.Executor;

/**
 * Makes a span of each compile and of each load.
 *
 * <pre>{@code
 * CacheManager cache =
 *     CacheManager.builder().observer(KcacheTracing.create(openTelemetry)).build();
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
 * <tr><td>{@code kcache.load}</td><td>{@code kcache.target}</td><td>of the code object</td></tr>
 * <tr><td></td><td>{@code kcache.code_object}</td><td>its SHA-256</td></tr>
 * <tr><td></td><td>{@code kcache.device}</td><td>the ordinal of the device</td></tr>
 * </table>
 *
 * <p>What fails has the status {@code ERROR}, with the first line of the exception's message, and
 * {@code error.type}, its class. Safe for use by any number of threads.
 */
public final class KcacheTracing implements RequestObserver {
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

  private KcacheTracing(Tracer tracer) {
    this.tracer = tracer;
  }

  /** Returns an observer whose spans go to {@code openTelemetry}, in the scope dev.kcache. */
  public static KcacheTracing create(OpenTelemetry openTelemetry) {
    return new KcacheTracing(openTelemetry.getTracer("dev.kcache"));
  }

  @Override
  public Executor context() {
    Executor here = Runnable::run;
    return Context.current().wrap(here);
  }

  @Override
  public Compile compiling(String source, TargetId target, ToolchainLabel label) {
    CurrentSpan span =
        new CurrentSpan(
            tracer
                .spanBuilder("kcache.compile")
                .setAttribute(SOURCE, source)
                .setAttribute(TARGET, target.toString())
                .setAttribute(LABEL, label.toString())
                .startSpan());
    return new Compile() {
      @Override
      public void succeeded(CacheResult result) {
        boolean compiled = result.origin() == CacheResult.Origin.COMPILED;
        span.span
            .setAttribute(LABEL, result.label().toString())
            .setAttribute(RESULT, compiled ? "compiled" : "hit")
            .setAttribute(CODE, result.codeObject().digest().toString());
        span.end();
      }

      @Override
      public void failed(Throwable failure) {
        span.span.setAttribute(RESULT, "failed");
        if (failure instanceof CompilationException e && e.exitCode() >= 0) {
          span.span.setAttribute(EXIT_CODE, (long) e.exitCode());
        }
        span.fail(failure);
      }
    };
  }

  @Override
  public Load loading(CodeObject codeObject, int device) {
    CurrentSpan span =
        new CurrentSpan(
            tracer
                .spanBuilder("kcache.load")
                .setAttribute(TARGET, codeObject.target().toString())
                .setAttribute(CODE, codeObject.digest().toString())
                .setAttribute(DEVICE, (long) device)
                .startSpan());
    return new Load() {
      @Override
      public void succeeded() {
        span.end();
      }

      @Override
      public void failed(Throwable failure) {
        span.fail(failure);
      }
    };
  }

  /** A span that is the current one of its thread until it ends: what runs in it is its child. */
  private static final class CurrentSpan {
    final Span span;
    private final Scope scope;

    @SuppressWarnings("MustBeClosedChecker") // end() closes it.
    CurrentSpan(Span span) {
      this.span = span;
      scope = span.makeCurrent();
    }

    void fail(Throwable failure) {
      String message = failure.getMessage();
      span.setAttribute(ERROR_TYPE, failure.getClass().getName())
          .setStatus(
              StatusCode.ERROR, message == null ? "" : message.lines().findFirst().orElse(""));
      end();
    }

    void end() {
      scope.close();
      span.end();
    }
  }
}
