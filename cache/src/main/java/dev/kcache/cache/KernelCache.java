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
 * What an application asks for code objects: a source goes in, a verified code object for a target
 * comes out. {@link CacheManager} is the cache of a machine; a test gives the code under test
 * another one. Code that is handed a cache does not own it, so this has no {@code close}.
 *
 * <p>Implementations are safe for use by any number of threads. Each method throws {@link
 * NullPointerException} at once if an argument is null; the asynchronous ones give every other
 * failure to their future.
 */
public interface KernelCache {
  /**
   * Returns the code object of {@code source} for the cache's own target, compiled if the cache
   * lacks it.
   *
   * @throws TargetDetectionException if no target is known
   * @throws CompilationException if the compiler fails or exceeds its time; nothing is stored
   * @throws ToolchainNotFoundException if a compile is needed and there is no compiler
   * @throws CacheMissException if a compile is needed and the cache is not to compile
   * @throws CancellationException if the calling thread is interrupted while it waits; its
   *     interrupt flag is set, and the compile goes on
   */
  CodeObject getOrCompile(KernelSource source);

  /**
   * Returns the code object of {@code source} for exactly {@code target}; throws what {@link
   * #getOrCompile(KernelSource)} does where a target is known.
   */
  CodeObject getOrCompile(KernelSource source, TargetId target);

  /**
   * As {@link #getOrCompile(KernelSource)}, without waiting: the future fails with the exceptions
   * of that method. Cancelling it does not end the compile, which others may wait for.
   */
  CompletableFuture<CodeObject> getOrCompileAsync(KernelSource source);

  /**
   * As {@link #getOrCompile(KernelSource, TargetId)}, without waiting: the future fails with the
   * exceptions of that method. Cancelling it does not end the compile, which others may wait for.
   */
  CompletableFuture<CodeObject> getOrCompileAsync(KernelSource source, TargetId target);

  /**
   * Returns the code object for the cache's own target if the cache has it; never compiles.
   *
   * @throws TargetDetectionException if no target is known
   * @throws ToolchainNotFoundException if it is unknown what to look for, since there is neither a
   *     compiler nor a configured version
   */
  Optional<CodeObject> getIfPresent(KernelSource source);

  /**
   * Returns the code object for exactly {@code target} if the cache has it; never compiles.
   *
   * @throws ToolchainNotFoundException if it is unknown what to look for, since there is neither a
   *     compiler nor a configured version
   */
  Optional<CodeObject> getIfPresent(KernelSource source, TargetId target);
}
