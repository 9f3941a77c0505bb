// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * A cache as applications see it: a source goes in, a verified code object for a target comes out.
 * {@link CacheManager} is the cache of a machine; a test gives the code under test another one.
 * Code that is handed a cache does not own it, so this has no {@code close}.
 *
 * <pre>{@code
 * record Warmup(KernelCache cache) {
 *   void run() {
 *     List<CompletableFuture<CodeObject>> compiles =
 *         Stream.of("saxpy.hip", "gemm.hip")
 *             .map(name -> cache.getOrCompileAsync(KernelSource.resource(App.class, name)))
 *             .toList(); // all of them at once
 *     compiles.forEach(CompletableFuture::join);
 *   }
 * }
 * }</pre>
 *
 * <p>Implementations are safe for use by any number of threads. Each method throws {@link
 * NullPointerException} at once if an argument is null, and {@link IllegalStateException} if the
 * cache is closed; the asynchronous ones give every other failure to their future.
 */
public interface KernelCache {
  /**
   * Returns the code object of {@code source} for the cache's own target, compiled if the cache
   * lacks it.
   *
   * @param source what to compile; its digest and the target decide what is a hit
   * @return a code object that runs on the cache's own target: its target is that one, or a more
   *     general one that serves it
   * @throws InvalidKernelSourceException if the source has no {@linkplain KernelSource#digest
   *     digest}
   * @throws TargetDetectionException if no target is known
   * @throws CompilationException if the compiler fails or exceeds its time; nothing is stored
   * @throws ToolchainNotFoundException if a compile is needed and there is no compiler
   * @throws CacheMissException if a compile is needed and the cache is not to compile
   * @throws CancellationException if the calling thread is interrupted while it waits; its
   *     interrupt flag is set, and the compile goes on
   */
  CodeObject getOrCompile(KernelSource source);

  /**
   * {@return the code object of {@code source} for exactly {@code target}, compiled if the cache
   * lacks it} Throws what {@link #getOrCompile(KernelSource)} does where a target is known.
   *
   * @param source what to compile
   * @param target processor and features that the code object is for; nothing more general serves
   */
  CodeObject getOrCompile(KernelSource source, TargetId target);

  /**
   * Does what {@link #getOrCompile(KernelSource)} does, without waiting.
   *
   * @param source what to compile
   * @return the caller's own future, which fails with the exceptions of that method; cancelling it
   *     does not end the compile, which others may wait for
   */
  CompletableFuture<CodeObject> getOrCompileAsync(KernelSource source);

  /**
   * Does what {@link #getOrCompile(KernelSource, TargetId)} does, without waiting.
   *
   * @param source what to compile
   * @param target processor and features that the code object is for; nothing more general serves
   * @return the caller's own future, which fails with the exceptions of that method; cancelling it
   *     does not end the compile, which others may wait for
   */
  CompletableFuture<CodeObject> getOrCompileAsync(KernelSource source, TargetId target);

  /**
   * {@return the code object for the cache's own target; empty if the cache lacks it} Never
   * compiles.
   *
   * @param source what was compiled, by this process or another
   * @throws InvalidKernelSourceException if the source has no {@linkplain KernelSource#digest
   *     digest}
   * @throws TargetDetectionException if no target is known
   * @throws ToolchainNotFoundException if it is unknown what to look for, since there is neither a
   *     compiler nor a configured version
   */
  Optional<CodeObject> getIfPresent(KernelSource source);

  /**
   * {@return the code object for exactly {@code target}; empty if the cache lacks it} Never
   * compiles.
   *
   * @param source what was compiled, by this process or another
   * @param target processor and features that the code object is for; nothing more general serves
   * @throws InvalidKernelSourceException if the source has no {@linkplain KernelSource#digest
   *     digest}
   * @throws ToolchainNotFoundException if it is unknown what to look for, since there is neither a
   *     compiler nor a configured version
   */
  Optional<CodeObject> getIfPresent(KernelSource source, TargetId target);
}
