// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.FileOperations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;

/** The real steps on a file server whose clock is set forth and back. */
final class SteppingFileOperations extends FileOperations {
  private volatile long aheadMillis;

  /** Sets by how much the clock goes before ours; negative if it goes after it. */
  void set(Duration ahead) {
    aheadMillis = ahead.toMillis();
  }

  private void stamp(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis() + aheadMillis));
  }

  @Override
  public void createDirectory(Path directory, Access access) throws IOException {
    super.createDirectory(directory, access);
    stamp(directory);
  }

  @Override
  public void createFile(Path file, Access access) throws IOException {
    super.createFile(file, access);
    stamp(file);
  }

  @Override
  public void write(Path file, ByteBuffer content) throws IOException {
    super.write(file, content);
    stamp(file);
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
}
