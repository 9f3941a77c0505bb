// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.DEPENDENCIES;
import static dev.kcache.cache.store.Fixtures.variant;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.standin.OnWindows;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that others hold open, on a stand-in for a drive of Windows. */
class WindowsFileOperationsTest extends StoreTestBase implements OnWindows {
  /** More than any step is tried. */
  private static final int FOR_EVER = 1000;

  private final NtfsFileOperations files = new NtfsFileOperations();

  @BeforeEach
  void putOnce() throws IOException {
    put();
    store = open(files);
  }

  @Test
  void fileSystem_choosesTheSteps() {
    assertThat(FileOperations.of(temp)).isInstanceOf(WindowsFileOperations.class);
    assertThat(FileOperations.of(Path.of("/"))).isExactlyInstanceOf(FileOperations.class);
  }

  @Test
  void readAndDigest_areOfAllUpToTheLimit() throws IOException {
    Path file = temp.resolve("file");
    byte[] content = new byte[200_000];
    new Random(1).nextBytes(content);
    Files.createFile(file);
    files.write(file, ByteBuffer.wrap(new byte[300_000]));
    files.write(file, ByteBuffer.wrap(content));
    files.force(file);

    assertThat(files.read(file, 1 << 20)).isEqualTo(content);
    assertThat(files.read(file, 70_000)).isEqualTo(Arrays.copyOf(content, 70_000));
    assertThat(files.digest(file)).isEqualTo(Digest.of(content));
    assertThatThrownBy(() -> files.read(temp.resolve("missing"), 1))
        .isInstanceOf(FileNotFoundException.class);
    assertThatThrownBy(() -> files.digest(temp)).isInstanceOf(FileNotFoundException.class);
    assertThat(files.count(temp)).isEqualTo(2);
    assertThat(files.freeBytes(temp)).isPositive();
  }

  @Test
  void interruptedThread_doesAllAndStaysInterrupted() throws IOException {
    Path file = Files.createFile(temp.resolve("file"));
    Path other = Files.createFile(temp.resolve("other"));
    files.hold(other, 3);
    Thread.currentThread().interrupt();
    files.write(file, ByteBuffer.wrap(new byte[] {1, 2}));
    files.force(file);
    files.rename(file, other);
    byte[] read = files.read(other, 9);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(read).containsExactly(1, 2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void rename_overAFileThatIsOpenForAMoment_waits(boolean denied) throws IOException {
    if (denied) {
      files.denyAccess();
    }
    for (Path file : List.of(image(entry), record(entry))) {
      files.hold(file, 6);
    }
    store.put(entry, code, DEPENDENCIES);

    assertThat(files.paused()).isGreaterThan(Duration.ofSeconds(1)).isLessThan(seconds(2));
    assertThat(found()).contains(stored);
    assertThat(temporaries()).isEmpty();
  }

  @Test
  void rename_overAFileThatStaysOpen_keepsTheOldOneWhichIsAsGood() throws IOException {
    String before = Files.readString(record(entry));
    files.hold(image(entry), FOR_EVER);
    files.hold(record(entry), FOR_EVER);
    CacheEntry later =
        Fixtures.entry(
            "vadd.hip", code, Fixtures.TOOLCHAIN, entry.created().plus(Duration.ofDays(1)));

    store.put(later, code, DEPENDENCIES);

    assertThat(Files.readString(record(entry))).isEqualTo(before);
    assertThat(found()).contains(stored);
    assertThat(temporaries()).isEmpty();
  }

  @Test
  void rename_overARecordOfAnotherResult_failsAndLosesNothing() throws IOException {
    CodeObject other = variant("gfx90a", 1);
    CacheEntry replacement = Fixtures.entry("vadd.hip", other);
    files.hold(record(entry), FOR_EVER);

    assertThatThrownBy(() -> store.put(replacement, other, DEPENDENCIES))
        .isInstanceOf(FileInUseException.class)
        .hasMessageStartingWith(
            record(entry) + " is held open by another program, such as a virus scanner");
    assertThat(files.paused()).isGreaterThan(Duration.ofSeconds(1)).isLessThan(seconds(2));
    assertThat(found()).contains(stored);
    assertThat(temporaries()).isEmpty();
  }

  @Test
  void rename_overADamagedFileThatStaysOpen_fails() throws IOException {
    Files.write(image(entry), new byte[10]);
    files.hold(image(entry), FOR_EVER);

    assertThatThrownBy(() -> store.put(entry, code, DEPENDENCIES))
        .isInstanceOf(FileInUseException.class);
    assertThat(found()).isEmpty();
    files.hold(image(entry), 0);
    store.put(entry, code, DEPENDENCIES);
    assertThat(found()).contains(stored);
  }

  @Test
  void damagedFileThatStaysOpen_isAMissAndStays() throws IOException {
    Files.write(image(entry), new byte[10]);
    files.hold(image(entry), FOR_EVER);

    assertThat(found()).isEmpty();
    assertThat(store.quarantined()).isZero();
    assertThat(image(entry)).exists();
  }

  @Test
  void delete_ofAFileThatIsOpen_isTriedForAMomentAndLeftToTheNext() throws IOException {
    files.hold(image(entry), FOR_EVER);
    files.hold(record(entry), 2);

    assertThat(store.maintenance().planAll().remove(() -> false).failure().orElseThrow())
        .startsWith("'" + image(entry) + "' cannot be removed")
        .contains("it is being used by another process");
    assertThat(files.paused()).isLessThan(seconds(1));
    assertThat(image(entry)).exists();
    assertThat(record(entry)).doesNotExist();

    // What no record names may be a writer's for a day.
    files.hold(image(entry), 0);
    Fixtures.age(image(entry), Duration.ofDays(2));
    assertThat(store.maintenance().planAll().remove(() -> false).failure()).isEmpty();
    assertThat(image(entry)).doesNotExist();
  }

  @Test
  void whatHasAnotherReason_isNotTriedAgain() {
    assertThatThrownBy(() -> files.rename(temp.resolve("missing"), temp.resolve("to")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> files.delete(root)).isInstanceOf(DirectoryNotEmptyException.class);
    assertThat(files.paused()).isZero();
  }

  /** Windows keeps others from reading a byte that is locked. */
  @Test
  void lockFile_isNeitherReadNorWritten() throws Exception {
    List<Path> touched = new CopyOnWriteArrayList<>();
    DiskStore watched =
        open(
            new StepHookFileOperations(
                (step, operation, path) -> {
                  if (!operation.equals("createFile") && !operation.equals("createDirectory")) {
                    touched.add(path);
                  }
                }));
    watched.requestLock().exclusively(Request.of(entry), Optional::empty, () -> code);
    watched.settle();
    watched.put(entry, code, DEPENDENCIES);
    assertThat(watched.entries()).hasSize(1);
    assertThat(watched.asLayer().files().values()).noneMatch(all -> all.contains(directory.lock()));
    var unused = watched.maintenance().repair((where, done, total) -> {});
    assertThat(watched.maintenance().health().fault()).isEmpty();

    assertThat(directory.lock()).exists();
    assertThat(touched).isNotEmpty();
    assertThat(touched).doesNotContain(directory.lock());
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  private List<Path> temporaries() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(DirectoryLayout::hasTemporaryName).toList();
    }
  }
}
