// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.store.DirectoryLayout.ContentFile;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Lists the files of a cache directory in no particular order. A directory that cannot be listed
 * counts as empty unless a method says otherwise.
 *
 * <p>Each call lists the disk anew. Immutable and safe for use by any number of threads.
 */
final class DirectoryListing {
  private final DirectoryLayout layout;

  DirectoryListing(DirectoryLayout layout) {
    this.layout = layout;
  }

  /** Returns the directories of targets, which hold code objects, dependencies and records. */
  List<Path> targetDirectories() {
    return children(layout.root()).stream()
        .filter(path -> DirectoryLayout.anyRequest(path).isPresent() && isDirectory(path))
        .toList();
  }

  /** Returns the labels of the toolchains that made something for a target. */
  Set<ToolchainLabel> labels(TargetId target) {
    Set<ToolchainLabel> labels = new HashSet<>();
    for (Path directory : targetDirectories()) {
      DirectoryLayout.anyRequest(directory)
          .filter(request -> request.target().equals(target))
          .ifPresent(request -> labels.add(request.label()));
    }
    return labels;
  }

  List<RecordFile> records() {
    List<RecordFile> records = new ArrayList<>();
    for (Path target : targetDirectories()) {
      requests(target).forEach(request -> records.addAll(records(request)));
    }
    return records;
  }

  /** Returns the requests that have a directory in a target's directory. */
  List<Request> requests(Path targetDirectory) {
    List<Request> requests = new ArrayList<>();
    Optional<Request> any = DirectoryLayout.anyRequest(targetDirectory);
    if (any.isPresent()) {
      for (Path child : list(targetDirectory)) {
        DirectoryLayout.digestOf(child).ifPresent(digest -> requests.add(any.get().with(digest)));
      }
    }
    return requests;
  }

  List<RecordFile> records(Request request) {
    List<RecordFile> records = new ArrayList<>();
    for (Path file : list(layout.requestDirectory(request))) {
      DirectoryLayout.recordAt(request, file).ifPresent(records::add);
    }
    return records;
  }

  /**
   * Returns all records in a target's directory.
   *
   * @throws IOException if a directory exists but cannot be listed
   */
  List<RecordFile> allRecords(Path targetDirectory) throws IOException {
    List<RecordFile> records = new ArrayList<>();
    Optional<Request> any = DirectoryLayout.anyRequest(targetDirectory);
    for (Path child : any.isPresent() ? listOrFail(targetDirectory) : List.<Path>of()) {
      Optional<Digest> digest = DirectoryLayout.digestOf(child);
      if (digest.isPresent()) {
        Request request = any.get().with(digest.get());
        for (Path file : listOrFail(child)) {
          DirectoryLayout.recordAt(request, file).ifPresent(records::add);
        }
      }
    }
    return records;
  }

  /** Returns the code objects and lists of dependencies in a target's directory. */
  List<ContentFile> contents(Path targetDirectory) {
    List<ContentFile> contents = new ArrayList<>();
    for (Path file : list(targetDirectory)) {
      DirectoryLayout.contentAt(file).ifPresent(contents::add);
    }
    return contents;
  }

  /** Returns the files in {@code directory} that are being written, or that killed writers left. */
  List<Path> temporariesIn(Path directory) {
    List<Path> children = directory.equals(layout.root()) ? children(directory) : list(directory);
    return children.stream().filter(DirectoryLayout::hasTemporaryName).toList();
  }

  List<Path> stagings() {
    return named(layout.staging(), DirectoryLayout.STAGING_NAMES);
  }

  /** Returns the heartbeats of running compiles, and those that killed compiles left. */
  List<Path> allBeats() {
    return named(layout.beats(), DirectoryLayout.BEAT_NAMES);
  }

  /** Returns the damaged files that were moved aside. */
  List<Path> quarantined() {
    return named(layout.quarantine(), DirectoryLayout.QUARANTINED_NAMES);
  }

  List<Path> probeCaches() {
    return named(layout.probeCaches(), DirectoryLayout.PROBE_CACHE_NAMES);
  }

  List<Path> usages() {
    return named(layout.usage(), DirectoryLayout.USAGE_NAMES);
  }

  private static List<Path> named(Path directory, String names) {
    return list(directory).stream()
        .filter(path -> DirectoryLayout.fileName(path).matches(names))
        .toList();
  }

  /** Returns the children of a directory; none if it is missing, a link or something else. */
  static List<Path> list(Path directory) {
    // Opening a pipe would block.
    return isDirectory(directory) ? children(directory) : List.of();
  }

  private static List<Path> listOrFail(Path directory) throws IOException {
    try {
      boolean isDirectory =
          Files.readAttributes(directory, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
              .isDirectory();
      return isDirectory ? childrenOrFail(directory) : List.of();
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    }
  }

  private static List<Path> children(Path directory) {
    try {
      return childrenOrFail(directory);
    } catch (IOException e) {
      return List.of();
    }
  }

  private static List<Path> childrenOrFail(Path directory) throws IOException {
    List<Path> children = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(children::add);
      return children;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private static boolean isDirectory(Path path) {
    return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
  }
}
