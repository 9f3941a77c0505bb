// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.callback.CallbackExecutor;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.explain.Difference;
import dev.kcache.cache.explain.Recompilation;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.EntryDirectory;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Compiles entries of the cache directory and the layers again, to find those that do not have the
 * bytes that their source gives. Nothing that it compiles is kept or counted.
 *
 * <pre>{@code
 * Recompiler recompiler = cache.recompiler();
 * for (Recompiler.Candidate candidate : recompiler.select(sources).candidates()) {
 *   if (recompiler.recompile(candidate).join().isWrong()) {
 *     System.err.println(candidate.entry().source() + " is not what its compiler makes");
 *   }
 * }
 * }</pre>
 *
 * <p>Safe for use by any number of threads, beside any number of requests.
 */
public final class Recompiler {
  private final Directories directories;
  private final RequestResolver resolver;
  private final CompileTask compiles;
  private final Workers workers;
  private final CallbackExecutor callbacks;

  Recompiler(
      Directories directories,
      RequestResolver resolver,
      CompileTask compiles,
      Workers workers,
      CallbackExecutor callbacks) {
    this.directories = directories;
    this.resolver = resolver;
    this.compiles = compiles;
    this.workers = workers;
    this.callbacks = callbacks;
  }

  /** An entry, and the source that it was made from. */
  public static final class Candidate {
    private final EntryDirectory directory;
    private final CacheEntry entry;
    private final KernelSource source;

    private Candidate(EntryDirectory directory, CacheEntry entry, KernelSource source) {
      this.directory = directory;
      this.entry = entry;
      this.source = source;
    }

    /** {@return the record that names what is compiled again} */
    public CacheEntry entry() {
      return entry;
    }
  }

  /**
   * The entries of all directories.
   *
   * @param candidates those whose sources are known
   * @param others how many others there are
   */
  public record Selection(List<Candidate> candidates, long others) {
    /**
     * Copies the list.
     *
     * @param candidates as {@link #candidates()}; copied
     * @param others as {@link #others()}
     */
    public Selection {
      candidates = List.copyOf(candidates);
    }
  }

  /**
   * Finds the entries that were made from some sources. Reads every record.
   *
   * @param sources what the entries may have been made from, with the options that they had then
   * @return those entries, in each directory by target, label and source name, and how many others
   *     there are; a directory that cannot be read has neither
   * @throws InvalidKernelSourceException if a source cannot be keyed
   */
  public Selection select(Collection<KernelSource> sources) {
    Objects.requireNonNull(sources, "sources");
    Map<Digest, KernelSource> byRequest = new HashMap<>();
    Set<TargetId> targets = new HashSet<>();
    List<Candidate> candidates = new ArrayList<>();
    long others = 0;
    for (EntryDirectory directory : directories.all()) {
      if (!directories.isReadable(directory)) {
        continue;
      }
      for (CacheEntry entry : directory.entries()) {
        if (targets.add(entry.target())) {
          sources.forEach(each -> byRequest.put(RequestKey.digest(each, entry.target()), each));
        }
        KernelSource source = byRequest.get(entry.request());
        if (source == null) {
          others++;
        } else {
          candidates.add(new Candidate(directory, entry, source));
        }
      }
    }
    return new Selection(candidates, others);
  }

  /**
   * Compiles an entry's source again with the compiler that a request for it would use, and
   * compares the bytes. If they differ although the compiler and its headers are those that made
   * the entry, the entry is moved to quarantine, unless it is in a layer.
   *
   * @param candidate one of a {@link Selection} of this manager
   * @return a future that fails with {@link ToolchainNotFoundException} if there is no compiler for
   *     the target, {@link CompilationException} if the compiler fails, and {@link
   *     IllegalArgumentException} as {@link CacheManager#getOrCompile(KernelSource)} does; nothing
   *     is moved then
   * @throws IllegalStateException if the manager is closed
   */
  public CompletableFuture<Recompilation> recompile(Candidate candidate) {
    Objects.requireNonNull(candidate, "candidate");
    return callbacks.deliver(workers.compile(() -> compared(candidate)));
  }

  private Recompilation compared(Candidate candidate) throws InterruptedException {
    CacheEntry entry = candidate.entry;
    RequestKey key = resolver.compilersKey(candidate.source, entry.target());
    if (!Objects.equals(key.toolchain(), entry.toolchain())) {
      return unmoved(candidate, Optional.empty(), differences(candidate, key));
    }
    Toolchain.Output output = compiles.output(key, candidate.source);
    Digest given = output.codeObject().digest();
    if (given.equals(entry.codeObject())) {
      return unmoved(candidate, Optional.of(given), List.of());
    }
    // Asked again: the compiler may have been replaced meanwhile.
    RequestKey now = resolver.compilersKey(candidate.source, entry.target());
    List<Difference> differences = differences(candidate, now);
    if (differences.isEmpty()) {
      differences = Explainer.newDependencies(output, candidate.directory.asLayer(), entry);
    }
    if (!differences.isEmpty()) {
      return unmoved(candidate, Optional.of(given), differences);
    }
    EntryDirectory directory = candidate.directory;
    boolean quarantined = directory instanceof DiskStore store && store.moveAside(entry);
    boolean gone = !quarantined && directory.peek(entry).isEmpty();
    return new Recompilation(
        directory.root(), entry, Optional.of(given), List.of(), quarantined, gone);
  }

  private static List<Difference> differences(Candidate candidate, RequestKey key) {
    return Explainer.compilerDifferences(key, candidate.directory.asLayer(), candidate.entry);
  }

  private static Recompilation unmoved(
      Candidate candidate, Optional<Digest> codeObject, List<Difference> differences) {
    return new Recompilation(
        candidate.directory.root(), candidate.entry, codeObject, differences, false, false);
  }
}
