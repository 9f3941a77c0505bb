// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.DEPENDENCIES;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.StoreHistory.Operation;
import dev.kcache.cache.store.StoreHistory.Task;
import dev.kcache.cache.trust.Trust;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One run of a scenario: a directory, what its actors do to it, and what came of it. */
final class StoreRun {
  private static final Duration UNUSED = Duration.ofMinutes(90);
  private static final Duration LEFT_OVER = Duration.ofDays(2);

  private final Path root;
  private final DirectoryLayout plain;
  private final Turns turns;
  private final StoreHistory history = new StoreHistory();
  private final SteppedFileOperations files;
  private final DirectoryLayout directory;
  private final Set<StoredEntry> entries = new HashSet<>();
  private final Set<ByteBuffer> damaged = new HashSet<>();
  private int overlooked;

  StoreRun(Path root, Turns turns) throws IOException {
    this.root = root;
    this.turns = turns;
    plain = new DirectoryLayout(root);
    SteppedFileSystem fileSystem = new SteppedFileSystem(root, turns, history);
    files = new SteppedFileOperations(fileSystem);
    directory = new DirectoryLayout(fileSystem.path(root));
    Files.createDirectory(root);
    Files.createFile(plain.sweepMark());
  }

  /** What an actor does, one after the other. */
  interface Action {
    void run(StoreRun run, DiskStore store) throws Exception;
  }

  /** Puts an entry there before anybody begins. */
  void has(CacheEntry entry, CodeObject code, Duration age) throws IOException {
    Request request = Request.of(entry);
    write(plain.dependencies(request, entry.dependencies()), DEPENDENCIES.bytes(), age);
    write(plain.codeObject(request, entry.codeObject()), bytes(code), age);
    Path record = record(entry);
    write(record, EntryCodec.encode(entry), age);
    entries.add(new StoredEntry(entry, code));
    history.has(record, entry, true);
  }

