// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.SteppedFileSystem.real;

import dev.kcache.cache.store.StoreHistory.Kind;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.function.Consumer;

/**
 * The real steps below a {@link SteppedFileSystem}, each in its turn and written down. A write is
 * two of them. To force is none: it changes nothing that others see.
 */
final class SteppedFileOperations extends FileOperations {
  private final SteppedFileSystem fileSystem;

  SteppedFileOperations(SteppedFileSystem fileSystem) {
    this.fileSystem = fileSystem;
  }

  @Override
  public byte[] read(Path file, int limit) throws IOException {
    return fileSystem.step(Kind.READ, file, () -> super.read(real(file), limit));
  }

  @Override
  public byte[] readRegular(Path file, int limit) throws IOException {
    return read(file, limit);
  }

  @Override
  public Digest digest(Path file) throws IOException {
    return fileSystem.step(Kind.READ, file, () -> super.digest(real(file)));
  }

  @Override
  public void createDirectory(Path directory, Access access) throws IOException {
    change(Kind.CREATE_DIRECTORY, directory, () -> super.createDirectory(real(directory), access));
  }

  @Override
  public void createFile(Path file, Access access) throws IOException {
    change(Kind.CREATE_FILE, file, () -> super.createFile(real(file), access));
  }

  @Override
  public void write(Path file, ByteBuffer content) throws IOException {
    ByteBuffer half = content.duplicate();
    half.limit(half.position() + half.remaining() / 2);
    change(Kind.WRITE, file, () -> super.write(real(file), half));
    change(Kind.WRITE, file, () -> super.write(real(file), content));
  }

  @Override
  public void force(Path file) {}

  @Override
  public void rename(Path from, Path to) throws IOException {
    fileSystem.rename(from, to, () -> super.rename(real(from), real(to)));
  }

  @Override
  public boolean touch(Path file) {
    try {
      change(Kind.TOUCH, file, () -> {});
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void forceDirectory(Path directory) {}

  @Override
  public void delete(Path path) throws IOException {
    change(Kind.DELETE, path, () -> super.delete(real(path)));
  }

  @Override
  public <T> void forEach(Collection<T> files, Consumer<? super T> action) {
    files.forEach(action);
  }

  private void change(Kind kind, Path path, Change change) throws IOException {
    fileSystem.step(
        kind,
        path,
        () -> {
          change.run();
          if (kind == Kind.CREATE_FILE || kind == Kind.WRITE || kind == Kind.TOUCH) {
            fileSystem.setTime(path);
          }
          return path;
        });
  }

  private interface Change {
    void run() throws IOException;
  }
}
