// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.DEPENDENCIES;
import static dev.kcache.cache.store.Fixtures.TOOLCHAIN;
import static dev.kcache.cache.store.Fixtures.entry;
import static dev.kcache.cache.store.Fixtures.find;
import static dev.kcache.cache.store.Fixtures.variant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.RecordingFileOperations.Operation;
import dev.kcache.cache.store.RecordingFileOperations.Step;
import dev.kcache.cache.torture.Judge;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whenever the power goes, and whatever the disk then makes of what was not forced, each entry is
 * right or a miss, and what a put has returned for is there. Exhaustive over the moments and the
 * outcomes; each is made as a real directory, for the store and for the judge that is not kcache.
 */
class PowerLossTest {
  private static final CodeObject OLD = variant("gfx90a", 1);
  private static final CodeObject NEW = variant("gfx90a", 2);
  private static final CodeObject OTHER = variant("gfx942", 3);

  @TempDir Path temp;
  private Path root;

  @BeforeEach
  void name() {
    root = temp.resolve("cache");
  }

  /** What to do, by way of these steps. */
  private interface Action {
    void run(FileOperations files) throws IOException;
  }

  /**
   * What a disk may hold after a loss of power.
   *
   * @param steps how many steps were made before
   * @param root where it is made
   */
  private record Outcome(int steps, Path root) {
    Optional<CodeObject> find(String name, CodeObject any) {
      DiskStore store = DiskStore.open(root, Access.PRIVATE);
      Optional<StoredEntry> found = Fixtures.find(store, name, any);
      assertThat(store.quarantined()).as("damage left by the loss").isZero();
      found.ifPresent(
          stored -> assertThat(stored.entry()).isEqualTo(entry(name, stored.codeObject())));
      // Without its list a record is as good as none.
      return found
          .filter(stored -> store.dependencies(stored.entry()).isPresent())
          .map(StoredEntry::codeObject);
    }
  }

  @Test
  void firstPut_isAMissUntilItReturns() throws Exception {
    List<Step> steps = steps(put("k", NEW));
    int committed = committed(steps);
    List<Outcome> outcomes = outcomes(Map.of(), steps);
    assertThat(Judge.faultsOf(roots(outcomes))).isEmpty();

    assertThat(outcomes).hasSizeGreaterThan(20);
    for (Outcome outcome : outcomes) {
      assertThat(outcome.find("k", NEW))
          .isIn(
              Optional.of(NEW), outcome.steps() < committed ? Optional.empty() : Optional.of(NEW));
      putAgain(outcome);
    }
  }

  @Test
  void putOverAnEntry_isThatOneOrTheNewOneUntilItReturns() throws Exception {
    steps(put("k", OLD));
    Map<Path, Optional<ByteBuffer>> before = LostPower.read(root);
    List<Step> steps = steps(put("k", NEW));
    int committed = committed(steps);
    List<Outcome> outcomes = outcomes(before, steps);
    assertThat(Judge.faultsOf(roots(outcomes))).isEmpty();

    for (Outcome outcome : outcomes) {
      assertThat(outcome.find("k", NEW))
          .isIn(Optional.of(NEW), Optional.of(outcome.steps() < committed ? OLD : NEW));
      putAgain(outcome);
    }
  }

  @Test
  void putOfWhatIsThere_isNeverAMiss() throws Exception {
    steps(put("k", NEW));
    Map<Path, Optional<ByteBuffer>> before = LostPower.read(root);
    List<Outcome> outcomes = outcomes(before, steps(put("k", NEW)));
    assertThat(Judge.faultsOf(roots(outcomes))).isEmpty();

    for (Outcome outcome : outcomes) {
      assertThat(outcome.find("k", NEW)).contains(NEW);
    }
  }