  /** Damages what was put there. */
  void damage(CacheEntry entry, Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    FileTime time = Files.getLastModifiedTime(file);
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, time);
    damaged.add(ByteBuffer.wrap(bytes));
    history.has(record(entry), entry, false);
  }

  /** Removes what was put there. */
  void lose(CacheEntry entry, Path file) throws IOException {
    Files.delete(file);
    history.hasNot(file);
    history.has(record(entry), entry, false);
  }

  Path record(CacheEntry entry) {
    return plain.record(Request.of(entry), entry.toolchain()).file();
  }

  Path codeObject(CacheEntry entry) {
    return plain.codeObject(Request.of(entry), entry.codeObject());
  }

  private void write(Path file, byte[] content, Duration age) throws IOException {
    Files.createDirectories(file.getParent());
    Files.write(file, content);
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
    history.has(file);
  }

  private static byte[] bytes(CodeObject code) {
    byte[] bytes = new byte[code.bytes().remaining()];
    code.bytes().get(bytes);
    return bytes;
  }

  /** Has a sweep due, and something for it. */
  void needsSweep(CacheEntry entry) throws IOException {
    Files.delete(plain.sweepMark());
    write(plain.temporaryIn(codeObject(entry).getParent()), new byte[] {1}, LEFT_OVER);
  }

  static Action put(CacheEntry entry, CodeObject code) {
    return (run, store) -> {
      run.entries.add(new StoredEntry(entry, code));
      run.perform(Task.PUT, entry, () -> put(store, entry, code));
    };
  }

  private static Optional<StoredEntry> put(DiskStore store, CacheEntry entry, CodeObject code)
      throws IOException {
    store.put(entry, code, DEPENDENCIES);
    return Optional.empty();
  }

  static Action find(CacheEntry wanted) {
    return (run, store) ->
        run.perform(
            Task.FIND, wanted, () -> Fixtures.find(store, Request.of(wanted), wanted.toolchain()));
  }

  static Action findNewest(CacheEntry wanted) {
    return (run, store) ->
        run.perform(Task.FIND_NEWEST, wanted, () -> Fixtures.findNewest(store, Request.of(wanted)));
  }

  /** Evicts what was not used for an hour and a half. */
  static Action evictUnused() {
    return evict(Task.REMOVE_UNUSED, new EvictionPolicy(OptionalLong.empty(), Optional.of(UNUSED)));
  }

  /** Evicts what was not used for longest, as far as that is too much. */
  static Action evictDownTo(long bytes) {
    return evict(Task.REMOVE_CHOSEN, new EvictionPolicy(OptionalLong.of(bytes), Optional.empty()));
  }

  private static Action evict(Task task, EvictionPolicy policy) {
    return (run, store) -> run.perform(task, null, () -> run.evict(policy));
  }

  private Optional<StoredEntry> evict(EvictionPolicy policy) throws IOException {
    Evictor collector = new Evictor(directory, files, Access.PRIVATE, remover());
    var unused = collector.collect(policy, List.of(), () -> false);
    return Optional.empty();
  }

  /** Removes everything, as {@code kcache clear} does. */
  static Action clear() {
    return (run, store) ->
        run.perform(
            Task.REMOVE_CHOSEN,
            null,
            () -> {
              FileClock clock = new FileClock(run.directory, run.files, Access.PRIVATE);
              RemovalPlan everything =
                  RemovalPlan.ofEverything(run.directory, run.remover(), clock.now());
              var unused = everything.remove(() -> false);
              return Optional.empty();
            });
  }

  /** Verifies and mends, as {@code kcache verify --repair} does. */
  static Action repair() {
    return (run, store) ->
        run.perform(
            Task.REPAIR,
            null,
            () -> {
              Quarantine quarantine = new Quarantine(run.directory, run.files, Access.PRIVATE);
              Trust trust = Trust.OF_THIS_USER;
              Verifier verifier =
                  new Verifier(
                      run.directory,
                      run.reader(),
                      run.files,
                      run.remover(),
                      trust,
                      Access.PRIVATE,
                      quarantine,
                      (path, done, total) -> {});
              var unused = verifier.verify(path -> DirectoryStatus.of(path, trust));
              return Optional.empty();
            });
  }

  private EntryReader reader() {
    Quarantine quarantine = new Quarantine(directory, files, Access.PRIVATE);
    return new EntryReader(directory, Trust.OF_THIS_USER, files, quarantine, false);
  }

  /** What others do while it waits is up to the schedule. */
  private EntryRemover remover() {
    return new EntryRemover(directory, files, Access.PRIVATE, () -> {});
  }

  private void perform(
      Task task, @Nullable CacheEntry entry, Callable<Optional<StoredEntry>> request) {
    Operation operation = history.begin(task, entry);
    try {
      operation.found = request.call();
    } catch (Exception e) {
      operation.failure = e;
    }
    history.end(operation);
  }

  /** Has each actor do its actions, each with a store of its own, as processes would. */
  void run(List<List<Action>> scripts) throws Exception {
    List<Turns.Actor> actors = new ArrayList<>();
    for (List<Action> script : scripts) {
      DiskStore store = DiskStore.open(directory.root(), Access.PRIVATE, files);
      actors.add(
          () -> {
            for (Action action : script) {
              action.run(this, store);
            }
          });
    }
    turns.run(actors);
    lookAgain();
  }

  /** Whoever comes afterwards has to find what was promised, too. */
  private void lookAgain() throws Exception {
    DiskStore store = DiskStore.open(directory.root(), Access.PRIVATE, files);
    for (StoredEntry each : List.copyOf(entries)) {
      find(each.entry()).run(this, store);
    }
  }

  /** Returns what was not kept, with all that was done; nothing if all was. */
  Optional<String> broken() throws IOException {
    StorePromises promises = new StorePromises(plain, history, entries);
    List<String> broken = new ArrayList<>(promises.broken());
    try (Stream<Path> left = Files.walk(root)) {
      for (Path file : left.filter(Files::isRegularFile).toList()) {
        if (plain.isTemporary(file)) {
          broken.add("nobody removed " + file);
        }
        if (plain.quarantine().equals(file.getParent())
            && !damaged.contains(ByteBuffer.wrap(Files.readAllBytes(file)))) {
          broken.add("sound, and in quarantine: " + file);
        }
      }
    }
    overlooked = promises.overlooked();
    return broken.isEmpty() ? Optional.empty() : Optional.of(describe(broken));
  }

  private String describe(List<String> broken) {
    StringBuilder text = new StringBuilder(String.join("\n", broken));
    for (int i = 0; i < history.steps().size(); i++) {
      text.append("\n").append(i).append(' ').append(history.steps().get(i));
    }
    return text.toString();
  }

  /** Returns how often a removal took what was used or written within its last steps. */
  int overlooked() {
    return overlooked;
  }
}
