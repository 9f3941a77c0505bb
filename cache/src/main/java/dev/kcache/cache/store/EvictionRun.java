// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CollectionResult;
import dev.kcache.cache.directory.Removed;
import dev.kcache.cache.store.DirectoryLayout.ContentFile;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.store.EvictionPolicy.Item;
import dev.kcache.cache.store.EvictionPolicy.Shared;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One eviction: finds out what each record needs, lets the policy choose, and plans the removal.
 *
 * <p>What no record needs goes before anything is chosen, and counts as gone even if it is too
 * young to go now: nothing that is of use has to make room for it. Where a record cannot be read it
 * is not known what it needs, so the whole target is left as it is, and does not count: the other
 * targets are not emptied to make room for it. A damaged record, and one of another version, needs
 * whatever digests are in it. One of an older version goes first: nobody looks for it any more.
 */
final class EvictionRun {
  private final DirectoryLayout directory;
  private final EntryRemover remover;
  private final Inventory inventory;
  private final EvictionPolicy policy;
  private final BooleanSupplier stopped;
  private final Instant now;

  private final List<Item<FileGroup>> items = new ArrayList<>();
  private final Set<Path> withUnneeded = new HashSet<>();
  private final List<Path> emptied = new ArrayList<>();
  private long passedOver;
  private Optional<String> failure = Optional.empty();

  EvictionRun(
      DirectoryLayout directory,
      EntryRemover remover,
      Inventory inventory,
      EvictionPolicy policy,
      BooleanSupplier stopped,
      Instant now) {
    this.directory = directory;
    this.remover = remover;
    this.inventory = inventory;
    this.policy = policy;
    this.stopped = stopped;
    this.now = now;
  }

  /** Plans what is to go; changes nothing. */
  RemovalPlan plan() {
    Map<RecordFile, Instant> records = new HashMap<>();
    List<Consumer<FileRemover>> others = new ArrayList<>();
    for (Item<FileGroup> item : select()) {
      FileGroup group = item.what();
      record(group)
          .ifPresentOrElse(
              record -> records.put(record, group.lastUse()),
              () -> others.add(files -> remove(group, files)));
    }
    emptied.forEach(path -> others.add(files -> files.removeEmpty(path)));
    return new RemovalPlan(remover, records, withUnneeded, others);
  }

  /** Returns the result of a run that removed {@code removed}. */
  CollectionResult result(Removed removed) {
    return new CollectionResult(
        inventory.records().size(),
        inventory.bytes(),
        removed.entries(),
        removed.bytes(),
        failure.or(removed::failure));
  }

  private List<Item<FileGroup>> select() {
    if (policy.permits(inventory.bytes(), inventory.oldestUse(), now)) {
      return List.of();
    }
    Map<Path, List<FileGroup>> byTarget = new HashMap<>();
    directory
        .listing()
        .targetDirectories()
        .forEach(target -> byTarget.put(target, new ArrayList<>()));
    for (FileGroup group : inventory.records()) {
      Request request = record(group).orElseThrow().request();
      Path target = directory.targetDirectory(request.target(), request.label());
      byTarget.computeIfAbsent(target, unused -> new ArrayList<>()).add(group);
    }
    byTarget.forEach(this::look);
    for (FileGroup group : inventory.others()) {
      items.add(new Item<>(group, bytes(group), group.lastUse(), List.of()));
    }
    long counted = passedOver + EvictionPolicy.bytes(items);
    return policy.select(items, Math.max(0, bytesByNow() - counted), now);
  }

  /** What another collection has removed since the look must not be made up for. */
  private long bytesByNow() {
    try {
      return Math.min(inventory.bytes(), Inventory.of(directory, stopped).bytes());
    } catch (IOException e) {
      return inventory.bytes();
    }
  }

  /** Finds out what the records of a target need. */
  private void look(Path target, List<FileGroup> records) {
    if (stopped.getAsBoolean()) {
      return;
    }
    try {
      Map<String, Content> contents = contents(target);
      List<Item<FileGroup>> found = new ArrayList<>();
      for (FileGroup record : records) {
        found.add(look(record, contents));
      }
      items.addAll(found);
      addEmptied(target, records);
      for (Content content : contents.values()) {
        if (!content.needed) {
          add(target, content);
        }
      }
    } catch (IOException e) {
      passedOver += inventory.bytes(target);
      failure = failure.or(() -> Optional.of("'" + target + "' is left as it is (" + e + ")"));
    }
  }

  /** Adds the directories of requests that a removal which was killed has left without a record. */
  private void addEmptied(Path target, List<FileGroup> records) {
    Set<Path> used = new HashSet<>();
    records.forEach(record -> used.add(record.files().get(0).getParent()));
    for (Request request : directory.listing().requests(target)) {
      Path path = directory.requestDirectory(request);
      if (!used.contains(path)) {
        passedOver += DiskSpace.DIRECTORY;
        if (isPastGrace(path)) {
          emptied.add(path);
        }
      }
    }
  }

  private boolean isPastGrace(Path path) {
    try {
      return isPastGrace(attributes(path).lastModifiedTime().toInstant());
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns whether no writer can be about to use what has that time. */
  private boolean isPastGrace(Instant modified) {
    return modified.isBefore(now.minus(EntryRemover.GRACE));
  }

  private void add(Path target, Content unneeded) {
    passedOver += unneeded.shared.bytes();
    if (isPastGrace(unneeded.modified)) {
      withUnneeded.add(target);
    }
  }

  private Item<FileGroup> look(FileGroup record, Map<String, Content> contents) throws IOException {
    List<Shared> needs = new ArrayList<>();
    EntryRemover.Content read = remover.read(record.files().get(0));
    for (String name : read.names()) {
      Content content = contents.get(name);
      if (content != null) {
        content.needed = true;
        needs.add(content.shared);
      }
    }
    Instant lastUse = read.outdated() ? Instant.EPOCH : record.lastUse();
    return new Item<>(record, bytes(record) + DiskSpace.DIRECTORY, lastUse, needs);
  }

  private Map<String, Content> contents(Path target) {
    Map<String, Content> contents = new HashMap<>();
    for (ContentFile file : directory.listing().contents(target)) {
      try {
        contents.put(file.digest().toString(), new Content(attributes(file.file())));
      } catch (IOException e) {
        // It has just gone.
      }
    }
    return contents;
  }

  /** A code object or a list of dependencies. */
  private static final class Content {
    private final Shared shared;
    private final Instant modified;
    private boolean needed;

    Content(BasicFileAttributes attributes) {
      shared = new Shared(DiskSpace.of(attributes.size()));
      modified = attributes.lastModifiedTime().toInstant();
    }
  }

  /** The directory stays, even if it is empty now. */
  private static void remove(FileGroup group, FileRemover files) {
    if (EntryRemover.isUnusedSince(group.files().get(0), group.lastUse())) {
      group.files().forEach(files::remove);
    }
  }

  private Optional<RecordFile> record(FileGroup group) {
    return directory.recordAt(group.files().get(0));
  }

  private static long bytes(FileGroup group) {
    long bytes = 0;
    for (Path file : group.files()) {
      try {
        bytes += DiskSpace.of(attributes(file).size());
      } catch (IOException e) {
        // It has just gone.
      }
    }
    return bytes;
  }

  private static BasicFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }
}
