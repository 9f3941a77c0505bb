// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Calls an observer, whose faults are none of the requests': what it throws is logged, the first
 * time, and a task that its context does not run is run without.
 *
 * <p>Safe for use by any number of threads.
 */
final class GuardedObserver implements RequestObserver {
  private final RequestObserver observer;
  private final AtomicBoolean warned = new AtomicBoolean();

  GuardedObserver(RequestObserver observer) {
    this.observer = observer;
  }

  @Override
  public Executor context() {
    Executor context = guarded(observer::context, Runnable::run);
    return task -> {
      FutureTask<Void> once = new FutureTask<>(task, null);
      guarded(() -> context.execute(once));
      once.run();
    };
  }

  @Override
  public Compile compiling(String source, TargetId target, ToolchainLabel label) {
    Compile compile = guarded(() -> observer.compiling(source, target, label), new Compile() {});
    return new Compile() {
      @Override
      public void succeeded(CacheResult result) {
        guarded(() -> compile.succeeded(result));
      }

      @Override
      public void failed(Throwable failure) {
        guarded(() -> compile.failed(failure));
      }
    };
  }

  @Override
  public Load loading(CodeObject codeObject, int device) {
    Load load = guarded(() -> observer.loading(codeObject, device), new Load() {});
    return new Load() {
      @Override
      public void succeeded() {
        guarded(load::succeeded);
      }

      @Override
      public void failed(Throwable failure) {
        guarded(() -> load.failed(failure));
      }
    };
  }

  private <T> T guarded(Supplier<T> call, T otherwise) {
    try {
      return call.get();
    } catch (Throwable e) {
      warn(e);
      return otherwise;
    }
  }

  private void guarded(Runnable call) {
    try {
      call.run();
    } catch (Throwable e) {
      warn(e);
    }
  }

  /** An {@link Error} is the observer's own problem, too: a failed assertion, a missing class. */
  private void warn(Throwable failure) {
    if (warned.compareAndSet(false, true)) {
      System.getLogger(GuardedObserver.class.getName())
          .log(
              Level.WARNING,
              "a request observer failed; further failures are not reported",
              failure);
    }
  }
}
