// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.StepHookFileOperations.failing;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.toolchain.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts of many processes: none is lost and none counted twice, whoever merges and dies. */
@Timeout(120)
class UsageFilesTest extends StoreTestBase {
  @BeforeEach
  void createRoot() throws IOException {
    PrivateFiles.createDirectories(root);
  }

  @Test
  void sum_isOverAllFilesSinceTheFirst() throws IOException {
    store.addUsage(table(3000, "gfx90a", "vadd.hip", 2));
    store.addUsage(table(1000, "gfx90a", "vadd.hip", 3));
    store.addUsage(table(2000, "gfx90a:xnack+", "a b\\n\n\\.hip", 4));

    UsageTable sum = store.maintenance().usage();

    assertThat(sum.since()).isEqualTo(1000);
    assertThat(sum.rows())
        .extracting(UsageTable.Row::target, UsageTable.Row::source, row -> row.counts()[0])
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple("gfx90a", "vadd.hip", 5L),
            org.assertj.core.groups.Tuple.tuple("gfx90a:xnack+", "a b\\n\n\\.hip", 4L));
  }

  @Test
  void days_areSummedUpAndOnlyTheLatestKept() throws IOException {
    UsageTable first = table(1000, "gfx90a", "vadd.hip", 1);
    UsageTable second = table(1000, "gfx90a", "vadd.hip", 1);
    for (long day = 100; day < 100 + UsageTable.MOST_DAYS; day++) {
      first.addDay(day, new UsageTable.Day(day, 1));
    }
    second.addDay(105, new UsageTable.Day(2, 3));
    second.addDay(200, new UsageTable.Day(0, 7));
    store.addUsage(first);
    store.addUsage(second);
    usage().merge();

    UsageTable sum = store.maintenance().usage();

    assertThat(sum.days().keySet())
        .containsExactlyElementsOf(
            LongStream.concat(LongStream.range(101, 114), LongStream.of(200)).boxed().toList());
    assertThat(sum.days())
        .containsEntry(101L, new UsageTable.Day(101, 1))
        .containsEntry(105L, new UsageTable.Day(107, 4))
        .containsEntry(200L, new UsageTable.Day(0, 7));
  }

  @Test
  void whatCameFromRemotes_isALineOfItsOwnWhereThereIsAny() throws IOException {
    UsageTable table = table(1000, "gfx90a", "a b.hip", 2);
    long[] remote = new long[UsageTable.COLUMNS];
    remote[UsageTable.REMOTE_HITS] = 5;
    remote[UsageTable.NOT_UPLOADED] = 7;
    table.add("gfx90a", "a b.hip", remote);
    table.add("gfx90a", "c.hip", new long[UsageTable.COLUMNS]);
    store.addUsage(table);

    assertThat(new String(table.encode(), UTF_8))
        .endsWith(
            """

            row gfx90a 2 0 0 0 0 0 0 0 a b.hip
            remote gfx90a 5 0 7 a b.hip
            row gfx90a 0 0 0 0 0 0 0 0 c.hip
            end
            """);
    assertThat(store.maintenance().usage().rows())
        .filteredOn(row -> row.source().equals("a b.hip"))
        .singleElement()
        .satisfies(
            row -> assertThat(row.counts()).containsExactly(2, 0, 0, 0, 0, 0, 0, 0, 5, 0, 7));
  }

  @Test
  void fileOfAnEarlierVersion_isCountedWithoutDays() throws IOException {
    store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
    Files.writeString(
        directory.newUsage(),
        "kcache.usage/1\nsince 500\nrow gfx90a 2 0 0 0 0 0 0 0 vadd.hip\nend\n");

    assertThat(hits()).isEqualTo(3);
    assertThat(store.maintenance().usage().since()).isEqualTo(500);
    assertThat(store.maintenance().usage().days()).isEmpty();
  }

  @Test
  void files_areFewAndInAPrivateDirectory() throws IOException {
    for (int i = 0; i < UsageFiles.MOST_FILES + 1; i++) {
      store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
    }

    assertThat(hits()).isEqualTo(UsageFiles.MOST_FILES + 1);
    assertThat(DirectoryListing.list(directory.usage())).hasSize(2);
    assertThat(permissions(directory.usage())).isEqualTo("rwx------");
  }

  @Test
  void processes_atOnce_giveTheExactSum() throws Exception {
    List<ChildJvm> children = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        children.add(ChildJvm.start("count", root.toString(), "400"));
      }
      long last = 0;
      for (int i = 0; i < 50; i++) {
        long now = hits();
        assertThat(now).isGreaterThanOrEqualTo(last);
        last = now;
      }
      for (ChildJvm child : children) {
        assertThat(child.awaitExit()).isZero();
      }
    } finally {
      children.forEach(ChildJvm::close);
    }

    assertThat(hits()).isEqualTo(3 * 400);
    assertThat(directory.listing().usages()).hasSizeLessThanOrEqualTo(UsageFiles.MOST_FILES + 3);
  }

  @Test
  void merge_killedBeforeAnyStep_neitherLosesNorCountsTwice() throws Exception {
    for (int i = 0; i < 3; i++) {
      store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
    }
    int expected = 3;
    int killed = 0;
    for (int step = 0; ; step++) {
      try (ChildJvm child = ChildJvm.start("merge", root.toString(), Integer.toString(step))) {
        if (child.awaitExit() == 0) {
          break;
        }
      }
      killed++;
      assertThat(hits()).as("killed before step %d", step).isEqualTo(expected);
      store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
      expected++;
      if (step % 2 == 0) {
        usage().merge();
        assertThat(hits()).as("merged after step %d", step).isEqualTo(expected);
        store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
        expected++;
      }
    }

    assertThat(killed).isGreaterThan(6);
    assertThat(hits()).isEqualTo(expected);
  }

  @Test
  void mergedFileThatCouldNotBeRead_isNotCountedAgainWhenItCan() throws IOException {
    store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
    Path kept = directory.listing().usages().get(0);
    Path copy = Files.copy(kept, temp.resolve("copy"));
    usage().add(table(1000, "gfx90a", "vadd.hip", 2));
    usage().merge();
    // As if the merge had been killed before it deleted this one, which then could not be read.
    Files.writeString(kept, "torn");
    usage().add(table(1000, "gfx90a", "vadd.hip", 4));
    usage().merge();
    Files.copy(copy, kept, StandardCopyOption.REPLACE_EXISTING);

    assertThat(hits()).isEqualTo(7);
  }

  @Test
  void directoryInWhichNobodyCanMerge_staysBounded() throws IOException {
    Files.createDirectories(directory.lock());
    for (int i = 0; i < UsageFiles.MOST_UNMERGED; i++) {
      store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
    }
    assertThatThrownBy(() -> store.addUsage(table(1000, "gfx90a", "vadd.hip", 1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("1000 files");
    assertThat(directory.listing().usages()).hasSize(UsageFiles.MOST_UNMERGED);

    Files.delete(directory.lock());
    open().addUsage(table(1000, "gfx90a", "vadd.hip", 1));
    assertThat(hits()).isEqualTo(UsageFiles.MOST_UNMERGED + 1);
    assertThat(directory.listing().usages()).hasSize(2);
  }

  @Test
  void sum_besideMerges_neverGoesDown() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    FutureTask<Long> adding =
        new FutureTask<>(
            () -> {
              long added = 0;
              while (!stop.get()) {
                store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
                added++;
                if (added % 3 == 0) {
                  usage().merge();
                }
              }
              return added;
            });
    new Thread(adding).start();
    long last = 0;
    for (int i = 0; i < 1000; i++) {
      long now = hits();
      assertThat(now).isGreaterThanOrEqualTo(last);
      last = now;
    }
    stop.set(true);

    long added = adding.get();
    assertThat(hits()).isEqualTo(added);
  }

  @Test
  void sum_ofFilesThatAreMergedMeanwhile_isTheSame() throws IOException {
    for (int i = 0; i < 3; i++) {
      store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
    }
    AtomicBoolean merged = new AtomicBoolean();
    FileOperations merging =
        new StepHookFileOperations(
            (step, operation, path) -> {
              if (step == 1 && !merged.getAndSet(true)) {
                usage().merge();
              }
            });

    UsageTable sum = new UsageFiles(directory, merging, Access.PRIVATE).sum();

    assertThat(merged).isTrue();
    assertThat(sum.rows().iterator().next().counts()[0]).isEqualTo(3);
  }

  @Test
  void damagedFile_isPassedOver() throws IOException {
    UsageTable counted = table(1000, "gfx90a", "vadd.hip", 1);
    counted.addDay(100, new UsageTable.Day(1, 2));
    store.addUsage(counted);
    Path whole = directory.listing().usages().get(0);
    String text = Files.readString(whole);
    for (String damaged :
        Stream.of(
                "",
                "\n",
                text.substring(0, text.length() - 4),
                text.replace("usage/1", "usage/2"),
                text.replace("since 1000", "since soon"),
                text.replace(" 0 ", " -1 "),
                text.replace(" 0 ", " "),
                text.replace("day 100 1 2", "day 100 1"),
                text.replace("day 100 1 2", "day 100 1 2 3"),
                text.replace("day 100 1 2", "day 100 -1 2"),
                text.replace("day 100 1 2", "day 9999999 1 2"),
                text.replace("vadd.hip", "v\\add.hip"),
                text.replace("vadd.hip", "vadd.hip\\"),
                text.replace("row", "line"))
            .toList()) {
      Files.writeString(directory.newUsage(), damaged);
    }

    assertThat(hits()).isEqualTo(1);
    usage().merge();
    assertThat(hits()).isEqualTo(1);
  }

  @Test
  void rows_beyondTheMost_areSummedUp() throws IOException {
    UsageTable table = new UsageTable(1000);
    long[] one = Arrays.copyOf(new long[] {1}, UsageTable.COLUMNS);
    for (int i = 0; i < UsageTable.MOST_ROWS + 10; i++) {
      table.add("gfx90a", "kernel" + i, one);
    }
    table.add("gfx90a", "x".repeat(10_000), one);
    store.addUsage(table);
    store.addUsage(table);

    UsageTable sum = store.maintenance().usage();

    assertThat(sum.rows()).hasSize(UsageTable.MOST_ROWS + 1);
    assertThat(sum.rows().stream().mapToLong(row -> row.counts()[0]).sum())
        .isEqualTo(2 * (UsageTable.MOST_ROWS + 11));
    assertThat(sum.rows().stream().filter(row -> row.source().isEmpty()))
        .singleElement()
        .satisfies(row -> assertThat(row.target()).isEqualTo("gfx90a"))
        .satisfies(row -> assertThat(row.counts()[0]).isEqualTo(22));
  }

  @Test
  void rows_ofAMergedFile_stayTheirOwn() throws IOException {
    UsageTable many = new UsageTable(1000);
    long[] one = Arrays.copyOf(new long[] {1}, UsageTable.COLUMNS);
    for (int i = 0; i < UsageTable.MOST_ROWS; i++) {
      many.add("gfx90a", "kernel" + i, one);
    }
    store.addUsage(many);
    for (int i = 0; i < 30; i++) {
      store.addUsage(table(1000, "gfx90a", "late" + i, 1));
    }

    usage().merge();

    assertThat(store.maintenance().usage().rows()).hasSize(UsageTable.MOST_ROWS + 1);
    assertThat(
            store.maintenance().usage().rows().stream()
                .filter(row -> row.source().startsWith("late")))
        .isEmpty();
  }

  @Test
  void reset_forgetsEverything() throws IOException {
    store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
    Files.writeString(directory.newUsage(), "damaged");

    store.maintenance().resetUsage();

    assertThat(store.maintenance().usage().isEmpty()).isTrue();
    assertThat(directory.listing().usages()).isEmpty();
  }

  @Test
  void interruptedThread_mergesAndStaysInterrupted() throws IOException {
    Thread.currentThread().interrupt();
    for (int i = 0; i < UsageFiles.MOST_FILES + 1; i++) {
      store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
    }

    assertThat(Thread.interrupted()).isTrue();
    assertThat(directory.listing().usages()).hasSize(2);
    assertThat(new LockFile(directory.lock(), Access.PRIVATE).tryLock(7)).isPresent();
  }

  @Test
  void missingRoot_isNotMade() throws IOException {
    Path missing = temp.resolve("missing");

    assertThat(open(missing).addUsage(table(1000, "gfx90a", "vadd.hip", 1))).isFalse();
    assertThat(missing).doesNotExist();
  }

  @Test
  void fullDisk_addsNothingAndLeavesNothing() throws IOException {
    store.addUsage(table(1000, "gfx90a", "vadd.hip", 1));
    DiskStore full = open(failing("write half", "No space left on device"));

    assertThatThrownBy(() -> full.addUsage(table(1000, "gfx90a", "vadd.hip", 1)))
        .isInstanceOf(IOException.class);
    assertThat(hits()).isEqualTo(1);
    assertThat(DirectoryListing.list(directory.usage())).hasSize(1);
  }

  private UsageFiles usage() {
    return new UsageFiles(directory, FileOperations.of(root), Access.PRIVATE);
  }

  private long hits() {
    return store.maintenance().usage().rows().stream().mapToLong(row -> row.counts()[0]).sum();
  }

  private static UsageTable table(long since, String target, String source, long hits) {
    UsageTable table = new UsageTable(since);
    table.add(target, source, Arrays.copyOf(new long[] {hits}, UsageTable.COLUMNS));
    return table;
  }
}
