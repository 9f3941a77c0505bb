// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.FileOperations;
import dev.kcache.cache.store.PosixFileOperations;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;

/** The real steps on a file server whose clock is set forth and back. */
final class SteppingFileOperations implements FileOperations {
  private final FileOperations real = new PosixFileOperations();
  private volatile long aheadMillis;

  /** Sets by how much the clock goes before ours; negative if it goes after it. */
  void set(Duration ahead) {
    aheadMillis = ahead.toMillis();
  }

  private void stamp(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis() + aheadMillis));
  }

  @Override
  public byte[] read(Path file, int limit) throws IOException {
    return real.read(file, limit);
  }

  @Override
  public Digest digest(Path file) throws IOException {
    return real.digest(file);
  }

  @Override
  public void createDirectory(Path directory, Access access) throws IOException {
    real.createDirectory(directory, access);
    stamp(directory);
  }

  @Override
  public void createFile(Path file, Access access) throws IOException {
    real.createFile(file, access);
    stamp(file);
  }

  @Override
  public void write(Path file, ByteBuffer content) throws IOException {
    real.write(file, content);
    stamp(file);
  }

  @Override
  public void force(Path file) throws IOException {
    real.force(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    real.rename(from, to);
  }

  @Override
  public boolean touch(Path file) {
    try {
      stamp(file);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void forceDirectory(Path directory) {
    real.forceDirectory(directory);
  }

  @Override
  public void delete(Path path) throws IOException {
    real.delete(path);
  }
}
