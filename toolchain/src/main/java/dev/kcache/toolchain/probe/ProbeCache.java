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
 * The part of what is known about a toolchain that outlives the process: one directory per host,
 * since stamps mean nothing elsewhere. Files are replaced whole, so that a reader never sees half a
 * one; of two writers the last wins, and the other's knowledge is found again. A file that is
 * damaged or can't be written is as good as none.
 *
 * <p>Safe for use by any number of threads and processes.
 */
public final class ProbeCache {
  private static final String DIGESTS = "files";
  private static final String JOBS = "wanted";

  /** Far more than is ever written: some hundred lines of a path and a stamp. */
  private static final long LONGEST = 16L << 20;

  /** Ends the name of a file that belongs to an answer. */
  private static final String ATTACHMENT = ".pch";

  /** Not compiled before they are needed, which they are not by a process that only has hits. */
  public static final String ATTACHED = "[0-9a-f]{64}-[0-9a-f]{16}\\.pch";

  public static final String HOST = "[0-9a-f]{16}";

  /** Ends the name of a file with the stamps of a list of files. */
  public static final String STAMPS = ".stamps";

  /** Each takes 40 kB. */
  private static final int MOST_STAMPS = 256;

  private static final FileTime ALWAYS = FileTime.from(Instant.EPOCH);
  private static final Duration LEFT = Duration.ofHours(24);
  private static final Duration FORGOTTEN = Duration.ofDays(30);

  /** How old the last use of an answer may be before another one is noted. */
  private static final long USE_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final Optional<Path> directory;

  private ProbeCache(Optional<Path> directory) {
    this.directory = directory;
  }

  /** Returns a host's memo below a directory, or one that remembers nothing. */
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

  /** Returns what was written last of the files of a list, without lines. */
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
   * Notes that the file is used that belongs to an answer, in the time of the answer: the file's
   * own has to stay.
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
   * Returns where the file that belongs to an answer is or would be. Its content is part of its
   * name, so a file in use is never replaced by another one.
   */
  public Optional<Path> attachment(Digest question, Digest content) {
    return directory.map(path -> path.resolve(name(question, content)));
  }

  /**
   * Takes over a file that belongs to an answer; returns whether that was possible. Its time is
   * always the same, so that two that write it leave the same file.
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

  /** Into the file that is there, which is this user's alone. */
  private static void copy(Path from, Path to) throws IOException {
    try (OutputStream out = Files.newOutputStream(to)) {
      Files.copy(from, out);
    }
  }

  /**
   * Returns a file with this name and content, written if it is not there, unless that failed. Its
   * time is always the same, so that two that write it leave the same file.
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
   * Removes the files that belong to answers which no longer hold, and of the others the oldest
   * until {@code most} are left; and what processes that were killed a day before {@code now} left
   * of files that they wrote.
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

  /** By the time that nobody sets: the other is set before a file gets its name. */
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

  /** Returns them with those of the oldest answers first. */
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

  /** Returns when the answer was written that a file belongs to; 0 if there is none. */
  private static long answered(Path attachment) {
    return attachment.resolveSibling(name(question(attachment))).toFile().lastModified();
  }

  /** Returns the question that a file with an answer belongs to. */
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
   * Removes what hosts left that wrote nothing for long, most of them containers. Ages are compared
   * with a directory just made on the same file system. A host that still lives asks anew.
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
        .log(System.Logger.Level.DEBUG, "the toolchain is not remembered: " + problem);
  }
}
