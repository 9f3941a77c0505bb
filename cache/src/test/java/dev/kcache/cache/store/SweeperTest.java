// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.age;
import static dev.kcache.cache.store.Fixtures.codeObject;
import static dev.kcache.cache.store.Fixtures.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SweeperTest extends StoreTestBase {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration DAY = Duration.ofDays(1);

  @BeforeEach
  void putAnEntry() throws IOException {
    put();
  }

  @Test
  void put_sweepDue_removesOldLeftoversOnly() throws IOException {
    List<Path> old = leftovers(DAY.plus(MINUTE));
    List<Path> young = leftovers(DAY.minus(MINUTE));
    List<Path> entries = List.of(image(entry), record(entry));
    for (Path file : entries) {
      age(file, Duration.ofDays(1000));
    }
    age(directory.sweepMark(), Duration.ofHours(2));
    CodeObject other = codeObject("gfx1030");
    put(entry("vadd.hip", other), other);

    assertThat(old).noneMatch(Files::exists);
    assertThat(young).allMatch(Files::exists);
    assertThat(found()).isPresent();
    assertThat(directory.listing().temporariesIn(root)).hasSize(1).isSubsetOf(young);
  }

  /** What was seen under its first name and then gets its own was left by nobody. */
  @Test
  void leftovers_fileThatGetsItsName_isNone() throws Exception {
    Path temporary = directory.temporaryIn(root);
    AtomicBoolean stop = new AtomicBoolean();
    FutureTask<Void> writer =
        new FutureTask<>(
            () -> {
              while (!stop.get()) {
                Files.writeString(temporary, "");
                Files.move(temporary, root.resolve("named"), StandardCopyOption.ATOMIC_MOVE);
              }
              return null;
            });
    new Thread(writer).start();
    List<Path> leftovers = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      leftovers.addAll(Inventory.of(directory).leftovers(Instant.now().minus(DAY)));
    }
    stop.set(true);

    writer.get();
    assertThat(leftovers).isEmpty();
  }

  /** As in {@code /var}, whose directory {@code tmp} is others' too. */
  @Test
  void put_sweepDue_leavesWhatHasNoNameOfOurs() throws IOException {
    List<Path> foreign = new ArrayList<>();
    for (Path parent : List.of(directory.staging(), directory.beats(), directory.quarantine())) {
      foreign.add(Files.writeString(Files.createDirectories(parent).resolve("notes"), "precious"));
    }
    for (Path file : foreign) {
      age(file, Duration.ofDays(1000));
    }
    age(directory.sweepMark(), Duration.ofHours(2));
    put();

    assertThat(foreign).allMatch(Files::exists);
  }

  @Test
  void put_sweptRecently_leavesEverything() throws IOException {
    List<Path> old = leftovers(DAY.plus(MINUTE));
    put();

    assertThat(old).allMatch(Files::exists);
  }

  @Test
  void put_sweepDue_keepsQuarantinedFilesForAWeek() throws IOException {
    Path old = quarantined(DAY.multipliedBy(7).plus(MINUTE));
    Path young = quarantined(DAY.multipliedBy(7).minus(MINUTE));
    age(directory.sweepMark(), Duration.ofHours(2));
    put();

    assertThat(old).doesNotExist();
    assertThat(young).exists();
  }

  @Test
  void put_symbolicLinkInStaging_removesTheLinkAndNotWhatItNames() throws IOException {
    Path precious = Files.createDirectory(root.resolve("precious"));
    Files.writeString(precious.resolve("file"), "kept");
    Path staging = Files.createDirectory(store.stagingParent().orElseThrow().resolve("kcache-123"));
    Files.createSymbolicLink(staging.resolve("link"), precious);
    age(staging, Duration.ofDays(2));
    age(directory.sweepMark(), Duration.ofHours(2));
    put();

    assertThat(staging).doesNotExist();
    assertThat(precious.resolve("file")).hasContent("kept");
  }

  /** Makes what writers and compiles that were killed leave. */
  private List<Path> leftovers(Duration age) throws IOException {
    List<Path> leftovers = new ArrayList<>();
    Path image = image(entry);
    for (Path parent :
        List.of(root, image.getParent(), directory.requestDirectory(Request.of(entry)))) {
      leftovers.add(Files.createFile(directory.temporaryIn(parent)));
    }
    Files.createDirectories(directory.beats());
    leftovers.add(
        Files.createFile(directory.beat(Request.of(entry), age.compareTo(DAY) > 0 ? 1 : 0)));
    Path staging = store.stagingParent().orElseThrow().resolve("kcache-" + age.toMinutes());
    Files.createDirectories(staging.resolve("include"));
    Files.writeString(staging.resolve("include/a.h"), "");
    leftovers.add(staging);
    for (Path leftover : leftovers) {
      age(leftover, age);
    }
    return leftovers;
  }

  private Path quarantined(Duration age) throws IOException {
    Files.createDirectories(directory.quarantine());
    Path file = Files.createFile(directory.newQuarantined(Path.of("some.co")));
    age(file, age);
    return file;
  }
}
