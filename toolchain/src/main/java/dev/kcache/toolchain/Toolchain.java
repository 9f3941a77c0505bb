// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A compiler with everything that decides its output: turns staged source into one code object.
 *
 * <p>Implementations are safe for use by any number of threads, and cheap to ask twice: what they
 * found out about themselves is remembered, and checked again at most once an interval.
 */
public interface Toolchain extends AutoCloseable {

  /**
   * {@return which compiler this is, for people: the program and its version, on one line}
   *
   * @throws ToolchainNotFoundException if the compiler cannot be run to ask it
   */
  String describe();

  /**
   * {@return the label under which this toolchain's results are kept}
   *
   * @throws ToolchainNotFoundException if the compiler cannot be run to ask it
   */
  ToolchainLabel label();

  /**
   * {@return the processors that this toolchain compiles source for, in their own order, at least
   * one} It may know others by name and yet lack what a compile for them needs.
   *
   * @throws ToolchainNotFoundException if the compiler cannot be run to ask it, or does not tell
   */
  Set<Processor> processors();

  /**
   * {@return whether {@link #processors} has a processor} May be quicker than asking for all.
   *
   * @param processor one of either platform
   * @throws ToolchainNotFoundException if the compiler cannot be run to ask it, or does not tell
   */
  default boolean compilesFor(Processor processor) {
    return processors().contains(processor);
  }

  /**
   * {@return whether {@link #processors} is known to lack a processor} Runs nothing to find out.
   *
   * @param processor one of either platform
   */
  default boolean isKnownToLack(Processor processor) {
    return false;
  }

  /** {@return the languages that this toolchain compiles; asks and runs nothing} */
  default Set<Language> languages() {
    return Set.of(Language.HIP);
  }

  /**
   * {@return what to compile for where a result is to run on a device and nobody names a target:
   * the device's own, unless this toolchain makes only what a driver has still to translate for it}
   *
   * @param device the target that the device reports
   */
  default TargetId targetFor(TargetId device) {
    return device;
  }

  /**
   * {@return the digest of everything but the request that decides the bytes of a result for this
   * target and these options: the programs, their libraries, injected options, device bitcode}
   *
   * @param target what would be compiled for
   * @param options the options of the kernel
   * @throws ToolchainNotFoundException if the compiler cannot be run to ask it
   * @throws CompilationException if the compiler refuses the target or the options
   */
  Digest identity(TargetId target, List<String> options);

  /**
   * {@return the files whose content {@link #identity} is made of, as far as this toolchain can
   * name them cheaply; none if it cannot} Records keep them to explain why a later identity
   * differs.
   *
   * @param target what would be compiled for
   * @param options the options of the kernel
   */
  default List<File> identityFiles(TargetId target, List<String> options) {
    return List.of();
  }

  /**
   * {@return whether every one of {@code files} still has the content that it is listed with}
   *
   * @param files as {@link #identityFiles} returned them, maybe in an earlier process
   */
  boolean hasUnchanged(List<File> files);

  /**
   * Remembers, if it can, that {@link #hasUnchanged} was true just now of a list of files.
   *
   * @param list the digest by which the list is known
   * @param files as {@link #identityFiles} returned them
   */
  default void rememberUnchanged(Digest list, List<File> files) {}

  /**
   * {@return whether {@link #hasUnchanged}, once true of a list, maybe in an earlier process, is
   * known to be true still} Does without the list.
   *
   * @param list the digest that {@link #rememberUnchanged} was given
   */
  default boolean isStillUnchanged(Digest list) {
    return false;
  }

  /**
   * Compiles one source for one target. Blocks until the compiler has ended, within the job's
   * timeout; an interrupt ends the compiler.
   *
   * @param job what to compile, and how
   * @return the code object, and how it came about
   * @throws CompilationException if the compiler fails, exceeds the timeout, or reads a file that
   *     is neither staged nor its own; nothing is left behind
   * @throws ToolchainNotFoundException if the compiler cannot be run
   * @throws InterruptedException if the thread is interrupted; the compiler has been ended
   */
  Output compile(Job job) throws InterruptedException;

  /** {@return where the compiles are, if this has other machines run them} */
  default Optional<ExecutorLoad> load() {
    return Optional.empty();
  }

  /**
   * Ends running compiles and releases what this holds; closing twice has no effect. A manager
   * closes what it has found by itself, and nothing that it was given.
   */
  @Override
  default void close() {}

  /**
   * One compile.
   *
   * @param request the digest of the request, from which reproducible names are made
   * @param source what to compile
   * @param target what to compile for
   * @param options how to compile
   * @param timeout how long the compiler may run
   */
  record Job(
      Digest request,
      StagedSource source,
      TargetId target,
      List<String> options,
      Duration timeout) {
    /**
     * Copies the options.
     *
     * @param request the digest of the request, from which reproducible names are made
     * @param source what to compile
     * @param target what to compile for
     * @param options how to compile
     * @param timeout how long the compiler may run
     */
    public Job {
      options = List.copyOf(options);
    }
  }

  /**
   * A file of a source, as it is staged.
   *
   * @param path relative to the staging directory, with {@code /}, never leaving it
   * @param content the bytes, read-only
   */
  record SourceFile(String path, ByteBuffer content) {
    /**
     * Makes the content read-only.
     *
     * @param path relative to the staging directory, with {@code /}, never leaving it
     * @param content the bytes, read-only
     */
    public SourceFile {
      content = content.asReadOnlyBuffer();
    }
  }

  /**
   * What a compile gave.
   *
   * @param codeObject the code object, of the job's target
   * @param command the exact command, the program first
   * @param log what the compiler printed, warnings included; often empty
   * @param elapsed how long the compiler ran
   * @param dependencies the toolchain's own files that the compile read
   */
  record Output(
      CodeObject codeObject,
      List<String> command,
      String log,
      Duration elapsed,
      List<File> dependencies) {
    /**
     * Copies the lists.
     *
     * @param codeObject the code object, of the job's target
     * @param command the exact command, the program first
     * @param log what the compiler printed, warnings included
     * @param elapsed how long the compiler ran
     * @param dependencies the toolchain's own files that the compile read
     */
    public Output {
      requireNonNull(codeObject, "codeObject");
      requireNonNull(command, "command");
      requireNonNull(log, "log");
      requireNonNull(elapsed, "elapsed");
      requireNonNull(dependencies, "dependencies");
      command = List.copyOf(command);
      dependencies = List.copyOf(dependencies);
    }
  }

  /**
   * A file of the toolchain, such as a system header, with its content.
   *
   * @param path absolute
   * @param digest of the content
   */
  record File(String path, Digest digest) {
    /**
     * Refuses null.
     *
     * @param path absolute
     * @param digest of the content
     */
    public File {
      requireNonNull(path, "path");
      requireNonNull(digest, "digest");
    }
  }
}
