// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.PrivateFiles;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The files in which the results of probes outlive a process: one directory per host, since stamps
 * mean nothing elsewhere. Files are replaced as a whole, so a reader never sees part of one. Of two
 * writers the last one wins, and the other's results are found out again. A damaged file counts as
 * missing, and a failure to write is ignored.
 *
 * <p>Safe for use by any number of threads and processes.
 */
public final class ProbeCache {
  private static final String DIGESTS = "files";
  private static final String JOBS = "wanted";

  /** Far more than the few hundred lines of a path and a stamp that are written. */
  private static final long LONGEST = 16L << 20;

  /** Ends the name of a file that belongs to an answer. */
  private static final String ATTACHMENT = ".pch";

  /** A text, since a process that only has hits never needs the pattern. */
  public static final String ATTACHED = "[0-9a-f]{64}-[0-9a-f]{16}\\.pch";

  public static final String HOST = "[0-9a-f]{16}";

  /** Ends the name of a file with the stamps of a list of files. */
  public static final String STAMPS = ".stamps";

  /** Each takes 40 kB. */
  private static final int MOST_STAMPS = 256;

  private static final FileTime ALWAYS = FileTime.from(Instant.EPOCH);
  private static final Duration LEFT = Duration.ofHours(24);
  private static final Duration FORGOTTEN = Duration.ofDays(30);

  /** The precision of the last use of an answer. */
  private static final long USE_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final Optional<Path> directory;

  private ProbeCache(Optional<Path> directory) {
    this.directory = directory;
  }

  /** Returns a host's probe cache below a directory; without one, a cache that stores nothing. */
  public static ProbeCache in(Optional<Path> parent, Host host) {
    return new ProbeCache(
        parent.isEmpty() ? Optional.empty() : Optional.of(parent.get().resolve(host.key())));
  }

  Map<String, FileDigests.Known> readDigests() {
    Optional<byte[]> text = read(DIGESTS);
    return text.isEmpty() ? Map.of() : ProbeCacheCodec.decodeDigests(text.get()).orElse(Map.of());
  }

  void writeDigests(Map<String, FileDigests.Known> digests) {
    write(DIGESTS, ProbeCacheCodec.encodeDigests(digests));
  }

  /** Returns the kinds of jobs that were written last, the oldest first. */
  public List<String> readJobs() {
    return read(JOBS).flatMap(ProbeCacheCodec::decodeNames).orElse(List.of());
  }

  public void writeJobs(Collection<String> kinds) {
    write(JOBS, ProbeCacheCodec.encodeNames(kinds));
  }

  Optional<ProbeResult> readAnswer(Digest question) {
    Optional<byte[]> text = read(name(question));
    return text.isEmpty() ? Optional.empty() : ProbeCacheCodec.decodeAnswer(text.get());
  }

  /** Returns the stamps that were written last for a list of files; the result has no lines. */
  public Optional<ProbeResult> readStamps(Digest list) {
    Optional<byte[]> text = read(list + STAMPS);
    return text.isEmpty() ? Optional.empty() : ProbeCacheCodec.decodeAnswer(text.get());
  }

  public void writeStamps(Digest list, ProbeResult stamps) {
    write(list + STAMPS, ProbeCacheCodec.encodeAnswer(stamps));
    List<Path> files = directory.map(ProbeCache::stamps).orElse(List.of());
    files.subList(0, Math.max(0, files.size() - MOST_STAMPS)).forEach(ProbeCache::delete);
  }

