// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What was done to a cache directory, step by step, and by which operations. All paths are real
 * ones. One thread at a time uses it.
 */
final class StoreHistory {
  private final List<Step> steps = new ArrayList<>();
  private final List<Operation> operations = new ArrayList<>();
  private final Map<Path, CacheEntry> firstRecords = new LinkedHashMap<>();
  private final Set<Path> firstFiles = new HashSet<>();
  private final Set<CacheEntry> unsound = new HashSet<>();
  private final Map<Thread, Operation> current = new ConcurrentHashMap<>();

  /** What a step does. */
  enum Kind {
    LOOK,
    LIST,
    READ,
    CREATE_DIRECTORY,
    CREATE_FILE,
    WRITE,
    TOUCH,
    RENAME,
    DELETE,
    /** Nothing, but an exception. */
    FAILED
  }

  /**
   * A step.
   *
   * @param operation of which it is a part
   * @param path what it is done to
   * @param to the other name, if it is renamed; else the same
   * @param record what it puts in the place of a record, if it does
   * @param torn whether it puts something in the place of a content that has not its digest
   */
  record Step(
      Operation operation,
      Kind kind,
      Path path,
      Path to,
      @Nullable CacheEntry record,
      boolean torn) {
    /** Returns whether it gives a file its content or its time. */
    boolean changes(Path file) {
      return (kind == Kind.RENAME || kind == Kind.TOUCH) && to.equals(file);
    }

    boolean takesAway(Path file) {
      return (kind == Kind.RENAME || kind == Kind.DELETE) && path.equals(file);
    }

    @Override
    public String toString() {
      String names = path.equals(to) ? StoreHistory.name(path) : name(path) + " to " + name(to);
      return operation + " " + kind + " " + names;
    }
  }

  /** What an actor asks of the store; the steps from {@code begun} on are before {@code ended}. */
  static final class Operation {
    final Task task;
    final String name;
    final @Nullable CacheEntry entry;
    final int begun;
    int ended = Integer.MAX_VALUE;
    Optional<StoredEntry> found = Optional.empty();
    @Nullable Exception failure;

    private Operation(Task task, String name, @Nullable CacheEntry entry, int begun) {
      this.task = task;
      this.name = name;
      this.entry = entry;
      this.begun = begun;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** What kind of operation it is, as far as the promises differ. */
  enum Task {
    PUT,
    FIND,
    FIND_NEWEST,
    /** Removes what was not used for long. */
    REMOVE_UNUSED,
    /** Removes what it chose before. */
    REMOVE_CHOSEN,
    /** Removes what lacks something, and mends the rest. */
    REPAIR
  }

  /** Notes a file that is there from the beginning. */
  void has(Path file) {
    firstFiles.add(file);
  }

  /** Notes that a file is not there from the beginning. */
  void hasNot(Path file) {
    firstFiles.remove(file);
  }

  /**
   * Notes a record that is there from the beginning.
   *
   * @param sound whether all that it needs is there, too, and as it should be
   */
  void has(Path record, CacheEntry entry, boolean sound) {
    firstRecords.put(record, entry);
    if (!sound) {
      unsound.add(entry);
    }
  }

  /** Returns whether all that an entry needs was there from the beginning. */
  boolean isSound(CacheEntry entry) {
    return !unsound.contains(entry);
  }

  /** Begins an operation of this thread. */
  Operation begin(Task task, @Nullable CacheEntry entry) {
    String name = task + "#" + operations.size();
    Operation operation = new Operation(task, name, entry, steps.size());
    operations.add(operation);
    current.put(Thread.currentThread(), operation);
    return operation;
  }

  /** Ends what was begun. */
  void end(Operation operation) {
    operation.ended = steps.size();
    current.remove(Thread.currentThread());
  }

  /** Adds a step of this thread's operation. */
  void add(Kind kind, Path path) {
    add(kind, path, path, null, false);
  }

  /** As {@link #add}. */
  void addRename(Path from, Path to) {
    add(Kind.RENAME, from, to, isRecord(to) ? parse(to) : null, isContent(to) && !isWhole(to));
  }

  private void add(Kind kind, Path path, Path to, @Nullable CacheEntry record, boolean torn) {
    Operation operation = current.get(Thread.currentThread());
    if (operation != null) {
      steps.add(new Step(operation, kind, path, to, record, torn));
    }
  }

  private static boolean isWhole(Path content) {
    try {
      return name(content).startsWith(Digest.of(Files.readAllBytes(content)).toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<Step> steps() {
    return steps;
  }

  List<Operation> operations() {
    return operations;
  }

  /** Returns the records that are there before a step, by their paths. */
  Map<Path, CacheEntry> recordsBefore(int step) {
    Map<Path, CacheEntry> records = new LinkedHashMap<>(firstRecords);
    for (Step each : steps.subList(0, step)) {
      if (each.takesAway(each.path())) {
        records.remove(each.path());
      }
      if (each.record() != null) {
        records.put(each.to(), each.record());
      }
    }
    return records;
  }

  /** Returns whether some files are there before each of some steps. */
  boolean areThere(Collection<Path> files, int from, int to) {
    Set<Path> there = new HashSet<>(firstFiles);
    for (int i = 0; i < to; i++) {
      if (i >= from && !there.containsAll(files)) {
        return false;
      }
      Step step = steps.get(i);
      if (step.takesAway(step.path())) {
        there.remove(step.path());
      }
      if (step.kind() == Kind.RENAME) {
        there.add(step.to());
      }
    }
    return there.containsAll(files);
  }

  /** Returns the put that gave an entry; nothing for what was there from the beginning. */
  Optional<Operation> putOf(CacheEntry entry) {
    return operations.stream()
        .filter(each -> each.task == Task.PUT && entry.equals(each.entry))
        .findFirst();
  }

  /** Returns how many steps an operation made after one and before another. */
  long stepsBetween(Operation operation, int after, int before) {
    return steps.subList(after + 1, before).stream()
        .filter(step -> step.operation() == operation)
        .count();
  }

  static boolean isRecord(Path path) {
    return name(path).endsWith(".json") && !path.toString().contains("quarantine");
  }

  static boolean isContent(Path path) {
    return name(path).matches("[0-9a-f]{64}\\.(co|deps)")
        && !path.toString().contains("quarantine");
  }

  private static @Nullable CacheEntry parse(Path record) {
    try {
      return EntryParser.parse(Files.readAllBytes(record)).orElse(null);
    } catch (DamagedEntryException e) {
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }
}
