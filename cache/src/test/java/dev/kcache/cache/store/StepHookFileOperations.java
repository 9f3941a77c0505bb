// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The real steps of a path's file system, with a hook before each, in the middle of each write, and
 * to count them.
 */
public final class StepHookFileOperations extends FileOperations {
  private final Hook hook;
  private final AtomicInteger steps = new AtomicInteger();

  public StepHookFileOperations(Hook hook) {
    this.hook = hook;
  }

  /** Returns the real steps, but for one kind, which fails on each file that is one of these. */
  static StepHookFileOperations failing(String operation, String message, Path... files) {
    return before(
        operation,
        () -> {
          throw new IOException(message);
        },
        files);
  }

  /**
   * Returns the real steps, with something to be done before each one of a kind.
   *
   * @param files which files it is done for; none for any
   */
  static StepHookFileOperations before(String operation, Action action, Path... files) {
    return new StepHookFileOperations(
        (step, each, path) -> {
          if (each.equals(operation) && (files.length == 0 || List.of(files).contains(path))) {
            action.run();
          }
        });
  }

  int steps() {
    return steps.get();
  }

  @Override
  public byte[] read(Path file, int limit) throws IOException {
    step("read", file);
    return of(file).read(file, limit);
  }

  @Override
  public Digest digest(Path file) throws IOException {
    step("digest", file);
    return of(file).digest(file);
  }

  @Override
  public void createDirectory(Path directory, Access access) throws IOException {
    step("createDirectory", directory);
    of(directory).createDirectory(directory, access);
  }

  @Override
  public void createFile(Path file, Access access) throws IOException {
    step("createFile", file);
    of(file).createFile(file, access);
  }

  @Override
  public void write(Path file, ByteBuffer content) throws IOException {
    step("write", file);
    ByteBuffer half = content.duplicate();
    of(file).write(file, half.limit(half.position() + half.remaining() / 2));
    step("write half", file);
    of(file).write(file, content);
  }

  @Override
  public void force(Path file) throws IOException {
    step("force", file);
    of(file).force(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    step("rename", from);
    of(from).rename(from, to);
  }

  @Override
  public void forceDirectory(Path directory) {
    try {
      step("forceDirectory", directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    of(directory).forceDirectory(directory);
  }

  @Override
  public boolean touch(Path file) {
    try {
      step("touch", file);
    } catch (IOException e) {
      return false;
    }
    return of(file).touch(file);
  }

  @Override
  public void delete(Path path) throws IOException {
    step("delete", path);
    of(path).delete(path);
  }

  @Override
  int count(Path directory) {
    return of(directory).count(directory);
  }

  @Override
  long freeBytes(Path directory) {
    return of(directory).freeBytes(directory);
  }

  @Override
  boolean isInUse(Exception failure) {
    return failure instanceof FileInUseException;
  }

  /** A step of its own, since each file is looked at behind it. */
  @Override
  public <T> void forEach(Collection<T> files, Consumer<? super T> action) {
    try {
      step("forEach", Path.of(""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    super.forEach(files, action);
  }

  private void step(String operation, Path path) throws IOException {
    hook.before(steps.getAndIncrement(), operation, path);
  }

  /** Called before a step, which does not happen if it throws. */
  public interface Hook {
    void before(int step, String operation, Path path) throws IOException;
  }

  /** What is done before a step, which does not happen if it throws. */
  @FunctionalInterface
  interface Action {
    void run() throws IOException;
  }
}
