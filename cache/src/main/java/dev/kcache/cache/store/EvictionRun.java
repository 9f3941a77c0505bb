// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CollectionResult;
import dev.kcache.cache.directory.Removed;
import dev.kcache.cache.store.DirectoryLayout.ContentFile;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.store.EvictionPolicy.Item;
import dev.kcache.cache.store.EvictionPolicy.Shared;
import dev.kcache.cache.store.Inventory.Found;
import dev.kcache.cache.store.Inventory.Target;
import dev.kcache.toolchain.FileFault;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One eviction: finds out what each record needs, lets the policy choose, and plans the removal.
 *
 * <p>What no record needs goes before anything is chosen, and counts as gone even if it is too
 * young to go now: nothing that is of use has to make room for it. Where a record cannot be read it
 * is not known what it needs, so the whole target is left as it is, and does not count: the other
 * targets are not emptied to make room for it. A damaged record, and one of another version, needs
 * whatever digests are in it. One of an older version goes first: nobody looks for it any more.
 *
 * <p>Sizes are those of the inventory, but for what has gone by the time that its record is read:
 * what another eviction removes meanwhile must not be made up for.
 */
final class EvictionRun {
  private final EntryRemover remover;
  private final Inventory inventory;
  private final List<FileGroup> groups;
  private final EvictionPolicy policy;
  private final BooleanSupplier stopped;
  private final Instant now;

  /** Each adds itself to the plan. */
  private final List<Item<Runnable>> items = new ArrayList<>();

  private final Map<RecordFile, Instant> records = new HashMap<>();
  private final Set<Path> withUnneeded = new HashSet<>();
  private final List<Consumer<FileRemover>> others = new ArrayList<>();
  private Optional<String> failure = Optional.empty();

  EvictionRun(
      EntryRemover remover,
      Inventory inventory,
      List<FileGroup> groups,
      EvictionPolicy policy,
      BooleanSupplier stopped,
      Instant now) {
    this.remover = remover;
    this.inventory = inventory;
    this.groups = Stream.concat(groups.stream(), inventory.quarantined().stream()).toList();
    this.policy = policy;
    this.stopped = stopped;
    this.now = now;
  }

  RemovalPlan plan() {
    if (!policy.permits(inventory.bytes(), oldestUse(), now)) {
      long rest = inventory.bytes() - groups.stream().mapToLong(EvictionRun::bytes).sum();
      for (Target target : inventory.targets()) {
        rest -= look(target);
      }
      for (FileGroup group : groups) {
        Runnable choice = () -> others.add(files -> files.remove(group));
        items.add(new Item<>(choice, bytes(group), group.lastUse(), List.of()));
      }
      policy.select(items, Math.max(0, rest), now).forEach(item -> item.what().run());
    }
    return new RemovalPlan(remover, records, withUnneeded, others);
  }

  CollectionResult result(Removed removed) {
    return new CollectionResult(
        inventory.records().size(),
        inventory.bytes(),
        removed.entries(),
        removed.bytes(),
        failure.or(removed::failure));
  }

  private Instant oldestUse() {
    return Stream.concat(
            inventory.records().stream().map(Found::modified),
            groups.stream().map(FileGroup::lastUse))
        .min(Instant::compareTo)
        .orElse(Instant.MAX);
  }

  /**
   * Makes items of a target's records.
   *
   * @return the bytes that these items account for, or that do not count
   */
  private long look(Target target) {
    if (stopped.getAsBoolean()) {
      return 0;
    }
    Map<String, Content> contents = new HashMap<>();
    for (Found<ContentFile> found : target.contents()) {
      contents.put(found.what().digest().toString(), new Content(found));
    }
    Queue<Item<Runnable>> found = new ConcurrentLinkedQueue<>();
    try {
      remover.readAll(
          target.records(),
          Found::what,
          (record, read) -> found.add(item(target, record, read, contents)));
    } catch (IOException e) {
      failure =
          failure.or(
              () ->
                  Optional.of(
                      "'" + target.path() + "' is left as it is (" + FileFault.describe(e) + ")"));
      return target.bytes();
    }
    items.addAll(found);
    if (contents.values().stream()
        .anyMatch(content -> !content.needed && isPastGrace(content.at))) {
      withUnneeded.add(target.path());
    }
    // What a removal that was killed has left without a record.
    target.orphanedSignatures().stream()
        .filter(this::isPastGrace)
        .forEach(orphan -> others.add(files -> EntryRemover.removeOrphan(orphan, files)));
    target.emptied().stream()
        .filter(this::isPastGrace)
        .forEach(emptied -> others.add(files -> files.removeEmpty(emptied.what())));
    return target.records().stream().mapToLong(EvictionRun::bytes).sum()
        + Stream.of(target.contents(), target.emptied(), target.signatures())
            .flatMap(Collection::stream)
            .mapToLong(Found::bytes)
            .sum();
  }

  private Item<Runnable> item(
      Target target,
      Found<RecordFile> record,
      EntryRemover.Content read,
      Map<String, Content> contents) {
    List<Shared> needs = new ArrayList<>();
    for (String name : read.names()) {
      Content content = contents.get(name);
      if (content != null) {
        content.needed = true;
        needs.add(content.shared);
      }
    }
    Instant lastUse = read.outdated() ? Instant.EPOCH : record.modified();
    Runnable choice = () -> records.put(record.what(), record.modified());
    long bytes = bytes(record) + target.signatureBytes(record.what());
    return new Item<>(choice, bytes, lastUse, needs);
  }

  /** Returns whether no writer can be about to use what was found. */
  private boolean isPastGrace(Found<?> found) {
    return found.modified().isBefore(now.minus(EntryRemover.GRACE));
  }

  /** With the directory that it is alone in. */
  private static long bytes(Found<RecordFile> record) {
    return record.bytes() + DiskSpace.DIRECTORY;
  }

  private static long bytes(FileGroup group) {
    long bytes = 0;
    for (Path file : group.files()) {
      try {
        bytes += EntryRemover.look(file).map(found -> DiskSpace.of(found.size())).orElse(0L);
      } catch (IOException e) {
        // It is left as it is, and does not count.
      }
    }
    return bytes;
  }

  /** A code object or a list of dependencies. */
  private static final class Content {
    private final Found<ContentFile> at;
    private final Shared shared;
    private volatile boolean needed;

    Content(Found<ContentFile> at) {
      this.at = at;
      shared = new Shared(at.bytes());
    }
  }
}
