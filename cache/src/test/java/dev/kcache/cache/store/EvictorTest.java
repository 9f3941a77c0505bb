// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.age;
import static dev.kcache.cache.store.StepHookFileOperations.before;
import static dev.kcache.cache.store.StepHookFileOperations.failing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.CollectionResult;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a collection takes from a directory, and what it leaves. */
@Timeout(60)
class EvictorTest extends StoreTestBase {
  private static final List<FileGroup> NOTHING = List.of();

  @Test
  void collect_belowTheLimit_readsAndRemovesNothing() throws IOException {
    put(3);
    AtomicInteger reads = new AtomicInteger();

    CollectionResult result = collect(before("read", reads::incrementAndGet), size(used()));

    assertThat(result).isEqualTo(new CollectionResult(3, used(), 0, 0, Optional.empty()));
    assertThat(reads).hasValue(0);
  }

  @Test
  void collect_aboveTheLimit_removesTheLeastRecentlyUsedWithAllThatIsTheirs() throws IOException {
    put(4);
    long before = used();

    CollectionResult result = collect(size(before - 1));

    assertThat(result.entries()).isEqualTo(4);
    assertThat(result.bytes()).isEqualTo(before);
    assertThat(result.bytesFreed()).isEqualTo(before - used());
    assertThat(used()).isLessThanOrEqualTo((before - 1) / 10 * 9);
    assertThat(result.entriesRemoved()).isEqualTo(1);
    assertThat(found(4)).containsExactly(0, 1, 2);
    assertThat(image(3)).doesNotExist();
    assertThat(directory.requestDirectory(Request.of(kernel(3).entry()))).doesNotExist();
    assertThat(store.dependencies(kernel(0).entry())).isPresent();
  }

  @Test
  void collect_recordOfAnOlderSchema_goesFirst() throws IOException {
    put(4);
    String text = Files.readString(record(0));
    Files.writeString(record(0), text.replace(EntryCodec.SCHEMA, "kcache.record/2"));
    age(record(0), Duration.ofHours(2));

    assertThat(collect(size(used() - 1)).entriesRemoved()).isEqualTo(1);

    assertThat(record(0)).doesNotExist();
    assertThat(image(0)).doesNotExist();
    assertThat(found(4)).containsExactly(1, 2, 3);
  }

  @Test
  void collect_usedRecently_outlivesWhatWasMadeLater() throws IOException {
    put(4);
    assertThat(serves(store, 3)).isTrue();

    collect(size(used() - 1));

    assertThat(found(4)).containsExactly(0, 1, 3);
  }

  @Test
  void collect_ageLimit_removesWhatWasUnusedForLonger() throws IOException {
    put(4);
    EvictionPolicy policy =
        new EvictionPolicy(OptionalLong.empty(), Optional.of(Duration.ofHours(3).plusMinutes(1)));

    assertThat(collect(policy).entriesRemoved()).isEqualTo(2);
    assertThat(found(4)).containsExactly(0, 1);
  }

  @Test
  void collect_everything_leavesNoDirectoryOfATarget() throws IOException {
    put(3);

    assertThat(collect(size(1)).entriesRemoved()).isEqualTo(3);
    assertThat(directory.listing().targetDirectories()).isEmpty();
    put(1);
    assertThat(found(1)).containsExactly(0);
  }

  @Test
  void plan_isWhatACollectionDoesAndChangesNothing() throws IOException {
    put(5);
    unneeded(77);
    List<Path> before = files();
    EvictionPolicy policy = size(used() / 2);

    CollectionResult plan = evictor().plan(policy, NOTHING);

    assertThat(files()).isEqualTo(before);
    assertThat(plan.entriesRemoved()).isPositive();
    assertThat(collect(policy)).isEqualTo(plan);
  }

  @Test
  void collect_codeObjectThatNoRecordNeeds_goesBeforeAnyEntry() throws IOException {
    put(2);
    Path unneeded = unneeded(77);

    assertThat(collect(size(used() - 1)))
        .isEqualTo(new CollectionResult(2, used() + 4096, 0, DiskSpace.of(4096), Optional.empty()));
    assertThat(unneeded).doesNotExist();
  }

  @Test
  void collect_codeObjectWithoutRecordYet_staysForItsWriterAndNothingMakesRoomForIt()
      throws IOException {
    put(1);
    long before = used();
    Path young = unneeded(77);
    age(young, EntryRemover.GRACE.minusMinutes(1));

    assertThat(collect(size(before)).entriesRemoved()).isZero();
    assertThat(young).exists();
    assertThat(found(1)).containsExactly(0);
  }

  @Test
  void collect_directoryThatAKilledRemovalEmptied_goesWhenNoWriterCanBeAboutToUseIt()
      throws IOException {
    put(2);
    Files.delete(record(1));
    Path emptied = record(1).getParent();
    long limit = used() - DiskSpace.DIRECTORY - 1;
    collect(size(limit));
    assertThat(emptied).exists();

    age(emptied, EntryRemover.GRACE.plusMinutes(1));
    Files.write(image(1), new byte[4096]);
    age(image(1), Duration.ofDays(1));
    collect(size(limit));
    assertThat(emptied).doesNotExist();
    assertThat(found(2)).containsExactly(0);
  }

