// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.trace;

import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A trace on disk: {@code requests/} has one file per distinct request, {@code files/} each content
 * once. A file appears whole, by a rename, and a request after the files that it names; so any
 * number of processes may write one trace while others read it. A trace is no cache: it is not
 * synced, and what a power failure tore is an error to its reader.
 *
 * <p>Safe for use by any number of threads.
 */
public final class TraceDirectory {
  private static final String SUFFIX = ".json";
  private static final Pattern REQUEST = Pattern.compile("[0-9a-f]{64}\\.json");

  private final Path root;

  /** Begins the names of this object's temporary files; a SecureRandom would hold up its maker. */
  private final String unique =
      ".%x.%x.%x."
          .formatted(System.currentTimeMillis(), ProcessHandle.current().pid(), System.nanoTime());

  private final AtomicLong temporaries = new AtomicLong();

  /** Takes a directory, which the first request that is written creates. */
  public TraceDirectory(Path root) {
    this.root = root;
  }

  /** Returns the directory. */
  public Path root() {
    return root;
  }

  /**
   * Adds a request, unless it is there.
   *
   * @param contents the files of the request, by their digests
   */
  void add(TracedRequest traced, Map<Digest, ByteBuffer> contents) throws IOException {
    Path request = requests().resolve(traced.fields().digest() + SUFFIX);
    if (Files.exists(request)) {
      return;
    }
    for (Map.Entry<Digest, ByteBuffer> content : contents.entrySet()) {
      Path file = file(content.getKey());
      if (Files.notExists(file)) {
        write(file, content.getValue());
      }
    }
    write(request, ByteBuffer.wrap(TraceCodec.encode(traced)));
  }

  private void write(Path file, ByteBuffer content) throws IOException {
    Path temporary = file.resolveSibling(unique + temporaries.incrementAndGet());
    try {
      try (FileChannel channel = create(temporary)) {
        for (ByteBuffer rest = content.duplicate(); rest.hasRemaining(); ) {
          channel.write(rest);
        }
      }
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      try {
        Files.deleteIfExists(temporary);
      } catch (IOException more) {
        e.addSuppressed(more);
      }
      throw e;
    }
  }

  private static FileChannel create(Path file) throws IOException {
    try {
      return FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    } catch (NoSuchFileException e) {
      Files.createDirectories(file.getParent());
      return FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    }
  }

  /** Returns the files of the requests that are there, in the order of their digests. */
  public List<Path> list() throws IOException {
    try (Stream<Path> files = Files.list(requests())) {
      return files
          .filter(file -> REQUEST.matcher(file.getFileName().toString()).matches())
          .sorted()
          .toList();
    }
  }

  /**
   * Reads a request.
   *
   * @param request one of {@link #list}
   * @throws AccessDeniedException if this user may not read it
   * @throws IOException if it is none; the message is one phrase
   */
  public static TracedRequest read(Path request) throws IOException {
    return TraceCodec.parse(Files.readAllBytes(request));
  }

  /**
   * Reads the content of a file.
   *
   * @throws AccessDeniedException if this user may not read it
   * @throws IOException if it is missing or another; the message is one phrase
   */
  public byte[] content(Digest digest) throws IOException {
    Path file = file(digest);
    byte[] content;
    try {
      content = Files.readAllBytes(file);
    } catch (AccessDeniedException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException("its file " + file + " cannot be read", e);
    }
    if (!Digest.of(content).equals(digest)) {
      throw new IOException("its file " + file + " is damaged");
    }
    return content;
  }

  private Path requests() {
    return root.resolve("requests");
  }

  private Path file(Digest digest) {
    return root.resolve("files").resolve(digest.toString());
  }
}
