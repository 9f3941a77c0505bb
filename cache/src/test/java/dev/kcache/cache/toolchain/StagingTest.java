// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cache.Toolchain;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagingTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  @TempDir Path parent;

  @Test
  void sweep_removesWhatKilledProcessesLeftAndNothingElse() throws IOException {
    Path left = directory("kcache-12345", Duration.ofHours(25));
    Path inUse = directory("kcache-67890", Duration.ofHours(23));
    Path other = directory("kcache-notes", Duration.ofDays(9));
    Path precious = directory("precious", Duration.ofDays(9));
    Path link = Files.createSymbolicLink(parent.resolve("kcache-777"), precious);

    Staging.sweep(parent, NOW);

    assertThat(left).doesNotExist();
    for (Path kept : new Path[] {inUse, other, precious, link}) {
      assertThat(kept.resolve("work/f.hip")).exists();
    }
  }

  @Test
  void sweep_leavesWhatIsNotOnlyOurs() throws IOException {
    Path theirs = directory("kcache-1", Duration.ofDays(9));
    Path open = directory("kcache-2", Duration.ofDays(9));
    assumeTrue(Files.getAttribute(theirs, "unix:uid").equals(0), "only root can give files away");
    Files.setAttribute(theirs, "unix:uid", 65534);
    Files.setAttribute(open, "unix:mode", 0777);

    Staging.sweep(parent, NOW);

    assertThat(theirs.resolve("work/f.hip")).exists();
    assertThat(open.resolve("work/f.hip")).exists();
  }

  @Test
  void create_isPrivateAndUnpredictable() throws IOException {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      try (Staging staging = Staging.create(() -> parent)) {
        Path root = staging.work().getParent();
        assertThat(root.getParent()).isEqualTo(parent.toRealPath());
        assertThat(Files.getPosixFilePermissions(root))
            .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        // A shorter one of 64 bits is one in 18,000.
        assertThat(root.getFileName().toString()).matches("kcache-\\d{15,20}");
        names.add(root.toString());
      }
    }
    assertThat(names).hasSize(3);
  }

  @Test
  void create_whereOthersCouldExchangeIt_goesToTheSystemsDirectory() throws IOException {
    Files.setAttribute(parent, "unix:mode", 0777);
    Path link =
        Files.createSymbolicLink(
            parent.resolve("tmp"), Files.createDirectory(parent.resolve("real")));
    for (Path unsafe : List.of(parent, link)) {
      try (Staging staging = Staging.create(() -> unsafe)) {
        assertThat(staging.work().getParent().getParent())
            .isEqualTo(Path.of(System.getProperty("java.io.tmpdir")).toRealPath());
      }
    }
  }

  @Test
  void empty_leavesDirectoriesAndUsualFilesWithoutText() throws IOException {
    try (Staging staging = Staging.create(() -> parent)) {
      Path root = staging.work().getParent();
      Files.writeString(Files.createDirectories(staging.work().resolve("src")).resolve("f.h"), "x");
      Files.writeString(staging.temporary().resolve("out.o"), "x");
      Files.writeString(Files.createDirectory(staging.beside("include")).resolve("f.h"), "x");
      Files.writeString(staging.beside("out.co"), "x");
      Files.writeString(staging.beside("out.d"), "x");
      Files.writeString(staging.beside(Staging.OUTPUT), "said");
      Files.writeString(staging.beside(Staging.ERRORS), "complained");

      staging.empty();

      try (Stream<Path> left = Files.walk(root)) {
        assertThat(left.filter(Files::isRegularFile))
            .containsExactlyInAnyOrder(
                staging.beside("spare0"),
                staging.temporary().resolve("out.o"),
                staging.beside("out.co"),
                staging.beside("out.d"),
                staging.beside(Staging.OUTPUT),
                staging.beside(Staging.ERRORS))
            .allSatisfy(file -> assertThat(file).isEmptyFile());
      }
    }
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void put_whereADirectoryStayed_takesItsPlace() throws IOException {
    try (Staging staging = Staging.create(() -> parent)) {
      staging.put(file("a/b"));
      staging.empty();

      staging.put(file("a"));

      assertThat(staging.work().resolve("a")).hasContent("text");
      assertThatThrownBy(() -> staging.put(file("a")))
          .as("twice")
          .isInstanceOf(FileAlreadyExistsException.class);
    }
  }

  @Test
  void put_afterOtherRuns_makesNoMoreFilesThanItHasTo() throws IOException {
    try (Staging staging = Staging.create(() -> parent)) {
      Set<Object> first = new HashSet<>();
      for (String path : List.of("a", "src/b")) {
        staging.put(file(path));
        first.add(Files.getAttribute(staging.work().resolve(path), "unix:ino"));
      }
      staging.empty();
      staging.put(file("c"));
      staging.empty();
      Set<Object> third = new HashSet<>();
      for (String path : List.of("src/d", "e", "f")) {
        staging.put(file(path));
        assertThat(staging.work().resolve(path)).hasContent("text");
        third.add(Files.getAttribute(staging.work().resolve(path), "unix:ino"));
      }

      assertThat(third).hasSize(3).containsAll(first);
      try (Stream<Path> left = Files.walk(staging.work())) {
        assertThat(left.filter(Files::isRegularFile)).hasSize(3);
      }
    }
  }

  @Test
  void put_whereADirectoryIsInUse_fails() throws IOException {
    try (Staging staging = Staging.create(() -> parent)) {
      staging.put(file("a/b"));

      assertThatThrownBy(() -> staging.put(file("a"))).isInstanceOf(IOException.class);

      assertThat(staging.work().resolve("a/b")).hasContent("text");
    }
  }

  private static Toolchain.SourceFile file(String path) {
    return new Toolchain.SourceFile(path, UTF_8.encode("text"));
  }

  @Test
  void empty_outputIsALink_leavesItsTargetAlone() throws IOException {
    Path precious = Files.writeString(parent.resolve("precious"), "x");
    try (Staging staging = Staging.create(() -> parent)) {
      Files.createSymbolicLink(staging.beside(Staging.OUTPUT), precious);

      assertThatThrownBy(staging::empty).isInstanceOf(IOException.class);
    }
    assertThat(precious).hasContent("x");
  }

  @Test
  void stagings_ofABatch_areUsedAgainAndDeletedAtTheEnd() throws IOException {
    Stagings stagings = new Stagings(() -> parent, true);
    Staging first = stagings.take();
    Staging second = stagings.take();
    assertThat(second.work()).isNotEqualTo(first.work());
    Files.writeString(first.work().resolve("f.hip"), "x");

    stagings.giveBack(first);
    assertThat(stagings.take()).isSameAs(first);
    assertThat(first.work()).isEmptyDirectory();
    stagings.giveBack(first);
    stagings.close();
    stagings.giveBack(second);

    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void stagings_thatCannotBeEmptied_areNotUsedAgain() throws IOException {
    try (Stagings stagings = new Stagings(() -> parent, true)) {
      Staging first = stagings.take();
      Files.createDirectory(first.beside(Staging.OUTPUT));

      stagings.giveBack(first);

      assertThat(stagings.take().work()).isNotEqualTo(first.work());
      assertThat(first.work()).doesNotExist();
    }
  }

  @Test
  void stagings_thatWereRemovedOrAreOpenToOthers_areNotUsedAgain() throws IOException {
    try (Stagings stagings = new Stagings(() -> parent, true)) {
      Staging removed = stagings.take();
      Staging open = stagings.take();
      stagings.giveBack(removed);
      stagings.giveBack(open);
      removed.close();
      Files.setAttribute(open.work().getParent(), "unix:mode", 0777);

      Staging another = stagings.take();

      assertThat(another.work()).isEmptyDirectory().isNotIn(removed.work(), open.work());
      another.close();
      open.close();
    }
  }

  @Test
  void stagings_whereNoneWouldBeMadeAnyMore_areDeletedInsteadOfUsed() throws IOException {
    Path full = Files.createDirectory(parent.resolve("full"));
    Path roomy = Files.createDirectory(parent.resolve("roomy"));
    AtomicReference<Path> place = new AtomicReference<>(full);
    try (Stagings stagings = new Stagings(place::get, true)) {
      stagings.giveBack(stagings.take());
      place.set(roomy);

      assertThat(stagings.take().isIn(roomy)).isTrue();
      assertThat(full).isEmptyDirectory();
    }
  }

  @Test
  void stagings_ofNoBatch_areDeletedAtOnce() {
    try (Stagings stagings = new Stagings(() -> parent, false)) {
      stagings.giveBack(stagings.take());

      assertThat(parent).isEmptyDirectory();
    }
  }

  @Test
  void sweep_missingDirectory_isNoFault() {
    Staging.sweep(parent.resolve("missing"), NOW);

    assertThat(parent).isEmptyDirectory();
  }

  private Path directory(String name, Duration age) throws IOException {
    Path directory = parent.resolve(name);
    Files.createDirectories(directory.resolve("work"));
    Files.writeString(directory.resolve("work/f.hip"), name);
    return Files.setLastModifiedTime(directory, FileTime.from(NOW.minus(age)));
  }
}
