// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.toolchain.AccessList;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

  /** What Linux has two files for, or one, Windows may have one or none for. */
  @Test
  void put_onWindows_refusesWhatHasNoFileOfItsOwn() throws IOException {
    try (FileSystem drive = WindowsFiles.create();
        Staging staging = Staging.create(() -> WindowsFiles.home(drive))) {
      staging.put(file("src/a b/console.h"));
      staging.put(file("src/com10.h"));
      for (String name :
          List.of(
              "src/aux.h",
              "src/NUL/a.h",
              "src/com1",
              "src/lpt\u00b2.x.h",
              "src/a.",
              "src/a ",
              "src/b:c.h",
              "src/b\\c.h")) {
        assertThatThrownBy(() -> staging.put(file(name)))
            .as(name)
            .isInstanceOf(UnusableNameException.class)
            .hasMessageStartingWith("Windows has no file '" + name + "', since '")
            .hasMessageEndingWith("; rename it, or compile in WSL");
      }
      assertThatThrownBy(() -> staging.put(file("src/a b/Console.h")))
          .isInstanceOf(UnusableNameException.class)
          .hasMessage(
              "Windows has one file for 'src/a b/Console.h' and for another name that differs in"
                  + " case only; rename one of them, or compile in WSL");
    }
  }

  @Test
  void create_onWindows_isForThisUserAlone() throws IOException {
    try (FileSystem drive = WindowsFiles.create()) {
      Path home = WindowsFiles.home(drive);
      try (Staging staging = Staging.create(() -> home)) {
        staging.put(file("src/k.hip"));
        assertThat(AccessList.of(staging.resolve("src/k.hip")).writers()).isEmpty();
        assertThat(WindowsFiles.view(staging.work()).getAcl()).hasSize(1);
      }
      for (String name : List.of("kcache-1", "kcache-2")) {
        Files.createDirectory(home.resolve(name));
      }
      WindowsFiles.add(
          home.resolve("kcache-1"), WindowsFiles.allow(WindowsFiles.USERS, WindowsFiles.MODIFY));
      Files.setOwner(home.resolve("kcache-2"), WindowsFiles.principal("PC\\stranger"));

      Staging.sweep(home, Instant.now().plus(Duration.ofDays(2)));

      assertThat(home.resolve("kcache-1")).exists();
      assertThat(home.resolve("kcache-2")).exists();
    }
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
  void put_whereADirectoryIsInUse_fails() throws IOException {
    try (Staging staging = Staging.create(() -> parent)) {
      staging.put(file("a/b"));

      assertThatThrownBy(() -> staging.put(file("a"))).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> staging.put(file("a/b")))
          .isInstanceOf(FileAlreadyExistsException.class);

      assertThat(staging.work().resolve("a/b")).hasContent("text");
    }
  }

  private static Toolchain.SourceFile file(String path) {
    return new Toolchain.SourceFile(path, UTF_8.encode("text"));
  }

  @Test
  void sweep_ofAProcessThatWasKilled_removesItAtOnce() throws Exception {
    try (Staging own = Staging.create(() -> parent)) {
      Process child = holder();
      Path left = Path.of(child.inputReader().readLine());
      Staging.sweep(parent, NOW.plus(Duration.ofDays(2)));
      assertThat(left).as("while its process lives").isDirectory();

      child.destroyForcibly().waitFor();
      Staging.sweep(parent, Instant.now());

      assertThat(left).doesNotExist();
      assertThat(own.work()).isDirectory();
    }
  }

  @Test
  void sweep_numberOfADeadProcessIsUsedAgain_removesItAtOnce() throws Exception {
    StagingOwner here = StagingOwner.thisProcess(Path.of("/proc")).orElseThrow();
    Path reused =
        owned("kcache-1", new StagingOwner(here.machine(), here.namespaces(), here.pid(), "1"));

    Staging.sweep(parent, NOW);

    assertThat(reused).doesNotExist();
  }

  @Test
  void sweep_ofAProcessOutOfSight_removesItByAge() throws Exception {
    StagingOwner here = StagingOwner.thisProcess(Path.of("/proc")).orElseThrow();
    long pid = Long.MAX_VALUE / 10;
    List<Path> unseen =
        List.of(
            owned("kcache-1", new StagingOwner(here.machine(), "pid:[1]", pid, "1")),
            owned("kcache-2", new StagingOwner("other", here.namespaces(), pid, "1")));

    Staging.sweep(parent, NOW);
    assertThat(unseen).allSatisfy(root -> assertThat(root).isDirectory());
    Staging.sweep(parent, NOW.plus(Duration.ofHours(25)));

    assertThat(unseen).allSatisfy(root -> assertThat(root).doesNotExist());
  }

  private Path owned(String name, StagingOwner owner) throws IOException {
    Path root = directory(name, Duration.ZERO);
    Files.writeString(root.resolve("owner"), owner.toString());
    return Files.setLastModifiedTime(root, FileTime.from(NOW));
  }

  /** Makes a staging directory, prints where, and waits to be ended. */
  static final class Holder {
    public static void main(String[] arguments) throws Exception {
      System.out.println(Staging.create(() -> Path.of(arguments[0])).work().getParent());
      System.in.read();
    }
  }

  private Process holder() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Holder.class.getName(),
            parent.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
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
