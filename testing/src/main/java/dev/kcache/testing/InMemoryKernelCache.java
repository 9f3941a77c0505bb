// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.CacheMissException;
import dev.kcache.cache.KernelCache;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache in memory for the tests of code that takes a {@link KernelCache}: it has the code objects
 * that the test gives it, and tells what it was asked for. It runs no compiler, reads no
 * environment and touches no directory.
 *
 * <pre>{@code
 * InMemoryKernelCache cache =
 *     InMemoryKernelCache.builder().target("gfx90a").codeObject("saxpy.hip", saxpy).build();
 * new Warmup(cache).run();
 * assertThat(cache.requests()).singleElement().hasToString("hit gfx90a saxpy.hip");
 * }</pre>
 *
 * <p>A code object that was given by a source's name serves every source of that name, for exactly
 * the target of the code object. What the cache lacks is a miss, which the test's {@linkplain
 * Builder#compiler compiler} serves; the result is kept as in any cache. Without one a miss is a
 * {@link CacheMissException}.
 *
 * <p>Safe for use by any number of threads. Requests for one source and target at the same time
 * compile once. Asynchronous requests are served before the method returns, unless the builder is
 * given another {@linkplain Builder#executor executor}.
 */
public final class InMemoryKernelCache implements KernelCache {
  /** Older requests are forgotten: tests that ask for hours must not fill the heap. */
  static final int MOST_REQUESTS = 10_000;

  private final TargetId target;
  private final Map<Named, CodeObject> given;
  private final BiFunction<KernelSource, TargetId, CodeObject> compiler;
  private final Executor executor;
  private final Map<Key, CodeObject> compiled = new ConcurrentHashMap<>();
  private final Deque<Request> requests = new ArrayDeque<>();

  private record Named(String source, TargetId target) {}

  private record Key(Digest source, TargetId target) {}

  /** How a request ended. */
  public enum Outcome {
    /** The cache had the code object. */
    HIT,
    /** The compiler of the test made the code object. */
    COMPILED,
    /** The cache didn't have the code object, and was not asked to compile it. */
    MISS,
    /** The compiler of the test threw an exception, or there is none. */
    FAILED
  }

  /**
   * A request that has ended. Immutable.
   *
   * @param source what was asked for
   * @param target the target that was named, else the cache's own
   * @param outcome how it ended
   */
  public record Request(KernelSource source, TargetId target, Outcome outcome) {
    /** Returns outcome, target and the source's name, such as {@code hit gfx90a saxpy.hip}. */
    @Override
    public String toString() {
      String word =
          switch (outcome) {
            case HIT -> "hit";
            case COMPILED -> "compiled";
            case MISS -> "miss";
            case FAILED -> "failed";
          };
      return word + " " + target + " " + source.name();
    }
  }

  private InMemoryKernelCache(Builder builder) {
    target = builder.target;
    given = Map.copyOf(builder.given);
    compiler = builder.compiler;
    executor = builder.executor;
  }

  /** {@return a builder of a cache for {@code gfx90a} that has no code object and no compiler} */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * {@return the requests that have ended, the oldest first; at most the last 10,000} The list is a
   * copy. A request that null was given to is none.
   */
  public List<Request> requests() {
    synchronized (requests) {
      return List.copyOf(requests);
    }
  }

  /** Forgets the requests so far; the code objects stay. */
  public void clearRequests() {
    synchronized (requests) {
      requests.clear();
    }
  }

  @Override
  public CodeObject getOrCompile(KernelSource source) {
    return getOrCompile(source, target);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if the compiler of the test returns null or a code object for
   *     another target; whatever else it throws is thrown as it is
   */
  @Override
  public CodeObject getOrCompile(KernelSource source, TargetId target) {
    requireNonNull(source, "source");
    requireNonNull(target, "target");
    Outcome outcome = Outcome.FAILED;
    try {
      CodeObject code = find(source, target);
      if (code != null) {
        outcome = Outcome.HIT;
        return code;
      }
      boolean[] made = new boolean[1];
      code =
          compiled.computeIfAbsent(
              new Key(source.digest(), target),
              key -> {
                CodeObject fresh = compile(source, target);
                made[0] = true;
                return fresh;
              });
      outcome = made[0] ? Outcome.COMPILED : Outcome.HIT;
      return code;
    } finally {
      record(new Request(source, target, outcome));
    }
  }

  private CodeObject compile(KernelSource source, TargetId target) {
    @Nullable CodeObject code = compiler.apply(source, target);
    if (code == null || !code.target().equals(target)) {
      throw new IllegalStateException(
          "the test's compiler returned %s for %s for %s"
              .formatted(code == null ? "null" : code.target(), source.name(), target));
    }
    return code;
  }

  private @Nullable CodeObject find(KernelSource source, TargetId target) {
    CodeObject code = given.get(new Named(source.name(), target));
    return code != null ? code : compiled.get(new Key(source.digest(), target));
  }

  @Override
  public CompletableFuture<CodeObject> getOrCompileAsync(KernelSource source) {
    return getOrCompileAsync(source, target);
  }

  @Override
  public CompletableFuture<CodeObject> getOrCompileAsync(KernelSource source, TargetId target) {
    requireNonNull(source, "source");
    requireNonNull(target, "target");
    CompletableFuture<CodeObject> future = new CompletableFuture<>();
    try {
      executor.execute(() -> complete(future, () -> getOrCompile(source, target)));
    } catch (RejectedExecutionException e) {
      future.completeExceptionally(e);
    }
    return future;
  }

  private static void complete(
      CompletableFuture<CodeObject> future, Supplier<CodeObject> codeObject) {
    try {
      future.complete(codeObject.get());
    } catch (RuntimeException | Error e) {
      future.completeExceptionally(e);
    }
  }

  @Override
  public Optional<CodeObject> getIfPresent(KernelSource source) {
    return getIfPresent(source, target);
  }

  @Override
  public Optional<CodeObject> getIfPresent(KernelSource source, TargetId target) {
    requireNonNull(source, "source");
    requireNonNull(target, "target");
    CodeObject code = find(source, target);
    record(new Request(source, target, code == null ? Outcome.MISS : Outcome.HIT));
    return Optional.ofNullable(code);
  }

  private void record(Request request) {
    synchronized (requests) {
      if (requests.size() == MOST_REQUESTS) {
        requests.removeFirst();
      }
      requests.add(request);
    }
  }

  /** Builds an {@link InMemoryKernelCache}. Not safe for use by several threads. */
  public static final class Builder {
    private final Map<Named, CodeObject> given = new HashMap<>();
    private TargetId target = TargetId.parse("gfx90a");
    private BiFunction<KernelSource, TargetId, CodeObject> compiler = Builder::refuse;
    private Executor executor = Runnable::run;

    private Builder() {}

    private static CodeObject refuse(KernelSource source, TargetId target) {
      throw new CacheMissException(
          "the test's cache has no code object of %s for %s, and no compiler"
              .formatted(source.name(), target));
    }

    /**
     * Sets the cache's own target, which requests are for that name none.
     *
     * @param text such as {@code gfx90a:xnack+}
     * @return this builder
     * @throws IllegalArgumentException if it is no target ID
     */
    public Builder target(String text) {
      requireNonNull(text, "text");
      target = TargetId.parse(text);
      return this;
    }

    /**
     * Adds a code object, which the cache has from the start. Another one of the same source for
     * another target is a further one; for the same target it takes the place of the first.
     *
     * @param source the {@linkplain KernelSource#name() name} of the source, such as {@code
     *     saxpy.hip}
     * @param codeObject serves requests for exactly its own target
     * @return this builder
     */
    public Builder codeObject(String source, CodeObject codeObject) {
      requireNonNull(source, "source");
      requireNonNull(codeObject, "codeObject");
      given.put(new Named(source, codeObject.target()), codeObject);
      return this;
    }

    /**
     * Sets what a miss is served by, in place of a compiler. What it throws is not kept; the next
     * request asks it again.
     *
     * @param compiler returns a code object for exactly the target, or throws what a compiler's
     *     user has to expect, such as a {@link dev.kcache.toolchain.CompilationException}. It must
     *     not ask this cache
     * @return this builder
     */
    public Builder compiler(BiFunction<KernelSource, TargetId, CodeObject> compiler) {
      this.compiler = requireNonNull(compiler, "compiler");
      return this;
    }

    /**
     * Sets what serves asynchronous requests. By default the calling thread does.
     *
     * @param executor runs each request as one task; one that keeps its tasks shows how the code
     *     under test waits
     * @return this builder
     */
    public Builder executor(Executor executor) {
      this.executor = requireNonNull(executor, "executor");
      return this;
    }

    /** {@return a cache with what the builder has so far} Further caches may be built of it. */
    public InMemoryKernelCache build() {
      return new InMemoryKernelCache(this);
    }
  }
}
