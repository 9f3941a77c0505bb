// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Optional;

/** Puts into words why a file could not be read or written; Java's own are names of classes. */
public final class FileFault {
  private FileFault() {}

  /**
   * {@return the reason and the file, such as {@code permission denied: '/cache'}}
   *
   * @param failure what an operation on a file threw
   */
  public static String describe(IOException failure) {
    requireNonNull(failure, "failure");
    return failure instanceof FileSystemException known && known.getFile() != null
        ? reason(known) + ": '" + known.getFile() + "'"
        : reason(failure);
  }

  /**
   * {@return the reason as one phrase, such as {@code permission denied}}
   *
   * @param failure what an operation on a file threw
   */
  public static String reason(IOException failure) {
    requireNonNull(failure, "failure");
    if (failure instanceof FileSystemException known) {
      return ofFileSystem(known);
    }
    Throwable cause = failure.getCause();
    if (cause instanceof UncheckedIOException) {
      cause = cause.getCause();
    }
    if (cause instanceof IOException first) {
      return reason(first);
    }
    return Optional.ofNullable(failure.getMessage()).orElse("the system gives no reason");
  }

  private static String ofFileSystem(FileSystemException failure) {
    if (failure instanceof NoSuchFileException) {
      return "there is no such file or directory";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (failure instanceof FileAlreadyExistsException) {
      return "it is there already";
    }
    if (failure instanceof NotDirectoryException) {
      return "it is not a directory";
    }
    if (failure instanceof DirectoryNotEmptyException) {
      return "it is not empty";
    }
    if (failure instanceof FileSystemLoopException) {
      return "its links lead in a circle";
    }
    return Optional.ofNullable(failure.getReason()).orElse("the system gives no reason");
  }
}