  @Test
  void collect_recordUsedSinceTheLook_stays() throws IOException {
    put(3);
    FileOperations files = before("read", () -> serves(store, 2), record(2));

    CollectionResult result = collect(files, size(used() - 1));

    assertThat(result.entriesRemoved()).isZero();
    assertThat(found(3)).containsExactly(0, 1, 2);
  }

  @Test
  void collect_readerBetweenRecordAndCodeObject_getsItsCodeObject() throws Exception {
    put(2);
    CountDownLatch recordIsGone = new CountDownLatch(1);
    CountDownLatch hasRead = new CountDownLatch(1);
    EntryRemover.Pause pause =
        () -> {
          recordIsGone.countDown();
          hasRead.await();
        };
    FutureTask<CollectionResult> collection =
        new FutureTask<>(
            () -> evictor(FileOperations.of(root), pause).collect(size(1), NOTHING, () -> false));
    DiskStore reader =
        open(
            before(
                "read",
                () -> {
                  new Thread(collection).start();
                  awaitUninterrupted(recordIsGone);
                  assertThat(record(1)).doesNotExist();
                },
                image(1)));

    assertThat(serves(reader, 1)).isTrue();
    hasRead.countDown();
    assertThat(collection.get().entriesRemoved()).isEqualTo(2);
    assertThat(image(1)).doesNotExist();
  }

  @Test
  void collect_recordThatCannotBeRead_leavesItsTargetAloneAndSaysSo() throws IOException {
    put(3);
    FileOperations files = failing("read", "Input/output error", record(0));

    CollectionResult result = collect(files, size(1));

    assertThat(result.entriesRemoved()).isZero();
    assertThat(result.failure().orElseThrow()).contains("left as it is", "Input/output error");
    assertThat(found(3)).containsExactly(0, 1, 2);
  }

  @Test
  void collect_targetThatCannotBeJudged_takesNoRoomFromTheOthers() throws IOException {
    put(3);
    long used = used();
    CodeObject other = Fixtures.variant("gfx1030", 1);
    CacheEntry unreadable = Fixtures.entry("other", other);
    put(unreadable, other);
    Path target = directory.requestDirectory(Request.of(unreadable)).getParent();
    Files.write(target.resolve(Fixtures.digest("bulk") + ".co"), new byte[1 << 20]);
    FileOperations files = failing("read", "Input/output error", record(unreadable));

    CollectionResult result = collect(files, size(used));

    assertThat(result.entriesRemoved()).isZero();
    assertThat(result.failure().orElseThrow()).contains(target.toString());
    assertThat(found(3)).containsExactly(0, 1, 2);
    assertThat(collect(files, size(used - 1)).entriesRemoved()).isEqualTo(1);
  }

  @Test
  void collect_whatAnotherCollectionRemovesMeanwhile_isNotMadeUpFor() throws IOException {
    put(3);
    long limit = used();
    Files.createDirectories(directory.quarantine());
    Path large = Files.write(directory.newQuarantined(record(0)), new byte[1 << 20]);
    FileOperations files = before("read", () -> Files.deleteIfExists(large));

    CollectionResult result = collect(files, size(limit + 8192));

    assertThat(large).doesNotExist();
    assertThat(result.entriesRemoved()).isZero();
    assertThat(found(3)).containsExactly(0, 1, 2);
  }

  @Test
  void collect_damagedRecord_keepsNothingButWhatItStillNames() throws IOException {
    put(2);
    Files.writeString(record(1), "{");
    age(record(1), Duration.ofDays(1));

    CollectionResult result = collect(size(used() - 1));

    assertThat(result.failure()).isEmpty();
    assertThat(image(1)).as("no record names it any more").doesNotExist();
    assertThat(found(2)).containsExactly(0);
  }

  @Test
  void collect_filesThatGoTogether_goInTheirOrderUnlessUsedMeanwhile() throws IOException {
    put(1);
    FileGroup old = group("old", Duration.ofDays(3));
    FileGroup usedMeanwhile = group("used", Duration.ofDays(2));
    List<Path> deleted = new ArrayList<>();
    StepHookFileOperations files =
        new StepHookFileOperations(
            (step, operation, path) -> {
              if (operation.equals("delete")) {
                deleted.add(path);
              }
            });
    touch(usedMeanwhile.files().get(0));

    evictor(files).collect(size(used() / 2), List.of(old, usedMeanwhile), () -> false);

    assertThat(deleted).startsWith(old.files().toArray(Path[]::new));
    assertThat(usedMeanwhile.files()).allMatch(Files::exists);
  }

  @Test
  void collect_quarantinedFiles_goWithTheOthersOfTheirAge() throws IOException {
    put(2);
    Files.createDirectories(directory.quarantine());
    Path damaged = Files.write(directory.newQuarantined(record(1)), new byte[5000]);
    age(damaged, Duration.ofDays(1));

    assertThat(collect(size(used() - 1)).bytesFreed()).isGreaterThanOrEqualTo(8192);
    assertThat(damaged).doesNotExist();
    assertThat(found(2)).containsExactly(0, 1);
  }

