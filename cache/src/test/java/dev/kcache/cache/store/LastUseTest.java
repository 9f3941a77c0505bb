// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.TOOLCHAIN;
import static dev.kcache.cache.store.Fixtures.digest;
import static dev.kcache.cache.store.Fixtures.entry;
import static dev.kcache.cache.store.Fixtures.find;
import static dev.kcache.cache.store.Fixtures.findNewest;
import static dev.kcache.cache.store.StepHookFileOperations.failing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.directory.CacheEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When an entry was last used, which its record's modification time tells. */
class LastUseTest extends StoreTestBase {
  private final List<Path> touched = new ArrayList<>();
  private final StepHookFileOperations files =
      new StepHookFileOperations(
          (step, operation, path) -> {
            if (operation.equals("touch")) {
              touched.add(path);
            }
          });

  private Path record;

  @BeforeEach
  void putAnEntry() throws IOException {
    store = open(files);
    put();
    record = record(entry);
  }

  @Test
  void find_recordUsedHoursAgo_isNotedOnceAndServedOn() throws IOException {
    setAge(record, Duration.ofHours(2));
    Instant before = Instant.now().minusSeconds(1);
    for (int hit = 0; hit < 3; hit++) {
      assertThat(found()).contains(stored);
    }

    assertThat(touched).containsExactly(record);
    assertThat(modified(record)).isAfter(before);
  }

  @Test
  void find_recordUsedMinutesAgo_writesNothing() throws IOException {
    FileTime time = setAge(record, Duration.ofMinutes(59));

    assertThat(found()).isPresent();
    assertThat(Files.getLastModifiedTime(record)).isEqualTo(time);
    assertThat(touched).isEmpty();
  }

  @Test
  void find_recordUsedInTheFuture_isNotSetBack() throws IOException {
    FileTime time = setAge(record, Duration.ofHours(-5));

    assertThat(found()).isPresent();
    assertThat(Files.getLastModifiedTime(record)).isEqualTo(time);
  }

  @Test
  void record_thatIsReadOnlyOrWithoutCodeObject_isNotUsed() throws IOException {
    setAge(record, Duration.ofHours(2));
    assertThat(store.record(Request.of(entry), TOOLCHAIN)).isPresent();
    Files.delete(image(entry));
    assertThat(found()).isEmpty();

    assertThat(store.entries()).hasSize(1);
    assertThat(touched).isEmpty();
  }

  @Test
  void find_leavesTheTimesOfTheCodeObjectAndTheList() throws IOException {
    Path image = image(entry);
    Path list = list(entry);
    List<FileTime> times = List.of(setAge(image, days(9)), setAge(list, days(9)));
    setAge(record, days(9));
    assertThat(found()).isPresent();
    assertThat(store.dependencies(entry)).isPresent();

    assertThat(List.of(Files.getLastModifiedTime(image), Files.getLastModifiedTime(list)))
        .isEqualTo(times);
  }

  @Test
  void findNewest_ofSeveral_notesTheOneThatIsServedAndStillGoesByCreation() throws IOException {
    CacheEntry newer = entry("vadd.hip", code, digest("b"), entry.created().plusSeconds(1));
    put(newer, code);
    Path newerRecord = record(newer);
    touched.clear();
    setAge(record, Duration.ofHours(2));
    setAge(newerRecord, days(400));

    assertThat(findNewest(store, Request.of(entry))).contains(new StoredEntry(newer, code));
    assertThat(touched).containsExactly(newerRecord);
  }

  @Test
  void find_inALayer_changesNothing() throws IOException {
    FileTime time = setAge(record, days(9));
    assertThat(find(Layer.in(root), Request.of(entry), TOOLCHAIN)).isPresent();
    DiskStore filled = DiskStore.open(root, Access.LAYER, files);
    assertThat(found(filled)).isPresent();

    assertThat(Files.getLastModifiedTime(record)).isEqualTo(time);
  }

  @Test
  void find_recordThatCannotBeTouched_isServed() throws IOException {
    setAge(record, days(9));
    DiskStore failing = open(failing("touch", "Operation not permitted"));

    assertThat(found(failing)).contains(stored);
  }

  @Test
  void put_listThatIsThere_getsTheTimeOfThisPut() throws IOException {
    Path list = list(entry);
    setAge(list, days(9));
    Instant before = Instant.now().minusSeconds(1);
    put();

    assertThat(modified(list)).isAfter(before);
  }

  private static Duration days(int days) {
    return Duration.ofDays(days);
  }

  private static Instant modified(Path file) throws IOException {
    return Files.getLastModifiedTime(file).toInstant();
  }

  /** Returns the time that it set. */
  private static FileTime setAge(Path file, Duration age) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
    return Files.getLastModifiedTime(file);
  }
}
