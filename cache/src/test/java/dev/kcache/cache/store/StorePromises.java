// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.StoreHistory.Kind;
import dev.kcache.cache.store.StoreHistory.Operation;
import dev.kcache.cache.store.StoreHistory.Step;
import dev.kcache.cache.store.StoreHistory.Task;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the store promises to those who use a directory at once, as rules for a history:
 *
 * <ul>
 *   <li>A file has its name only as a whole. A record comes after what it names.
 *   <li>What is found was put, and was there while it was asked for; what a later put replaced is
 *       not found any more.
 *   <li>What was put is found from then on, unless somebody removed it or moved a part of it aside
 *       meanwhile.
 *   <li>A removal takes no record that was used or written since it was chosen, and no code object
 *       or list of dependencies that a record needs; but what happens within the last steps before
 *       a removal, after its last look, may be overlooked, and who writes the same content as a
 *       record that is removed meanwhile may lose it. No sweep takes what is being written.
 *   <li>What was moved aside although it was sound comes back, or its successor is there; between
 *       the last look for that and its return, there is one step.
 * </ul>
 */
final class StorePromises {
  /** A record's time, its time again, what it names, and its size: then it is gone. */
  private static final int RECORD_WINDOW = 4;

  /** A content's time and its size: then it is gone. */
  private static final int CONTENT_WINDOW = 2;

  private final DirectoryLayout directory;
  private final StoreHistory history;
  private final Set<StoredEntry> put;
  private final List<String> broken = new ArrayList<>();
  private int overlooked;

  /**
   * Takes a history.
   *
   * @param directory with real paths
   * @param put all that was there or was put
   */
  StorePromises(DirectoryLayout directory, StoreHistory history, Set<StoredEntry> put) {
    this.directory = directory;
    this.history = history;
    this.put = put;
  }

  /** Returns how often a removal took what was used or written within its last steps. */
  int overlooked() {
    return overlooked;
  }