  /** Returns the files with stamps, the oldest first. */
  private static List<Path> stamps(Path directory) {
    SortedMap<String, Path> byAge = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + STAMPS)) {
      for (Path file : files) {
        byAge.put(changed(file) + " " + file, file);
      }
    } catch (IOException | DirectoryIteratorException e) {
      ignore(e);
    }
    return List.copyOf(byAge.values());
  }

  public void writeAnswer(Digest question, ProbeResult answer) {
    write(name(question), ProbeCacheCodec.encodeAnswer(answer));
  }

  /**
   * Notes the use of the file that belongs to an answer, in the time of the answer, since the time
   * of the file must not change.
   */
  public void noteUse(Digest question) {
    if (directory.isPresent()) {
      File answer = directory.get().resolve(name(question)).toFile();
      long now = System.currentTimeMillis();
      long last = answer.lastModified();
      if (last != 0 && last < now - USE_MILLIS && !answer.setLastModified(now)) {
        ignore(new IOException(answer + " is not this user's"));
      }
    }
  }

  public void deleteAnswer(Digest question) {
    directory.ifPresent(path -> delete(path.resolve(name(question))));
  }

  /**
   * Returns the path of the file that belongs to an answer, which may not exist yet. The digest of
   * its content is part of its name, so a file in use is never replaced by another one.
   */
  public Optional<Path> attachment(Digest question, Digest content) {
    return directory.map(path -> path.resolve(name(question, content)));
  }

  /**
   * Copies a file that belongs to an answer into the cache; returns whether that worked. Its time
   * is always the same, so that two writers leave the same file.
   */
  public boolean attach(Digest question, Digest content, Path made) {
    return place(
            name(question, content),
            temporary -> {
              copy(made, temporary);
              Files.setLastModifiedTime(temporary, ALWAYS);
            })
        .isPresent();
  }

  /** Keeps the permissions of the target, which only this user can read. */
  private static void copy(Path from, Path to) throws IOException {
    try (OutputStream out = Files.newOutputStream(to)) {
      Files.copy(from, out);
    }
  }

  /**
   * Returns a file with this name and content, which is written if need be; empty if that fails.
   * Its time is always the same, so that two writers leave the same file.
   */
  public Optional<Path> text(String name, String content) {
    Optional<byte[]> known = read(name);
    return known.isPresent() && Arrays.equals(known.get(), content.getBytes(UTF_8))
        ? directory.map(path -> path.resolve(name))
        : place(
            name,
            temporary -> {
              Files.writeString(temporary, content);
              Files.setLastModifiedTime(temporary, ALWAYS);
            });
  }

  /**
   * Removes the files of answers that no longer hold, then the oldest ones until {@code most} are
   * left. Also removes temporary files that are a day older than {@code now}, which killed
   * processes left.
   *
   * @param holds tells whether an answer does
   */
  public void sweepAttachments(int most, Instant now, Predicate<ProbeResult> holds) {
    directory.ifPresent(path -> sweepTemporaries(path, now.minus(LEFT)));
    List<Path> files = directory.map(ProbeCache::attachments).orElse(List.of());
    int left = files.size();
    for (Path file : files) {
      Digest question = question(file);
      if (left > most || readAnswer(question).filter(holds).isEmpty()) {
        deleteAnswer(question);
        delete(file);
        left--;
      }
    }
  }

  /** By the change time: the modification time is set before a file gets its name. */
  private static void sweepTemporaries(Path directory, Instant limit) {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, "*.tmp")) {
      for (Path file : left) {
        if (FileStamp.of(file).changed().toInstant().isBefore(limit)) {
          delete(file);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      ignore(e);
    }
  }

  /** Returns the files of the oldest answers first. */
  private static List<Path> attachments(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().matches(ATTACHED))
          .sorted(Comparator.comparingLong(ProbeCache::answered))
          .toList();
    } catch (IOException | UncheckedIOException e) {
      ignore(e);
      return List.of();
    }
  }

  /** Returns the time of the answer that a file belongs to; 0 if there is no answer. */
  private static long answered(Path attachment) {
    return attachment.resolveSibling(name(question(attachment))).toFile().lastModified();
  }

  /** Returns the question whose answer a file belongs to. */
  public static Digest question(Path attachment) {
    String name = attachment.getFileName().toString();
    return Digest.parse(name.substring(0, name.indexOf('-')));
  }

  private static String name(Digest question) {
    return question.toString();
  }

  private static String name(Digest question, Digest content) {
    return question + "-" + content.toString().substring(0, 16) + ATTACHMENT;
  }

  private Optional<byte[]> read(String name) {
    if (directory.isEmpty()) {
      return Optional.empty();
    }
    File file = directory.get().resolve(name).toFile();
    if (!file.isFile() || file.length() > LONGEST) {
      return Optional.empty();
    }
    try (InputStream in = new FileInputStream(file)) {
      return Optional.of(in.readNBytes((int) LONGEST));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private void write(String name, byte[] content) {
    place(name, temporary -> Files.write(temporary, content));
  }

  /** Writes a file. */
  private interface Content {
    void writeTo(Path file) throws IOException;
  }

  private Optional<Path> place(String name, Content content) {
    if (directory.isEmpty()) {
      return Optional.empty();
    }
    try {
      Path parent = directory.get();
      if (!Files.isDirectory(parent)) {
        PrivateFiles.createDirectories(parent);
        sweep(parent);
      }
      Path temporary = PrivateFiles.createTemporaryFile(parent, name, ".tmp");
      try {
        content.writeTo(temporary);
        return Optional.of(
            Files.move(temporary, parent.resolve(name), StandardCopyOption.ATOMIC_MOVE));
      } finally {
        Files.deleteIfExists(temporary);
      }
    } catch (IOException e) {
      ignore(e);
      return Optional.empty();
    }
  }

  /**
   * Removes the directories of hosts that wrote nothing for a month, most of which were containers.
   * Their age is measured against a directory just made on the same file system. A host that still
   * exists asks its questions again.
   */
  private static void sweep(Path fresh) {
    try (DirectoryStream<Path> hosts = Files.newDirectoryStream(fresh.getParent())) {
      Instant limit = changed(fresh).minus(FORGOTTEN);
      for (Path host : hosts) {
        if (host.getFileName().toString().matches(HOST)
            && Files.isDirectory(host, LinkOption.NOFOLLOW_LINKS)
            && changed(host).isBefore(limit)) {
          deleteAll(host);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      ignore(e);
    }
  }

  private static Instant changed(Path path) throws IOException {
    return Files.getLastModifiedTime(path).toInstant();
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      ignore(e);
    }
  }

  private static void deleteAll(Path host) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(host)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(host);
  }

  private static void ignore(Exception problem) {
    System.getLogger(ProbeCache.class.getName())
        .log(System.Logger.Level.DEBUG, "a probe's result is not stored: " + problem);
  }
}