  /** It may be damaged, which costs another download, but never passes for an own compile. */
  @Test
  void fetchedEntry_isRightOrAMissAndKeepsItsSignatures() throws Exception {
    SignedRecord text = new SignedRecord(EntryCodec.encode(entry("k", NEW)), new byte[] {'s'});
    StoredEntry fetched = new StoredEntry(entry("k", NEW), NEW);
    steps(put("other", OLD));
    Map<Path, Optional<ByteBuffer>> before = LostPower.read(root);
    List<Step> all =
        steps(
            files ->
                DiskStore.open(root, Access.PRIVATE, files)
                    .putFetched(fetched, text, DEPENDENCIES));
    Path record = new DirectoryLayout(root).record(Request.of(fetched.entry()), TOOLCHAIN).file();
    // Without its record there is no entry; what follows is a sweep.
    List<Step> steps = all.subList(0, 1 + all.stream().map(Step::to).toList().indexOf(record));
    // Temporary files that are left are the other tests' business.
    Collection<Map<Path, Optional<ByteBuffer>>> outcomes =
        LostPower.outcomes(before, steps).stream()
            .filter(each -> each.keySet().stream().noneMatch(DirectoryLayout::hasTemporaryName))
            .toList();

    assertThat(outcomes).hasSizeGreaterThan(20);
    for (Map<Path, Optional<ByteBuffer>> content : outcomes) {
      Path made = made(content);
      Optional<StoredEntry> found = find(DiskStore.open(made, Access.PRIVATE), "k", NEW);
      assertThat(found.map(StoredEntry::codeObject)).isIn(Optional.empty(), Optional.of(NEW));
      if (found.isPresent()) {
        assertThat(found.get().entry()).isEqualTo(fetched.entry());
        assertThat(DirectoryLayout.signature(made.resolve(root.relativize(record)))).exists();
      }
    }
    assertThat(steps)
        .filteredOn(step -> step.operation().name().startsWith("FORCE"))
        .as("a download is not worth more waits for the disk")
        .hasSize(1);
  }

  /** A compile finds the list that a download has written, and leaves it as it is. */
  @Test
  void ownEntry_keepsTheListThatAFetchedOneBrought() throws Exception {
    CacheEntry fetched = entry("fetched", OLD);
    SignedRecord text = new SignedRecord(EntryCodec.encode(fetched), new byte[] {'s'});
    List<Step> steps =
        steps(
            files -> {
              DiskStore store = DiskStore.open(root, Access.PRIVATE, files);
              store.putFetched(new StoredEntry(fetched, OLD), text, DEPENDENCIES);
              store.put(entry("k", NEW), NEW, DEPENDENCIES);
            });
    assertThat(mayLose(Map.of(), steps.subList(0, committed(steps)))).isFalse();
  }

  @Test
  void eviction_losesNothingElse() throws Exception {
    steps(put("evicted", OTHER));
    steps(put("kept", OLD));
    Path evicted = new DirectoryLayout(root).targetDirectory(OTHER.target(), Fixtures.LABEL);
    FileTime yesterday = FileTime.from(Instant.now().minus(Duration.ofDays(1)));
    for (Path file : LostPower.read(evicted).keySet()) {
      Files.setLastModifiedTime(file, yesterday);
    }
    Map<Path, Optional<ByteBuffer>> before = LostPower.read(root);
    List<Step> steps = steps(this::evict);
    List<Outcome> outcomes = outcomes(before, steps);
    assertThat(Judge.faultsOf(roots(outcomes))).isEmpty();

    assertThat(evicted).doesNotExist();
    assertThat(outcomes).hasSizeGreaterThan(20);
    for (Outcome outcome : outcomes) {
      assertThat(outcome.find("kept", OLD)).contains(OLD);
      assertThat(outcome.find("evicted", OTHER)).isIn(Optional.empty(), Optional.of(OTHER));
      putAgain(outcome);
    }
  }

  @Test
  void firstPutWithoutAnyOneForce_couldBeLost() throws Exception {
    assertEachForceMatters(Map.of(), steps(put("k", NEW)), 9);
  }

  @Test
  void putOverAnEntryWithoutAnyOneForce_couldBeLost() throws Exception {
    steps(put("k", OLD));
    Map<Path, Optional<ByteBuffer>> before = LostPower.read(root);
    assertEachForceMatters(before, steps(put("k", NEW)), 4);
  }

