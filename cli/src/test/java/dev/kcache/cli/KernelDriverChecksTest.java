// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** AMD's device files with every kind of owner, and versions that fit or don't. */
class KernelDriverChecksTest {
  private static final String RULE =
      "give it to a group with a udev rule, such as KERNEL==\"%s\", GROUP=\"render\", MODE=\"0660\"";

  @TempDir private Path root;
  private Path kfd;

  @BeforeEach
  void createDevices() throws IOException {
    kfd = create("dev/kfd");
    create("dev/dri/renderD128");
    create("dev/dri/renderD129");
  }

  @Test
  void devicesThatCanBeOpened_areWell() {
    assertThat(new KernelDriverChecks(root).devices())
        .isEqualTo(Check.ok("kfd", "this user may open /dev/kfd and /dev/dri/renderD*"));
  }

  @Test
  void noDriver_isANoteWithWhatAContainerNeeds() throws IOException {
    Files.delete(kfd);

    assertThat(new KernelDriverChecks(root).devices())
        .isEqualTo(
            Check.note(
                "kfd",
                "there is no /dev/kfd: nothing can be launched on AMD's GPUs here, a container gets"
                    + " them by --device /dev/kfd --device /dev/dri"));
  }

  @Test
  void containerWithoutItsGpus_isAWarning() throws IOException {
    Files.delete(root.resolve("dev/dri/renderD128"));
    Files.delete(root.resolve("dev/dri/renderD129"));

    assertThat(new KernelDriverChecks(root).devices())
        .isEqualTo(
            Check.warn(
                "kfd",
                "there is /dev/kfd, but no /dev/dri/renderD*: the runtime opens both",
                "start the container with --device /dev/kfd --device /dev/dri"));
  }

  @Test
  void deniedFile_namesItsGroupAndTheNumberForAContainer() throws IOException {
    give(kfd, group("video"));

    assertThat(denied("kfd"))
        .isEqualTo(
            Check.warn(
                "kfd",
                "this user may not open /dev/kfd, which belongs to the group video (gid %d): Permission denied"
                    .formatted(group("video")),
                "'sudo usermod -aG video USER' and log in again, or start a container with --device /dev/kfd --device /dev/dri --group-add "
                    + group("video")));
  }

  @Test
  void deniedFile_ofAGroupWithoutAName_tellsItsNumber() throws IOException {
    give(kfd, 64_123);

    assertThat(denied("kfd"))
        .isEqualTo(
            Check.warn(
                "kfd",
                "this user may not open /dev/kfd, which belongs to gid 64123: Permission denied",
                "start a container with --device /dev/kfd --device /dev/dri --group-add 64123; outside, 'sudo groupadd -g 64123 render' gives it a name to join"));
  }

  @Test
  void deniedFile_thatItsGroupMayNotUse_needsARule() throws IOException {
    give(kfd, group("video"));
    Files.setPosixFilePermissions(kfd, PosixFilePermissions.fromString("rw-r-----"));

    assertThat(denied("kfd").fix()).contains(RULE.formatted("kfd"));
  }

  /** Nobody should have to join root's group. */
  @Test
  void deniedFile_ofRootsGroup_needsARule() throws IOException {
    give(kfd, 0);

    assertThat(denied("kfd").detail()).contains("belongs to gid 0: ");
    assertThat(denied("kfd").fix()).contains(RULE.formatted("kfd"));
  }

  @Test
  void gpus_ofWhichOneCanBeOpened_areANoteAndElseAWarning() {
    assertThat(denied("renderD128"))
        .isEqualTo(
            Check.note(
                "kfd",
                "this user may open /dev/kfd and /dev/dri/renderD129, but not /dev/dri/renderD128"
                    + " (Permission denied)"));
    assertThat(denied("renderD128", "renderD129").detail())
        .startsWith("this user may not open /dev/dri/renderD128, which belongs to ");
  }

  /** As a container without the device in its list: the permissions would do. */
  @Test
  void fileThatCannotBeOpened_isAWarningWithTheReason() throws IOException {
    Files.delete(kfd);
    Files.createDirectory(kfd);

    assertThat(new KernelDriverChecks(root).devices().detail())
        .startsWith("this user may not open /dev/kfd, which belongs to ")
        .endsWith(": Is a directory");
  }

  @ParameterizedTest
  @CsvSource({
    "5.2.3, 4, true",
    "5.2.3, 5, false",
    "5.7.1, 5, false",
    "6.0.2, 5, true",
    "6.2.4, 6, false",
    "6.3.0, 6, true",
    "7.2.53211, 6, true",
    "5.2, 6, false",
    "newer, 6, true"
  })
  void codeObjectVersion_fitsTheRuntimeOrNot(String release, int version, boolean fits) {
    Check check =
        new KernelDriverChecks(root)
            .versions("HIP", release, Optional.of(release), OptionalInt.of(version));

    assertThat(check.status()).isEqualTo(fits ? Check.Status.OK : Check.Status.WARN);
  }

  private Check denied(String... names) {
    return new KernelDriverChecks(
            root,
            file ->
                Optional.of("Permission denied")
                    .filter(problem -> List.of(names).contains(file.getFileName().toString())))
        .devices();
  }

  private Path create(String name) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.createFile(file);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
  }

  static int group(String name) throws IOException {
    return Files.readAllLines(Path.of("/etc/group")).stream()
        .map(line -> line.split(":", -1))
        .filter(fields -> fields[0].equals(name))
        .map(fields -> Integer.parseInt(fields[2]))
        .findFirst()
        .orElseThrow();
  }

  private static void give(Path file, int group) throws IOException {
    Assumptions.assumeTrue(
        Files.getAttribute(file, "unix:uid").equals(0), "only root can give files away");
    Files.setAttribute(file, "unix:gid", group);
  }
}
