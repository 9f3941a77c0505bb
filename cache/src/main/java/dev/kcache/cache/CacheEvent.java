// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.time.Duration;
import java.util.Optional;

/**
 * Something that a cache did, as a {@link CacheListener} is told of it.
 *
 * <p>A request that finds its code object is one {@link Hit}. Any other is a {@link Miss}; unless
 * it is refused or joins a compile that is under way, {@link CompileStarted} follows, and then
 * {@link CompileFinished} or {@link CompileFailed}. Where a compile fails and generic code serves
 * instead, a hit comes last. A module that a kernel manager loads is {@link LoadStarted}, and then
 * {@link LoadFinished} or {@link LoadFailed}. {@link Evicted} belongs to no request.
 *
 * <p>A source that can't be keyed, or a closed manager, gives an exception and no event.
 *
 * <p>Later versions may have more events, and more components in these: ignore events that you do
 * not know, and make some yourself in tests only. All are immutable.
 */
public sealed interface CacheEvent {
  /**
   * A request was answered without a compiler.
   *
   * @param source the source's logical name
   * @param target the target of the code object, perhaps a generic one
   * @param label the label of the compiler that once made it
   * @param codeObject the digest of the code object
   * @param origin where it was; never {@code COMPILED}
   * @param elapsed how long the lookup took
   */
  record Hit(
      String source,
      TargetId target,
      ToolchainLabel label,
      Digest codeObject,
      CacheResult.Origin origin,
      Duration elapsed)
      implements CacheEvent {}

  /**
   * A request found nothing. Statistics count it as a hit on the disk if another process turns out
   * to be compiling the same: see {@link Outcome#FOUND}.
   *
   * @param source the source's logical name
   * @param target the target that is to be compiled for
   * @param label the label of the compiler that is tried first; empty if there is none
   * @param reason why nothing was found
   * @param elapsed how long the lookup took
   */
  record Miss(
      String source,
      TargetId target,
      Optional<ToolchainLabel> label,
      Reason reason,
      Duration elapsed)
      implements CacheEvent {}

  /**
   * Why a request found nothing, as far as the files that are kept for it tell. {@link
   * CacheManager#explain} tells more, and takes longer.
   */
  enum Reason {
    /**
     * Nothing is kept for it: the source, its options or its target are new, or what was kept was
     * evicted, cleared, or moved aside as damaged.
     */
    ABSENT,
    /** What is kept was made by another compiler, or by this one before it changed. */
    COMPILER_CHANGED,
    /** A header of the compiler changed that the compile read. */
    HEADER_CHANGED,
    /** What is kept is damaged, or its code object is missing. */
    DAMAGED,
    /** The GPU driver refused in this process what is kept. */
    REFUSED,
    /**
     * What was found is revoked: in a directory, on the class path or in a remote. A directory has
     * it in quarantine from then on, so that later processes find it absent.
     */
    REVOKED,
    /** There is no compiler for the target, and nothing is kept that would serve without one. */
    NO_COMPILER,
    /** No directory is read: they are disabled, or none can be used. */
    NO_DIRECTORY,
    /** The manager compiles everything anew. */
    RECOMPILE
  }

  /**
   * A thread begins to compile. Perhaps it has to wait for another process that compiles the same.
   *
   * @param source the source's logical name
   * @param target what it is compiled for
   * @param label the label of the compiler that is tried first
   */
  record CompileStarted(String source, TargetId target, ToolchainLabel label)
      implements CacheEvent {}

  /**
   * A compile has given a code object.
   *
   * @param started the event of its beginning, the same object
   * @param label the label of the compiler that made it
   * @param codeObject the digest of the code object
   * @param outcome who compiled it
   * @param compileTime how long the compiler ran, now or in the other process
   * @param elapsed the time since the beginning
   */
  record CompileFinished(
      CompileStarted started,
      ToolchainLabel label,
      Digest codeObject,
      Outcome outcome,
      Duration compileTime,
      Duration elapsed)
      implements CacheEvent {}

  /** Where the result of a compile came from. */
  enum Outcome {
    /** The compiler was run. */
    COMPILED,
    /** Another process, or another manager of this one, had compiled it meanwhile. */
    FOUND
  }

  /**
   * A compile has given nothing.
   *
   * @param started the event of its beginning, the same object
   * @param failure what ended it
   * @param elapsed the time since the beginning
   */
  record CompileFailed(CompileStarted started, Throwable failure, Duration elapsed)
      implements CacheEvent {}

  /**
   * A kernel manager begins to load a code object, once for each device.
   *
   * @param source the logical name of the source whose request loads it
   * @param target the target of the code object
   * @param label the label of the compiler that made it
   * @param codeObject the digest of the code object
   * @param device the ordinal of the device
   */
  record LoadStarted(
      String source, TargetId target, ToolchainLabel label, Digest codeObject, int device)
      implements CacheEvent {}

  /**
   * A code object is loaded.
   *
   * @param started the event of its beginning, the same object
   * @param elapsed the time since the beginning
   */
  record LoadFinished(LoadStarted started, Duration elapsed) implements CacheEvent {}

  /**
   * A code object could not be loaded.
   *
   * @param started the event of its beginning, the same object
   * @param failure what the GPU runtime threw
   * @param elapsed the time since the beginning
   */
  record LoadFailed(LoadStarted started, Throwable failure, Duration elapsed)
      implements CacheEvent {}

  /**
   * A collection removed something from the cache directory: one that a manager runs in the
   * background, or {@link CacheMaintenance#collect}. What memory drops is not told: the disk has
   * it.
   *
   * @param entries how many entries went
   * @param bytes the bytes of the disk that they and other files took, in blocks
   * @param elapsed how long the collection took
   */
  record Evicted(long entries, long bytes, Duration elapsed) implements CacheEvent {}
}
