// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.opendal.AsyncExecutor;
import org.apache.opendal.AsyncOperator;
import org.jspecify.annotations.Nullable;

/**
 * OpenDAL's ends of a store.
 *
 * @param values writes a value as a whole or not at all
 * @param leases writes what is not there in one step, which in a directory is not the former
 * @param root the directory without links on the way to it, or null if the store is none
 */
record Operators(AsyncOperator values, AsyncOperator leases, @Nullable Path root)
    implements AutoCloseable {
  /** Where a file is before it gets its name. No name of a value has a dot. */
  private static final String UNFINISHED = ".kcache-tmp";

  /**
   * Returns those of an address; loads the native part, if nobody has.
   *
   * @throws CompletionException with a cause whose message is for users
   */
  static Operators open(OpenDalAddress address) {
    try {
      AsyncExecutor executor = NativePart.executor();
      if (!address.service().equals("fs")) {
        AsyncOperator one = AsyncOperator.of(address.service(), address.settings(), executor);
        return new Operators(one, one, null);
      }
      Path root = root(address);
      Map<String, String> whole = new HashMap<>(address.settings());
      if (Files.isWritable(root)) {
        whole.put("atomic_write_dir", root.resolve(UNFINISHED).toString());
      }
      return new Operators(
          AsyncOperator.of(address.service(), whole, executor),
          // With that setting, OpenDAL looks whether a file is there and renames another to it:
          // of many who ask for a lease at once, several would get it.
          AsyncOperator.of(address.service(), address.settings(), executor),
          root);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private static Path root(OpenDalAddress address) throws IOException {
    Path root = Path.of(String.valueOf(address.settings().get("root")));
    if (!Files.isDirectory(root)) {
      // OpenDAL would make it, also where a file system is not mounted.
      throw new IOException("there is no such directory; make it, or mount what holds it");
    }
    Path unfinished = root.resolve(UNFINISHED);
    if (Files.exists(unfinished, LinkOption.NOFOLLOW_LINKS)
        && !Files.isDirectory(unfinished, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(unfinished + " is no directory; remove it");
    }
    return root.toRealPath();
  }

  /** Returns whether a name has nothing but directories on its way, as far as there is one. */
  boolean isReached(String name) {
    if (root == null) {
      return true;
    }
    Path way = root;
    for (Path part : Path.of(name)) {
      BasicFileAttributes found = found(way);
      if (found == null || !found.isDirectory()) {
        return found == null;
      }
      way = way.resolve(part);
    }
    return true;
  }

  /** Returns whether a name is reached, and is a file or nothing. */
  boolean isPlain(String name) {
    if (root == null) {
      return true;
    }
    BasicFileAttributes found = found(root.resolve(name));
    return (found == null || found.isRegularFile()) && isReached(name);
  }

  /** One look: between two, another may write the file. */
  private static @Nullable BasicFileAttributes found(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      return null; // What can't be looked at, OpenDAL can't open either.
    }
  }

  /** Fails if a name is not {@link #isPlain}; looks on OpenDAL's threads, since disks may hang. */
  CompletionStage<Void> checked(String name) {
    return root == null
        ? CompletableFuture.completedFuture(null)
        : values
            .stat(name)
            .handle(
                (metadata, failure) -> {
                  if (!isPlain(name)) {
                    throw new CompletionException(
                        new IOException(name + " is no plain file in plain directories"));
                  }
                  return null;
                });
  }

  @Override
  public void close() {
    values.close();
    if (root != null) {
      leases.close();
    }
  }
}