  /** The promises rest on these steps, and the tests above would notice if one were missing. */
  private void assertEachForceMatters(
      Map<Path, Optional<ByteBuffer>> before, List<Step> all, int atLeast) throws IOException {
    List<Step> steps = all.subList(0, committed(all));
    int forced = 0;
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      if (step.operation() == Operation.FORCE || step.operation() == Operation.FORCE_DIRECTORY) {
        List<Step> fewer = new ArrayList<>(steps);
        fewer.remove(i);
        // What is forced once more before the end is only early: a kill between would be a miss.
        boolean isForcedLater =
            fewer.subList(i, fewer.size()).stream()
                .anyMatch(
                    later ->
                        later.operation() == step.operation() && later.path().equals(step.path()));
        assertThat(mayLose(before, fewer))
            .as("without step %d, %s", i, step)
            .isNotEqualTo(isForcedLater);
        forced++;
      }
    }
    assertThat(forced).isGreaterThanOrEqualTo(atLeast);
  }

  private boolean mayLose(Map<Path, Optional<ByteBuffer>> before, List<Step> steps)
      throws IOException {
    for (Map<Path, Optional<ByteBuffer>> content : LostPower.outcomes(before, steps)) {
      DiskStore store = DiskStore.open(made(content), Access.PRIVATE);
      Optional<StoredEntry> stored = find(store, "k", NEW);
      if (!stored.map(StoredEntry::codeObject).equals(Optional.of(NEW))
          || store.dependencies(stored.get().entry()).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private Path made(Map<Path, Optional<ByteBuffer>> content) throws IOException {
    Path made = Files.createTempDirectory(temp, "outcome").resolve("cache");
    LostPower.make(content, root, made);
    return made;
  }

  private static List<Path> roots(List<Outcome> outcomes) {
    return outcomes.stream().map(Outcome::root).toList();
  }

  private Action put(String name, CodeObject code) {
    return files ->
        DiskStore.open(root, Access.PRIVATE, files).put(entry(name, code), code, DEPENDENCIES);
  }

  private void evict(FileOperations files) throws IOException {
    DirectoryLayout directory = new DirectoryLayout(root);
    EntryRemover remover = new EntryRemover(directory, files, Access.PRIVATE, () -> {});
    long bytes = Inventory.of(directory).bytes();
    EvictionPolicy policy = new EvictionPolicy(OptionalLong.of(bytes - 1), Optional.empty());
    assertThat(
            new Evictor(directory, files, Access.PRIVATE, remover)
                .collect(policy, List.of(), () -> false)
                .entriesRemoved())
        .isEqualTo(1);
  }

  private static List<Step> steps(Action action) throws IOException {
    RecordingFileOperations files = new RecordingFileOperations();
    action.run(files);
    return files.steps();
  }

  /** Returns after how many steps a put is done with its entry; what follows is a sweep. */
  private static int committed(List<Step> steps) {
    int last = steps.size();
    while (steps.get(last - 1).operation() != Operation.FORCE_DIRECTORY) {
      last--;
    }
    return last;
  }

  private List<Outcome> outcomes(Map<Path, Optional<ByteBuffer>> before, List<Step> steps)
      throws IOException {
    Map<Map<Path, Optional<ByteBuffer>>, Integer> latest = new LinkedHashMap<>();
    for (int done = 0; done <= steps.size(); done++) {
      for (Map<Path, Optional<ByteBuffer>> content :
          LostPower.outcomes(before, steps.subList(0, done))) {
        latest.put(content, done);
      }
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (Map.Entry<Map<Path, Optional<ByteBuffer>>, Integer> each : latest.entrySet()) {
      outcomes.add(new Outcome(each.getValue(), made(each.getKey())));
    }
    return outcomes;
  }

  /** Whatever is there now does not keep the next one from being kept. */
  private static void putAgain(Outcome outcome) throws IOException {
    DiskStore store = DiskStore.open(outcome.root(), Access.PRIVATE, new RecordingFileOperations());
    store.put(entry("k", OLD), OLD, DEPENDENCIES);
    assertThat(outcome.find("k", OLD)).contains(OLD);
  }
}
