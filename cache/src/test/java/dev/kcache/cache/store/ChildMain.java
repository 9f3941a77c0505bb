// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.StepHookFileOperations.before;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/** What the second processes of the tests do; the first argument says which. */
final class ChildMain {
  private ChildMain() {}

  public static void main(String[] arguments) throws Exception {
    Path root = Path.of(arguments[1]);
    switch (arguments[0]) {
      case "put" -> putAndDie(root, Integer.parseInt(arguments[2]));
      case "collect" ->
          collectAndDie(root, Long.parseLong(arguments[2]), Integer.parseInt(arguments[3]));
      case "read" -> read(root, Integer.parseInt(arguments[2]));
      case "hold" -> hold(root, arguments[2]);
      case "try" -> tryLock(root, arguments[2]);
      case "race" -> race(root, Integer.parseInt(arguments[2]));
      case "readOnly" -> readOnly(root);
      case "many" -> many(root, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
      case "count" -> count(root, Integer.parseInt(arguments[2]));
      case "merge" -> mergeAndDie(root, Integer.parseInt(arguments[2]));
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Puts an entry that the step makes unique, and is killed before that step. */
  private static void putAndDie(Path root, int lastStep) throws IOException {
    CodeObject code = Fixtures.variant("gfx90a", lastStep);
    DiskStore.open(root, Access.PRIVATE, dyingBefore(lastStep))
        .put(Fixtures.entry("vadd.hip", code), code, Fixtures.DEPENDENCIES);
  }

  /** Counts one hit after the other, each for itself, merging with its siblings. */
  private static void count(Path root, int hits) throws IOException {
    DiskStore store = DiskStore.open(root, Access.PRIVATE);
    for (int i = 0; i < hits; i++) {
      UsageTable table = new UsageTable(1000);
      table.add("gfx90a", "vadd.hip", Arrays.copyOf(new long[] {1}, UsageTable.COLUMNS));
      if (!store.addUsage(table)) {
        throw new AssertionError("not added");
      }
    }
  }

  /** Merges what has been counted, and is killed before a step. */
  private static void mergeAndDie(Path root, int lastStep) throws IOException {
    new UsageFiles(new DirectoryLayout(root), dyingBefore(lastStep), Access.PRIVATE).merge();
  }

  private static FileOperations dyingBefore(int lastStep) {
    return new StepHookFileOperations(
        (step, operation, path) -> {
          if (step == lastStep) {
            killThisProcess();
          }
        });
  }

  /** Collects, and is killed before so many files were deleted. */
  private static void collectAndDie(Path root, long maxSize, int deletions) throws IOException {
    int[] left = {deletions};
    FileOperations files =
        before(
            "delete",
            () -> {
              if (left[0]-- == 0) {
                killThisProcess();
              }
            });
    DirectoryLayout directory = new DirectoryLayout(root);
    EntryRemover remover = new EntryRemover(directory, files, Access.PRIVATE, () -> {});
    EvictionPolicy policy = new EvictionPolicy(OptionalLong.of(maxSize), Optional.empty());
    new Evictor(directory, files, Access.PRIVATE, remover).collect(policy, List.of(), () -> false);
  }

  /** Reads the first entries again and again until its input ends; each has to be there. */
  private static void read(Path root, int keys) throws IOException {
    DiskStore store = DiskStore.open(root, Access.PRIVATE);
    System.out.println("reads");
    for (int i = 0; System.in.available() == 0; i++) {
      if (!StoreTestBase.serves(store, i % keys)) {
        throw new AssertionError("not served: " + i % keys);
      }
    }
  }

  private static void killThisProcess() throws IOException {
    String pid = Long.toString(ProcessHandle.current().pid());
    new ProcessBuilder("sh", "-c", "kill -s KILL " + pid).start();
    await(new CountDownLatch(1));
  }

  /** Holds the lock of a request until it is killed. */
  private static void hold(Path root, String name) throws Exception {
    exclusively(
        root,
        name,
        Optional::empty,
        () -> {
          System.out.println("held");
          await(new CountDownLatch(1));
          return "never";
        });
  }

  /** Says whether it has to wait for the lock of a request, or gets it. */
  private static void tryLock(Path root, String name) throws Exception {
    List<String> polls = new ArrayList<>();
    System.out.println(
        exclusively(
            root,
            name,
            () -> {
              polls.add("poll");
              return polls.size() > 3 ? Optional.of("waits") : Optional.empty();
            },
            () -> "works"));
  }

  private static String exclusively(
      Path root, String name, Supplier<Optional<String>> finished, Callable<String> work)
      throws Exception {
    Request request = Fixtures.request(name, Fixtures.codeObject("gfx90a").target());
    return DiskStore.open(root, Access.PRIVATE).requestLock().exclusively(request, finished, work);
  }

  /** Wants one entry in several threads, as soon as it may; notes each time that it is made. */
  private static void race(Path root, int threads) throws Exception {
    DiskStore store = DiskStore.open(root.resolve("store"), Access.PRIVATE);
    RequestLock lock = store.requestLock();
    CodeObject code = Fixtures.codeObject("gfx90a");
    CacheEntry entry = Fixtures.entry("vadd.hip", code);
    List<FutureTask<StoredEntry>> tasks = new ArrayList<>();
    CountDownLatch go = new CountDownLatch(1);
    for (int i = 0; i < threads; i++) {
      FutureTask<StoredEntry> task =
          new FutureTask<>(
              () -> {
                go.await();
                return lock.exclusively(
                    Request.of(entry),
                    () -> Fixtures.find(store, "vadd.hip", code),
                    () -> {
                      note(root.resolve("made"));
                      store.put(entry, code, Fixtures.DEPENDENCIES);
                      return new StoredEntry(entry, code);
                    });
              });
      new Thread(task).start();
      tasks.add(task);
    }
    System.out.println("ready");
    System.in.read();
    go.countDown();
    for (FutureTask<StoredEntry> task : tasks) {
      if (!task.get().equals(new StoredEntry(entry, code))) {
        throw new AssertionError("another entry");
      }
    }
  }

  private static void note(Path file) throws IOException {
    Files.write(
        file, "once\n".getBytes(UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Says what can be done with a root that cannot be written: three lines. */
  private static void readOnly(Path root) throws IOException {
    DiskStore store = DiskStore.open(root, Access.PRIVATE);
    CodeObject code = Fixtures.codeObject("gfx90a");
    System.out.println(store.fault().orElse("no fault"));
    System.out.println(Fixtures.find(store, "vadd.hip", code).isPresent() ? "hit" : "miss");
    try {
      store.put(Fixtures.entry("vsub.hip", code), code, Fixtures.DEPENDENCIES);
      System.out.println("stored");
    } catch (IOException e) {
      System.out.println(store.stagingParent().isEmpty() ? "refused" : "staged");
    }
  }

  /** Puts and finds many entries, the same ones as its siblings, in an order of its own. */
  private static void many(Path root, int keys, int start) throws IOException {
    DiskStore store = DiskStore.open(root, Access.PRIVATE);
    for (int i = 0; i < keys; i++) {
      int key = (start + i) % keys;
      StoredEntry kernel = StoreTestBase.kernel(key);
      if (!StoreTestBase.serves(store, key)) {
        store.put(kernel.entry(), kernel.codeObject(), Fixtures.DEPENDENCIES);
      }
      if (!StoreTestBase.serves(store, key)) {
        throw new AssertionError("lost " + key);
      }
    }
    if (store.quarantined() != 0) {
      throw new AssertionError("quarantined " + store.quarantined());
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
