// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The real steps, written down; but nothing is forced to the disk, since what a disk makes of the
 * steps is for {@link LostPower} to tell.
 */
final class RecordingFileOperations implements FileOperations {
  private static final ByteBuffer NO_CONTENT = ByteBuffer.allocate(0);

  private final FileOperations real = new PosixFileOperations();
  private final List<Step> steps = new ArrayList<>();

  /** What is done in a step. */
  enum Operation {
    CREATE_DIRECTORY,
    CREATE_FILE,
    WRITE,
    FORCE,
    RENAME,
    FORCE_DIRECTORY,
    DELETE
  }

  /**
   * A change, or what makes changes last.
   *
   * @param path what it is done to
   * @param to the other name, if it is renamed
   * @param content what is written, if anything is
   */
  record Step(Operation operation, Path path, Path to, ByteBuffer content) {
    @Override
    public String toString() {
      return operation + " " + path.getFileName();
    }
  }

  List<Step> steps() {
    return steps;
  }

  private void add(Operation operation, Path path, Path to, ByteBuffer content) {
    steps.add(new Step(operation, path, to, content));
  }

  private void add(Operation operation, Path path) {
    add(operation, path, path, NO_CONTENT);
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
    add(Operation.CREATE_DIRECTORY, directory);
  }

  @Override
  public void createFile(Path file, Access access) throws IOException {
    real.createFile(file, access);
    add(Operation.CREATE_FILE, file);
  }

  @Override
  public void write(Path file, ByteBuffer content) throws IOException {
    real.write(file, content);
    byte[] bytes = new byte[content.remaining()];
    content.duplicate().get(bytes);
    add(Operation.WRITE, file, file, ByteBuffer.wrap(bytes));
  }

  @Override
  public void force(Path file) {
    add(Operation.FORCE, file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    real.rename(from, to);
    add(Operation.RENAME, from, to, NO_CONTENT);
  }

  @Override
  public boolean touch(Path file) {
    return real.touch(file);
  }

  @Override
  public void forceDirectory(Path directory) {
    add(Operation.FORCE_DIRECTORY, directory);
  }

  @Override
  public void delete(Path path) throws IOException {
    real.delete(path);
    add(Operation.DELETE, path);
  }
}
