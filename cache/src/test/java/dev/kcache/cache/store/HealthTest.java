// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.codeObject;
import static dev.kcache.cache.store.Fixtures.entry;
import static dev.kcache.cache.store.StepHookFileOperations.failing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cache.directory.DirectoryHealth.Counts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a look over a directory finds, and that the look changes nothing. */
class HealthTest extends StoreTestBase {
  @BeforeEach
  void putTwoEntries() throws IOException {
    put();
    store.put(
        entry("vsub.hip", codeObject("gfx1030")), codeObject("gfx1030"), Fixtures.DEPENDENCIES);
  }

  @Test
  void sound_hasEntriesAndNothingElse() throws IOException {
    assertThat(store.maintenance().health())
        .usingRecursiveComparison()
        .ignoringFields("freeBytes")
        .isEqualTo(
            new DirectoryHealth(
                root,
                true,
                Optional.empty(),
                Optional.empty(),
                new Counts(2, 0, 0, 0, 0),
                sizeOfAll(),
                0));
    assertThat(store.maintenance().health().freeBytes()).isPositive();
  }

  @Test
  void codeObjectOrDependenciesGone_isAnIncompleteEntry() throws IOException {
    for (Path file : directory.contentsOf(entry)) {
      Files.delete(file);
      assertThat(counts()).isEqualTo(new Counts(1, 1, 0, 0, 0));
      put();
    }
  }

  @Test
  void leftovers_areCountedWhereverTheyAre() throws IOException {
    Files.createFile(directory.temporaryIn(root));
    Files.createFile(directory.temporaryIn(directory.requestDirectory(Request.of(entry))));
    Files.createFile(
        Files.createDirectories(directory.staging().resolve("kcache-1")).resolve("out.co"));

    assertThat(counts().leftovers()).isEqualTo(3);
  }

  @Test
  void missingDirectory_isNoFaultAndIsNotMade() {
    Path missing = temp.resolve("a/b");

    DirectoryHealth health = open(missing).maintenance().health();

    assertThat(health.exists()).isFalse();
    assertThat(health.fault()).isEmpty();
    assertThat(health.counts().entries()).isZero();
    assertThat(health.freeBytes()).isPositive();
    assertThat(temp.resolve("a")).doesNotExist();
  }

  @Test
  void fullDirectory_isAFaultAlthoughItsPermissionsAllowWriting() throws IOException {
    StepHookFileOperations full = failing("write", "No space left on device");

    DirectoryHealth health = open(full).maintenance().health();

    assertThat(health.fault())
        .contains(
            "cache directory "
                + root
                + " cannot be written (No space left on device); make room"
                + " there or choose another one");
    assertThat(health.counts().entries()).isEqualTo(2);
    assertThat(health.counts().leftovers()).isZero();
  }

  @Test
  void directoryOfWhichNoRoomHelps_isLeftForAnother() throws IOException {
    DirectoryHealth health = open(failing("write", "Read-only file system")).maintenance().health();

    assertThat(health.fault())
        .contains(
            "cache directory "
                + root
                + " cannot be written (Read-only file system); set KCACHE_DIR or --cache-dir to a directory that"
                + " can be written");
  }

  @Test
  void lockThatAnotherHolds_isNoFault() throws Exception {
    try (var held = new LockFile(directory.lock(), Access.PRIVATE).tryLock(0).orElseThrow()) {
      assertThat(held.isValid()).isTrue();
      assertThat(store.maintenance().health().lockFault()).isEmpty();
    }
  }

  @Test
  void untrustedDirectory_countsNothing() throws IOException {
    assertThat(root.toFile().setWritable(true, false)).isTrue();

    DirectoryHealth health = open().maintenance().health();

    assertThat(health.fault().orElseThrow()).contains("can be written by other users");
    assertThat(health.counts().entries() + health.counts().unusable() + health.bytes()).isZero();
  }

  @Test
  void layer_isLookedAtAndNotTouched() throws IOException {
    long size = sizeOfAll();

    DirectoryHealth health = Layer.in(root).health();

    assertThat(health.counts().entries()).isEqualTo(2);
    assertThat(health.bytes()).isEqualTo(size);
    assertThat(directory.lock()).doesNotExist();
    assertThat(directory.beats()).doesNotExist();
  }

  private Counts counts() {
    return store.maintenance().health().counts();
  }

  private long sizeOfAll() throws IOException {
    return store.maintenance().planAll().simulate().bytes();
  }
}
