// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The real steps, written down; but nothing is forced to the disk, since what a disk makes of the
 * steps is for {@link LostPower} to tell.
 */
final class RecordingFileOperations extends FileOperations {
  private static final ByteBuffer NO_CONTENT = ByteBuffer.allocate(0);

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
  public void createDirectory(Path directory, Access access) throws IOException {
    super.createDirectory(directory, access);
    add(Operation.CREATE_DIRECTORY, directory);
  }

  @Override
  public void createFile(Path file, Access access) throws IOException {
    super.createFile(file, access);
    add(Operation.CREATE_FILE, file);
  }

  @Override
  public void write(Path file, ByteBuffer content) throws IOException {
    super.write(file, content);
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
    super.rename(from, to);
    add(Operation.RENAME, from, to, NO_CONTENT);
  }

  @Override
  public void forceDirectory(Path directory) {
    add(Operation.FORCE_DIRECTORY, directory);
  }

  @Override
  public void delete(Path path) throws IOException {
    super.delete(path);
    add(Operation.DELETE, path);
  }
}
