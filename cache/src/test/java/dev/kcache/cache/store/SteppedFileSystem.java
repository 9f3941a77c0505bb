// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.store.StoreHistory.Kind;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The real file system below one directory, with a turn before each look and each change, all of
 * which are written down. No two changes have the same time, and each has one that is {@link
 * #BEHIND} ours, so that what is remembered by times of files is believed.
 *
 * <p>Its paths stand for those of the real one, so that all that the store does goes through here.
 */
final class SteppedFileSystem {
  /** Longer than the store takes a change for recent. */
  static final Duration BEHIND = Duration.ofSeconds(10);

  private final Path root;
  private final Turns turns;
  private final StoreHistory history;
  private final FileSystem fileSystem = new ForwardingFileSystem(this);
  private Instant last = Instant.MIN;

  SteppedFileSystem(Path root, Turns turns, StoreHistory history) {
    this.root = root;
    this.turns = turns;
    this.history = history;
  }

  /** What a step does. */
  interface Io<T> {
    T run() throws IOException;
  }

  /** What a step changes. */
  interface Change {
    void run() throws IOException;
  }

  /** Makes a step, in its turn. */
  <T> T step(Kind kind, Path path, Io<T> io) throws IOException {
    Path real = real(path);
    if (!real.startsWith(root)) {
      return io.run();
    }
    turns.step();
    try {
      T result = io.run();
      history.add(kind, real);
      return result;
    } catch (IOException | RuntimeException e) {
      history.add(Kind.FAILED, real);
      throw e;
    }
  }

  /** Gives a file another name, in its turn. */
  void rename(Path from, Path to, Change change) throws IOException {
    turns.step();
    try {
      change.run();
    } catch (IOException e) {
      history.add(Kind.FAILED, real(from));
      throw e;
    }
    history.addRename(real(from), real(to));
  }

  /** Gives a file a time that no other has. */
  void setTime(Path file) throws IOException {
    Instant now = Instant.now().minus(BEHIND);
    last = now.isAfter(last) ? now : last.plusNanos(1000);
    Files.setLastModifiedTime(real(file), FileTime.from(last));
  }

  /** Returns a path here for a real one. */
  Path path(Path real) {
    return (Path)
        Proxy.newProxyInstance(
            SteppedFileSystem.class.getClassLoader(),
            new Class<?>[] {Path.class},
            new Handler(real));
  }

  /** Returns the real path for one that may be of such a file system. */
  static Path real(Path path) {
    return Proxy.isProxyClass(path.getClass())
            && Proxy.getInvocationHandler(path) instanceof Handler handler
        ? handler.real
        : path;
  }

  private final class Handler implements InvocationHandler {
    private final Path real;

    Handler(Path real) {
      this.real = real;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      if (method.getName().equals("getFileSystem")) {
        return fileSystem;
      }
      Object[] reals = arguments == null ? new Object[0] : arguments.clone();
      for (int i = 0; i < reals.length; i++) {
        reals[i] = reals[i] instanceof Path path ? real(path) : reals[i];
      }
      try {
        Object result = method.invoke(real, reals);
        if (result instanceof Iterator<?>) {
          return StreamSupport.stream(real.spliterator(), false)
              .map(SteppedFileSystem.this::path)
              .iterator();
        }
        return result instanceof Path path ? path(path) : result;
      } catch (InvocationTargetException e) {
        throw Objects.requireNonNull(e.getCause());
      }
    }
  }
}
