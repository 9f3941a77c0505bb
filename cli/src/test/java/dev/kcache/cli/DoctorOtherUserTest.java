// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The report of a process whose user the kernel keeps from AMD's device files. Root becomes that
 * user; anybody else takes the permission from files of its own.
 */
@Timeout(60)
class DoctorOtherUserTest {
  /** A group that has no name. */
  private static final int NAMELESS = 64_123;

  @TempDir private Path directory;
  private boolean root;
  private Path machine;
  private Path kfd;
  private Path gpu;

  @BeforeEach
  void createDevices() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    root = Files.getAttribute(directory, "unix:uid").equals(0);
    machine = directory.resolve("machine");
    kfd = create("dev/kfd");
    gpu = create("dev/dri/renderD128");
    Path cache = Files.createDirectory(directory.resolve("cache"));
    if (root) {
      Files.setAttribute(cache, "unix:uid", Programs.NOBODY);
    }
  }

  @Test
  void kfdOfAGroup_namesTheGroupToJoinAndIsNoFailure() throws Exception {
    int video = KernelDriverChecksTest.group("video");
    deny(kfd, video);

    Run run = doctor("--clear-groups");

    assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
    assertThat(run.out()).contains("ok    compile ");
    assertThat(run.out())
        .contains(
            root
                ? """
                warn  kfd         this user may not open /dev/kfd, which belongs to the group video (gid %1$d): Permission denied
                                  fix: 'sudo usermod -aG video USER' and log in again, or start a container with --device /dev/kfd --device /dev/dri --group-add %1$d
                """
                    .formatted(video)
                : "warn  kfd         this user may not open /dev/kfd, which belongs to ");
  }

  @Test
  void gpuOfAnotherGroup_namesThatOne() throws Exception {
    int video = KernelDriverChecksTest.group("video");
    if (root) {
      give(kfd, video);
    }
    deny(gpu, NAMELESS);

    Run run = doctor("--groups=" + video);

    assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
    assertThat(run.out())
        .contains(
            root
                ? """
                warn  kfd         this user may not open /dev/dri/renderD128, which belongs to gid %1$d: Permission denied
                                  fix: start a container with --device /dev/kfd --device /dev/dri --group-add %1$d; outside, 'sudo groupadd -g %1$d render' gives it a name to join
                """
                    .formatted(NAMELESS)
                : "warn  kfd         this user may not open /dev/dri/renderD128, which belongs to ");
  }

  @Test
  void memberOfBothGroups_mayOpenThem() throws Exception {
    int video = KernelDriverChecksTest.group("video");
    if (root) {
      give(kfd, video);
      give(gpu, NAMELESS);
    }

    Run run = doctor("--groups=" + video + "," + NAMELESS);

    assertThat(run.out())
        .contains("ok    kfd         this user may open /dev/kfd and /dev/dri/renderD*\n");
  }

  private Run doctor(String groups) throws Exception {
    List<String> command =
        Programs.java(
            RootedCommand.class, List.of("-XX:TieredStopAtLevel=1"), machine.toString(), "doctor");
    // Nothing of this machine's: no rocminfo in PATH, and no runtime.
    String nothing = directory.resolve("nothing").toString();
    Map<String, String> environment =
        Map.of(
            "PATH",
            nothing,
            "KCACHE_HIP_LIBRARY",
            nothing,
            "KCACHE_ARCH",
            "gfx90a",
            "KCACHE_DIR",
            directory.resolve("cache").toString());
    return Programs.run(
        Programs.builder(
            directory, environment, root ? Programs.asNobody(List.of(groups), command) : command));
  }

  /** Has a file that the user of the command may not open. */
  private void deny(Path file, int group) throws IOException {
    if (root) {
      give(file, group);
    } else {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
    }
  }

  private static void give(Path file, int group) throws IOException {
    Files.setAttribute(file, "unix:gid", group);
  }

  private Path create(String name) throws IOException {
    Path file = machine.resolve(name);
    Files.createDirectories(file.getParent());
    Files.createFile(file);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
  }
}
