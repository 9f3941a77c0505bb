// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.CacheEvent.CompileFailed;
import dev.kcache.cache.CacheEvent.CompileFinished;
import dev.kcache.cache.CacheEvent.CompileStarted;
import dev.kcache.cache.CacheEvent.Evicted;
import dev.kcache.cache.CacheEvent.Hit;
import dev.kcache.cache.CacheEvent.LoadFailed;
import dev.kcache.cache.CacheEvent.LoadFinished;
import dev.kcache.cache.CacheEvent.LoadStarted;
import dev.kcache.cache.CacheEvent.Miss;
import dev.kcache.cache.CacheEvent.Outcome;
import dev.kcache.cache.CacheEvent.Reason;
import dev.kcache.cache.device.DeviceRequests;
import dev.kcache.cache.directory.CollectionResult;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Tells a manager's listeners and Java's Flight Recorder what the manager does, on the thread that
 * does it.
 *
 * <p>Safe for use by any number of threads. Callers hold no lock.
 */
final class CacheEvents {
  private final List<GuardedListener> listeners;

  CacheEvents(List<CacheListener> listeners) {
    this.listeners = listeners.stream().map(GuardedListener::new).toList();
  }

  /** Returns the context of the calling thread, as {@link CacheListener#context} does. */
  Executor context() {
    Executor all = Runnable::run;
    for (GuardedListener listener : listeners) {
      Executor outer = all;
      Executor inner = listener.context();
      all = task -> outer.execute(() -> inner.execute(task));
    }
    return all;
  }

  private void tell(CacheEvent event) {
    for (GuardedListener listener : listeners) {
      listener.onEvent(event);
    }
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** Begins a lookup; null if nobody hears of it. */
  @Nullable Lookup lookup() {
    boolean recorded = FlightRecording.isOn();
    return recorded || !listeners.isEmpty()
        ? new Lookup(recorded ? LookupEvent.begun() : null)
        : null;
  }

  /** A lookup that has begun. */
  final class Lookup {
    private final @Nullable LookupEvent recorded;
    private final long start = System.nanoTime();

    private Lookup(@Nullable LookupEvent recorded) {
      this.recorded = recorded;
    }

    /** Tells that it found something. */
    void hit(KernelSource source, CacheResult found) {
      CodeObject code = found.codeObject();
      Hit hit =
          new Hit(
              source.name(),
              code.target(),
              found.label(),
              code.digest(),
              found.origin(),
              since(start));
      if (recorded != null) {
        recorded.end(hit);
      }
      tell(hit);
    }

    /** Tells that it found nothing. */
    void miss(KernelSource source, TargetId target, @Nullable RequestKey key, Reason reason) {
      Optional<ToolchainLabel> label = Optional.ofNullable(key).map(one -> one.request().label());
      Miss miss = new Miss(source.name(), target, label, reason, since(start));
      if (recorded != null) {
        recorded.end(miss);
      }
      tell(miss);
    }
  }

  /** Begins a compile. */
  Compile compile(KernelSource source, TargetId target, ToolchainLabel label) {
    CompileEvent recorded = FlightRecording.isOn() ? CompileEvent.begun() : null;
    Compile compile = new Compile(new CompileStarted(source.name(), target, label), recorded);
    tell(compile.started);
    return compile;
  }

  /** A compile that has begun. */
  final class Compile {
    private final CompileStarted started;
    private final @Nullable CompileEvent recorded;
    private final long start = System.nanoTime();

    private Compile(CompileStarted started, @Nullable CompileEvent recorded) {
      this.started = started;
      this.recorded = recorded;
    }

    /** Tells its result. */
    void finished(CacheResult result) {
      boolean compiled = result.origin() == CacheResult.Origin.COMPILED;
      CompileFinished finished =
          new CompileFinished(
              started,
              result.label(),
              result.codeObject().digest(),
              compiled ? Outcome.COMPILED : Outcome.FOUND,
              result.compileTime(),
              since(start));
      if (recorded != null) {
        recorded.end(finished);
      }
      tell(finished);
    }

    /** Tells what ended it. */
    void failed(Throwable failure) {
      CompileFailed failed = new CompileFailed(started, failure, since(start));
      if (recorded != null) {
        recorded.end(failed);
      }
      tell(failed);
    }
  }

  /** Begins a load. */
  DeviceRequests.Load load(KernelSource source, CacheResult result, int device) {
    CodeObject code = result.codeObject();
    Load load =
        new Load(
            new LoadStarted(source.name(), code.target(), result.label(), code.digest(), device));
    tell(load.started);
    return load;
  }

  private final class Load implements DeviceRequests.Load {
    private final LoadStarted started;
    private final long start = System.nanoTime();

    Load(LoadStarted started) {
      this.started = started;
    }

    @Override
    public void succeeded() {
      tell(new LoadFinished(started, since(start)));
    }

    @Override
    public void failed(Throwable failure) {
      tell(new LoadFailed(started, failure, since(start)));
    }
  }

  /** Tells what a collection removed, if anything. */
  void collected(CollectionResult result, Duration elapsed) {
    if (result.entriesRemoved() > 0 || result.bytesFreed() > 0) {
      tell(new Evicted(result.entriesRemoved(), result.bytesFreed(), elapsed));
    }
  }
}