  @Test
  void collect_stopped_leavesEverything() throws IOException {
    put(3);

    assertThat(evictor().collect(size(1), NOTHING, () -> true).entriesRemoved()).isZero();
    assertThat(found(3)).containsExactly(0, 1, 2);
  }

  @Test
  void collectIfDue_isDoneOnceAnHour() throws IOException {
    put(1);
    assertThat(evictor().mayBeDue()).isTrue();
    assertThat(evictor().collectIfDue(size(1), NOTHING, () -> false)).isPresent();
    put(1);
    assertThat(evictor().mayBeDue()).isFalse();
    assertThat(evictor().collectIfDue(size(1), NOTHING, () -> false)).isEmpty();
    age(directory.evictionMark(), Duration.ofMinutes(61));
    assertThat(evictor().mayBeDue()).isTrue();
    assertThat(evictor().collectIfDue(size(1), NOTHING, () -> false)).isPresent();
    assertThat(found(1)).isEmpty();
  }

  @Test
  void collect_missingDirectory_isAnError() {
    assertThatThrownBy(() -> collect(size(1))).isInstanceOf(IOException.class);
    assertThat(root).doesNotExist();
  }

  @Test
  void collect_directoryBehindALink_isCollected() throws IOException {
    put(2);
    Path link = Files.createSymbolicLink(temp.resolve("link"), root);

    CollectionResult result =
        open(link).maintenance().evictor().collect(size(1), NOTHING, () -> false);

    assertThat(result.entriesRemoved()).isEqualTo(2);
    assertThat(found(2)).isEmpty();
  }

  @Test
  void collect_noRoomForAnotherFile_makesRoom() throws IOException {
    put(2);

    assertThat(collect(failing("createFile", "Disk quota exceeded"), size(1)).entriesRemoved())
        .isEqualTo(2);
  }

  @Test
  void collect_codeObjectWrittenAgainWhileRecordsAreRead_stays() throws IOException {
    put(2);
    Path unneeded = unneeded(5);
    AtomicInteger reads = new AtomicInteger();
    FileOperations files =
        before(
            "read",
            () -> {
              // The last look at the records, after the one that chose.
              if (reads.incrementAndGet() > 2) {
                touch(unneeded);
              }
            });

    collect(files, size(used() - 1));

    assertThat(unneeded).exists();
  }

  @Test
  void collect_headerWithoutItsAnswer_goes() throws IOException {
    put(1);
    FileGroup group = group("header", Duration.ofDays(1));
    Files.delete(group.files().get(0));
    FileGroup left = new FileGroup(group.files(), Instant.EPOCH);

    evictor().collect(size(used() - 1), List.of(left), () -> false);

    assertThat(group.files().get(1)).doesNotExist();
  }

  /** Puts entries, each an hour older than the one before; the first is two hours old. */
  private void put(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      put(i, Duration.ofHours(2 + i));
    }
    Path list = list(kernel(0).entry());
    age(list, Duration.ofHours(1));
  }

  /** Makes a code object that no record names, a day old. */
  private Path unneeded(int number) throws IOException {
    Path file = image(number);
    Files.write(file, new byte[kernel(number).codeObject().size()]);
    age(file, Duration.ofDays(1));
    return file;
  }

  private FileGroup group(String name, Duration age) throws IOException {
    Path host = Files.createDirectories(directory.probeCaches().resolve("host"));
    List<Path> files =
        List.of(
            Files.write(host.resolve(name + ".1"), new byte[40_000]),
            Files.write(host.resolve(name + ".2"), new byte[40_000]));
    Path first = files.get(0);
    age(first, age);
    return new FileGroup(files, Files.getLastModifiedTime(first).toInstant());
  }

  /** Returns which of the first kernels are served. */
  private List<Integer> found(int count) {
    return IntStream.range(0, count).filter(i -> serves(store, i)).boxed().toList();
  }

  private long used() throws IOException {
    return Inventory.of(directory).bytes();
  }

  private List<Path> files() throws IOException {
    try (var files = Files.walk(root)) {
      return files.sorted().toList();
    }
  }

  private CollectionResult collect(EvictionPolicy policy) throws IOException {
    return collect(FileOperations.of(root), policy);
  }

  private CollectionResult collect(FileOperations files, EvictionPolicy policy) throws IOException {
    return evictor(files).collect(policy, NOTHING, () -> false);
  }

  private Evictor evictor() {
    return evictor(FileOperations.of(root));
  }

  private Evictor evictor(FileOperations files) {
    return evictor(files, () -> {});
  }

  private Evictor evictor(FileOperations files, EntryRemover.Pause pause) {
    return new Evictor(
        directory,
        files,
        Access.PRIVATE,
        new EntryRemover(directory, files, Access.PRIVATE, pause));
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static EvictionPolicy size(long bytes) {
    return new EvictionPolicy(OptionalLong.of(bytes), Optional.empty());
  }

  private static void touch(Path file) {
    assertThat(FileOperations.of(file).touch(file)).isTrue();
  }
}
