// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.age;
import static dev.kcache.cache.store.Fixtures.digest;
import static dev.kcache.cache.store.Fixtures.entry;
import static dev.kcache.cache.store.Fixtures.find;
import static dev.kcache.cache.store.Fixtures.remove;
import static dev.kcache.cache.store.Fixtures.variant;
import static dev.kcache.cache.store.StepHookFileOperations.failing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.Removed;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a removal takes, and what it leaves to those who may need it. */
class EntryRemoverTest extends StoreTestBase {
  private final CodeObject one = variant("gfx90a", 1);
  private final CodeObject two = variant("gfx90a", 2);
  private final CacheEntry first = entry("first.hip", one);
  private final CacheEntry second = entry("second.hip", two);

  private EntryRemover remover;

  @BeforeEach
  void putTwoEntries() throws IOException {
    remover = new EntryRemover(directory, FileOperations.of(root), Access.PRIVATE, () -> {});
    put(first, one);
    put(second, two);
  }

  @Test
  void remove_codeObjectOfAnotherRecordToo_leavesIt() throws IOException {
    CacheEntry sharing = entry("sharing.hip", one);
    put(sharing, one);

    remove(remover, List.of(recordFile(first)));

    assertThat(find(store, "sharing.hip", one)).isPresent();
  }

  @Test
  void remove_codeObjectThatAWriterHasJustWrittenAgain_leavesItForItsRecord() throws IOException {
    age(record(first), Duration.ofMinutes(1));

    remove(remover, List.of(recordFile(first)));

    assertThat(image(first)).exists();
  }

  @Test
  void remove_recordOfALaterVersion_keepsWhatThatNames() throws IOException {
    Path later = directory.record(Request.of(first), digest("later")).file();
    Files.writeString(
        later, "{\"schema\":\"kcache.record/9\",\"object\":\"" + one.digest() + "\"}\n");

    remove(remover, List.of(recordFile(first), recordFile(second)));

    assertThat(image(first)).exists();
    assertThat(image(second)).doesNotExist();
  }

  @Test
  void remove_recordThatCannotBeRead_keepsEveryCodeObjectOfItsTarget() throws IOException {
    Path unreadable = record(second);
    EntryRemover failing =
        new EntryRemover(
            directory, failing("read", "Input/output error", unreadable), Access.PRIVATE, () -> {});

    Removed removed = remove(failing, List.of(recordFile(first)));

    assertThat(removed.entries()).isEqualTo(1);
    assertThat(removed.failure().orElseThrow()).contains("Input/output error");
    assertThat(image(first)).exists();
    assertThat(find(store, "second.hip", two)).isPresent();
  }

  @Test
  void selection_recordUsedSince_staysWithWhatItNames() throws IOException {
    age(record(first), Duration.ofHours(2));
    RemovalPlan everything = store.maintenance().planAll();
    find(store, "first.hip", one);

    assertThat(everything.remove(() -> false).entries()).isEqualTo(1);
    assertThat(find(store, "first.hip", one)).isPresent();
    assertThat(find(store, "second.hip", two)).isEmpty();
  }

  @Test
  void remove_recordThatIsGone_isNoFailure() {
    List<RecordFile> records = directory.listing().records();
    remove(remover, records);

    assertThat(remove(remover, records)).isEqualTo(new Removed(0, 0, Optional.empty()));
  }

  @Test
  void removeUnreferenced_takesOldOnesOnly() throws IOException {
    Files.delete(record(first));
    Files.delete(record(second));
    age(image(first), EntryRemover.GRACE.plusMinutes(1));
    age(image(second), EntryRemover.GRACE.minusMinutes(1));

    Removed removed = remover.removeUnreferenced();

    assertThat(removed).isEqualTo(new Removed(0, DiskSpace.of(one.size()), Optional.empty()));
    assertThat(image(first)).doesNotExist();
    assertThat(image(second)).exists();
    assertThat(directory.listing().temporariesIn(directory.root())).isEmpty();
  }

  @Test
  void selection_ofEverything_leavesTheLockAndWhatIsYoung() throws IOException {
    Files.createFile(directory.lock());
    Path busy = Files.createFile(directory.temporaryIn(directory.root()));
    Path left = Files.createFile(directory.temporaryIn(directory.root()));
    age(left, Sweeper.LEFTOVER_AGE.plusMinutes(1));
    Path quarantined = directory.newQuarantined(image(first));
    Files.createDirectories(quarantined.getParent());
    Files.writeString(quarantined, "damaged");

    long before = used();

    RemovalPlan everything = store.maintenance().planAll();

    assertThat(everything.records()).isEqualTo(2);
    Removed planned = everything.simulate();
    assertThat(quarantined).exists();
    assertThat(everything.remove(() -> false)).isEqualTo(planned);
    assertThat(planned.entries()).isEqualTo(2);
    assertThat(planned.bytes()).isEqualTo(before - used());
    assertThat(DirectoryListing.list(directory.root()))
        .containsExactlyInAnyOrder(
            directory.lock(), directory.sweepMark(), directory.quarantine(), busy);
    assertThat(directory.quarantine()).isEmptyDirectory();
  }

  private long used() {
    return DiskSpace.ofTree(directory.root());
  }

  private RecordFile recordFile(CacheEntry entry) {
    return directory.record(Request.of(entry), entry.toolchain());
  }
}
