// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** The real steps, with a hook before each, in the middle of each write, and to count them. */
public final class StepHookFileOperations implements FileOperations {
  private final FileOperations real = new PosixFileOperations();
  private final Hook hook;
  private final AtomicInteger steps = new AtomicInteger();

  public StepHookFileOperations(Hook hook) {
    this.hook = hook;
  }

  int steps() {
    return steps.get();
  }

  @Override
  public byte[] read(Path file, int limit) throws IOException {
    step("read", file);
    return real.read(file, limit);
  }

  @Override
  public Digest digest(Path file) throws IOException {
    step("digest", file);
    return real.digest(file);
  }

  @Override
  public void createDirectory(Path directory, Access access) throws IOException {
    step("createDirectory", directory);
    real.createDirectory(directory, access);
  }

  @Override
  public void createFile(Path file, Access access) throws IOException {
    step("createFile", file);
    real.createFile(file, access);
  }

  @Override
  public void write(Path file, ByteBuffer content) throws IOException {
    step("write", file);
    ByteBuffer half = content.duplicate();
    real.write(file, half.limit(half.position() + half.remaining() / 2));
    step("write half", file);
    real.write(file, content);
  }

  @Override
  public void force(Path file) throws IOException {
    step("force", file);
    real.force(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    step("rename", from);
    real.rename(from, to);
  }

  @Override
  public void forceDirectory(Path directory) {
    try {
      step("forceDirectory", directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    real.forceDirectory(directory);
  }

  @Override
  public boolean touch(Path file) {
    try {
      step("touch", file);
    } catch (IOException e) {
      return false;
    }
    return real.touch(file);
  }

  @Override
  public void delete(Path path) throws IOException {
    step("delete", path);
    real.delete(path);
  }

  private void step(String operation, Path path) throws IOException {
    hook.before(steps.getAndIncrement(), operation, path);
  }

  /** Called before a step, which does not happen if it throws. */
  public interface Hook {
    void before(int step, String operation, Path path) throws IOException;
  }
}