  /** Returns what was not kept, a line for each. */
  List<String> broken() {
    List<Step> steps = history.steps();
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      boolean writes = step.kind() == Kind.WRITE || step.kind() == Kind.CREATE_FILE;
      if (step.torn()) {
        fail(i, "gives it other bytes");
      } else if (writes && !directory.isTemporary(step.path())) {
        fail(i, "is in place");
      } else if (step.kind() == Kind.RENAME && StoreHistory.isRecord(step.to())) {
        checkCommitted(i, step);
      } else if (step.kind() == Kind.DELETE && StoreHistory.isRecord(step.path())) {
        checkUnused(i, step);
      } else if (step.kind() == Kind.DELETE && StoreHistory.isContent(step.path())) {
        checkUnneeded(i, step);
      } else if (step.kind() == Kind.DELETE && directory.isTemporary(step.path())) {
        checkLeft(i, step);
      }
    }
    history.operations().forEach(this::check);
    return broken;
  }

  private void fail(int step, String problem) {
    broken.add("step " + step + ", " + history.steps().get(step) + ": " + problem);
  }

  private void checkCommitted(int at, Step step) {
    CacheEntry entry = step.record();
    if (entry == null || step.operation().task != Task.PUT) {
      return;
    }
    for (Path content : contents(entry)) {
      if (changeBy(step.operation(), content, at) < 0) {
        fail(at, "comes before " + content.getFileName());
      }
    }
  }

  /** Returns the last change of a file by an operation, -1 if there is none. */
  private int changeBy(Operation operation, Path file, int before) {
    int last = -1;
    for (int i = 0; i < before; i++) {
      Step step = history.steps().get(i);
      if (step.operation() == operation && step.changes(file)) {
        last = i;
      }
    }
    return last;
  }

  private void checkUnused(int at, Step removal) {
    Path record = removal.path();
    Operation remover = removal.operation();
    for (int i = 0; i < at; i++) {
      Operation other = history.steps().get(i).operation();
      if (other != remover && history.steps().get(i).changes(record)) {
        if (history.stepsBetween(remover, i, at) <= RECORD_WINDOW) {
          overlooked++;
        } else if (mustStay(remover, record, i, at)) {
          fail(at, "takes what " + other + " used or wrote in step " + i);
        }
      }
    }
    CacheEntry entry = history.recordsBefore(at).get(record);
    if (remover.task == Task.REPAIR && entry != null && isComplete(entry, remover.begun, at)) {
      fail(at, "takes what lacks nothing");
    }
  }

  private boolean mustStay(Operation remover, Path record, int change, int removal) {
    return switch (remover.task) {
      case REMOVE_UNUSED -> true;
      case REMOVE_CHOSEN -> made(change) > firstLook(remover, record, removal);
      case REPAIR -> {
        CacheEntry written = history.steps().get(change).record();
        yield written != null && isComplete(written, change, removal);
      }
      default -> false;
    };
  }

  /** Returns when the content was written that a change gave a record; or the change itself. */
  private int made(int change) {
    Path temporary = history.steps().get(change).path();
    for (int i = change - 1; i >= 0; i--) {
      Step step = history.steps().get(i);
      if (step.kind() == Kind.WRITE && step.path().equals(temporary)) {
        return i;
      }
    }
    return change;
  }

  private int firstLook(Operation operation, Path file, int before) {
    for (int i = 0; i < before; i++) {
      Step step = history.steps().get(i);
      if (step.operation() == operation && step.kind() == Kind.LOOK && step.path().equals(file)) {
        return i;
      }
    }
    return before;
  }

  private boolean isComplete(CacheEntry entry, int from, int to) {
    return history.isSound(entry) && history.areThere(contents(entry), from, to);
  }

  private void checkUnneeded(int at, Step removal) {
    Map<Path, CacheEntry> records = history.recordsBefore(at);
    records.forEach(
        (record, entry) -> {
          if (contents(entry).contains(removal.path())) {
            int relied =
                history.putOf(entry).map(by -> changeBy(by, removal.path(), at)).orElse(-1);
            if (history.stepsBetween(removal.operation(), relied, at) <= CONTENT_WINDOW
                || wasOfAnother(removal, relied, at)) {
              overlooked++;
            } else {
              fail(at, "takes what " + record.getFileName() + " names");
            }
          }
        });
  }

  /**
   * Returns whether a content seemed to be that of a record which the same removal took, since that
   * was written or used after the content had been.
   */
  private boolean wasOfAnother(Step removal, int relied, int at) {
    for (int i = relied + 1; i < at; i++) {
      Step step = history.steps().get(i);
      CacheEntry entry = history.recordsBefore(i + 1).get(step.to());
      if (step.changes(step.to()) && entry != null && contents(entry).contains(removal.path())) {
        for (Step later : history.steps().subList(i, at)) {
          if (later.operation() == removal.operation() && later.takesAway(step.to())) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Nobody is killed here, so that all that was made since the beginning has its writer. */
  private void checkLeft(int at, Step removal) {
    for (Step step : history.steps().subList(0, at)) {
      if (step.kind() == Kind.CREATE_FILE
          && step.path().equals(removal.path())
          && step.operation() != removal.operation()) {
        fail(at, "takes what " + step.operation() + " is writing");
      }
    }
  }

  private List<Path> contents(CacheEntry entry) {
    Request request = Request.of(entry);
    return List.of(
        directory.codeObject(request, entry.codeObject()),
        directory.dependencies(request, entry.dependencies()));
  }

  private Path record(CacheEntry entry) {
    return directory.record(Request.of(entry), entry.toolchain()).file();
  }

  private void check(Operation operation) {
    if (operation.failure != null) {
      checkFailure(operation);
    } else if (operation.task == Task.FIND || operation.task == Task.FIND_NEWEST) {
      if (operation.found.isPresent()) {
        checkFound(operation, operation.found.get());
      } else {
        checkMissed(operation);
      }
    }
  }

  /** Only who removes directories again and again under a writer may keep it from writing. */
  private void checkFailure(Operation operation) {
    int directories = 0;
    for (int i = operation.begun; i < Math.min(operation.ended, history.steps().size()); i++) {
      Step step = history.steps().get(i);
      boolean isFile = StoreHistory.isRecord(step.path()) || StoreHistory.isContent(step.path());
      directories += step.kind() == Kind.DELETE && !isFile ? 1 : 0;
    }
    if (operation.task != Task.PUT
        || !(operation.failure instanceof IOException)
        || directories < 2) {
      broken.add(operation + " failed: " + operation.failure);
    }
  }

  private void checkFound(Operation find, StoredEntry found) {
    CacheEntry entry = found.entry();
    if (!put.contains(found)) {
      broken.add(find + " found what nobody put: " + entry);
      return;
    }
    Path record = record(entry);
    boolean there = entry.equals(history.recordsBefore(find.begun).get(record));
    for (int i = find.begun; i < Math.min(find.ended, history.steps().size()); i++) {
      there |= entry.equals(history.steps().get(i).record());
    }
    if (!there) {
      broken.add(find + " found what is not there any more: " + entry.source());
    }
    int since = history.putOf(entry).map(by -> by.ended).orElse(-1);
    for (Operation other : history.operations()) {
      if (other.task == Task.PUT
          && other.entry != null
          && other.failure == null
          && record(other.entry).equals(record)
          && other.begun >= since
          && other.ended <= find.begun
          && !other.entry.equals(entry)) {
        if (wasGivenBack(entry, changeBy(other, record, other.ended))) {
          overlooked++;
        } else {
          broken.add(find + " found what " + other + " had replaced");
        }
      }
    }
    if (find.task == Task.FIND_NEWEST) {
      checkNewest(find, entry);
    }
  }

  /** Returns whether an entry came back from quarantine right behind a look that saw nothing. */
  private boolean wasGivenBack(CacheEntry entry, int replaced) {
    for (int i = replaced + 1; i < history.steps().size(); i++) {
      Step step = history.steps().get(i);
      if (entry.equals(step.record())
          && step.operation().task != Task.PUT
          && history.stepsBetween(step.operation(), replaced, i) == 0) {
        return true;
      }
    }
    return false;
  }

  private void checkNewest(Operation find, CacheEntry found) {
    for (CacheEntry other : history.recordsBefore(find.begun).values()) {
      if (Request.of(other).equals(Request.of(found))
          && other.created().isAfter(found.created())
          && !isDisturbed(other, find.begun, find.ended)
          && history.isSound(other)) {
        broken.add(find + " found what is older than " + other.created());
      }
    }
  }

  private void checkMissed(Operation find) {
    CacheEntry wanted = find.entry;
    if (wanted == null) {
      return;
    }
    for (Digest toolchain : toolchains(find.task, wanted)) {
      Path record = directory.record(Request.of(wanted), toolchain).file();
      int since = -1;
      CacheEntry last = history.recordsBefore(0).get(record);
      if (last != null && !history.isSound(last)) {
        last = null;
      }
      for (Operation other : history.operations()) {
        if (other.task == Task.PUT
            && other.entry != null
            && other.failure == null
            && record(other.entry).equals(record)
            && other.ended <= find.begun
            && other.begun >= since) {
          since = other.begun;
          last = other.entry;
        }
      }
      if (last != null && !isDisturbed(last, since, find.ended)) {
        broken.add(find + " missed what is there: " + last.source());
      }
    }
  }

  private List<Digest> toolchains(Task task, CacheEntry wanted) {
    return task == Task.FIND
        ? List.of(wanted.toolchain())
        : put.stream()
            .map(StoredEntry::entry)
            .filter(entry -> Request.of(entry).equals(Request.of(wanted)))
            .map(CacheEntry::toolchain)
            .distinct()
            .toList();
  }

  /** Returns whether the record of an entry, or what any record there named, was taken away. */
  private boolean isDisturbed(CacheEntry entry, int from, int to) {
    Path record = record(entry);
    List<Path> files = new ArrayList<>(List.of(record));
    files.addAll(contents(entry));
    int end = Math.min(to, history.steps().size());
    for (int i = Math.max(from, 0); i < end; i++) {
      CacheEntry written = history.steps().get(i).record();
      if (written != null && history.steps().get(i).to().equals(record)) {
        files.addAll(contents(written));
      }
    }
    for (int i = Math.max(from, 0); i < end; i++) {
      for (Path file : files) {
        if (history.steps().get(i).takesAway(file)) {
          return true;
        }
      }
    }
    return false;
  }
}
