// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.util.Objects.requireNonNull;

import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCache;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What may go of the memos of all hosts, as groups of files that are of use together only: each
 * precompiled header with its answer, the stamps of each list, and all the rest of what another
 * host remembers. The rest of this host's is small and stays: each process would ask anew.
 *
 * <p>A memo that lacks a file is as good as one that never had it. A compiler that is about to read
 * a header fails without it, and the driver is run instead.
 */
public final class ProbeCacheFiles {
  private ProbeCacheFiles() {}

  /**
   * Files that go together.
   *
   * @param files in the order in which they go
   * @param lastUse when the first one was written or used
   */
  public record Group(List<Path> files, Instant lastUse) {
    /**
     * Copies the list.
     *
     * @param files in the order in which they go
     * @param lastUse when the first one was written or used
     */
    public Group {
      files = List.copyOf(files);
    }
  }

  /**
   * {@return the groups in the memos below a directory; none if it is not there}
   *
   * @param parent a directory for the memos of toolchains
   */
  public static List<Group> in(Path parent) {
    requireNonNull(parent, "parent");
    return in(parent, Host.local());
  }

  static List<Group> in(Path parent, Host own) {
    List<Group> groups = new ArrayList<>();
    for (Path memo : list(parent)) {
      String name = memo.getFileName().toString();
      if (name.matches(ProbeCache.HOST) && Files.isDirectory(memo, LinkOption.NOFOLLOW_LINKS)) {
        addOfHost(memo, name.equals(own.key()), groups);
      }
    }
    return groups;
  }

  private static void addOfHost(Path memo, boolean own, List<Group> groups) {
    Map<Path, List<Path>> headers = new TreeMap<>();
    List<Path> stamps = new ArrayList<>();
    List<Path> rest = new ArrayList<>();
    for (Path file : list(memo)) {
      String name = file.getFileName().toString();
      if (name.matches(ProbeCache.ATTACHED)) {
        Path answer = memo.resolve(ProbeCache.question(file).toString());
        headers.computeIfAbsent(answer, unused -> new ArrayList<>()).add(file);
      } else if (name.endsWith(ProbeCache.STAMPS)) {
        stamps.add(file);
      } else if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        rest.add(file);
      }
    }
    rest.removeAll(headers.keySet());
    headers.forEach(
        (answer, attached) -> {
          List<Path> files = new ArrayList<>(attached);
          files.add(0, answer);
          add(files, groups);
        });
    stamps.forEach(file -> add(List.of(file), groups));
    if (!own && !rest.isEmpty()) {
      rest.sort(Comparator.comparingLong((Path file) -> file.toFile().lastModified()).reversed());
      add(rest, groups);
    }
  }

  private static void add(List<Path> files, List<Group> groups) {
    groups.add(new Group(files, lastUse(files.get(0))));
  }

  /** Returns the time of a file; that of one that is not there is long ago. */
  private static Instant lastUse(Path file) {
    try {
      return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
    } catch (IOException e) {
      return Instant.EPOCH;
    }
  }

  private static List<Path> list(Path directory) {
    List<Path> children = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(children::add);
    } catch (IOException | DirectoryIteratorException e) {
      return children;
    }
    return children;
  }
}
