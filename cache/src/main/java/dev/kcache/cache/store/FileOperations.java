// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.function.Consumer;

/**
 * The steps of which every read and change of an entry is made, one method each, so that a test can
 * fail or kill the process at any of them.
 */
public interface FileOperations {

  /**
   * Returns a file's first bytes, {@code limit} of them or as many as there are. An interrupt does
   * not end it. A link is not followed, and nothing is waited for that is no regular file.
   *
   * @throws java.io.FileNotFoundException if it is missing, no regular file, or cannot be opened
   */
  byte[] read(Path file, int limit) throws IOException;

  /**
   * Returns the SHA-256 of a file's content, which need not fit into memory. As {@link #read}, it
   * is not ended by an interrupt, follows no link and waits for nothing.
   *
   * @throws java.io.FileNotFoundException if it is missing, no regular file, or cannot be opened
   */
  Digest digest(Path file) throws IOException;

  /**
   * Creates a directory, readable as {@code access} says.
   *
   * @throws java.nio.file.FileAlreadyExistsException if something has that name
   */
  void createDirectory(Path directory, Access access) throws IOException;

  /**
   * Creates an empty file that no other user can open for writing, at any moment.
   *
   * @throws java.nio.file.FileAlreadyExistsException if something has that name
   */
  void createFile(Path file, Access access) throws IOException;

  /** Writes the remaining bytes of {@code content}, whose position is left alone, to a file. */
  void write(Path file, ByteBuffer content) throws IOException;

  /** Waits until a file's content is on the disk. */
  void force(Path file) throws IOException;

  /** Gives a file another name in one step, replacing what had that name. */
  void rename(Path from, Path to) throws IOException;

  /**
   * Sets the modification time of a file of this user's to now; returns whether that was possible.
   */
  boolean touch(Path file);

  /** Waits until a directory's names are on the disk, where the file system can do that. */
  void forceDirectory(Path directory);

  /**
   * Does something with each of many files, one after the other or several at once, and returns
   * when all of it is done. An interrupt does not end it.
   */
  default <T> void forEach(Collection<T> files, Consumer<? super T> action) {
    files.forEach(action);
  }

  /** Deletes a file or an empty directory, if it is there. */
  void delete(Path path) throws IOException;
}
