// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static dev.kcache.toolchain.standin.WindowsFiles.ALL;
import static dev.kcache.toolchain.standin.WindowsFiles.AUTHENTICATED;
import static dev.kcache.toolchain.standin.WindowsFiles.MODIFY;
import static dev.kcache.toolchain.standin.WindowsFiles.USERS;
import static dev.kcache.toolchain.standin.WindowsFiles.allow;
import static dev.kcache.toolchain.standin.WindowsFiles.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.AclEntry;
import java.nio.file.attribute.AclEntryFlag;
import java.nio.file.attribute.AclEntryPermission;
import java.nio.file.attribute.AclEntryType;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** On a stand-in for a drive of Windows: none of this has run on Windows. */
class AccessListTest {
  private FileSystem drive;
  private Path home;

  @BeforeEach
  void format() throws IOException {
    drive = WindowsFiles.create();
    home = WindowsFiles.home(drive);
  }

  @AfterEach
  void remove() throws IOException {
    drive.close();
  }

  @Test
  void fileSystems_areToldByTheirAttributes() {
    assertThat(AccessList.isKeptBy(drive)).isTrue();
    assertThat(AccessList.isKeptBy(FileSystems.getDefault())).isFalse();
  }

  @Test
  void file_inAProfile_isWrittenByNobodyElse() throws IOException {
    AccessList list = AccessList.of(Files.createFile(home.resolve("file")));

    assertThat(list.isMine()).isTrue();
    assertThat(list.writers()).isEmpty();
    assertThat(list.readers()).isEmpty();
    assertThat(list.isExchangeable()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = AclEntryPermission.class,
      names = {"WRITE_DATA", "APPEND_DATA", "DELETE", "DELETE_CHILD", "WRITE_ACL", "WRITE_OWNER"})
  void anyRightToChange_isOneToWrite(AclEntryPermission right) throws IOException {
    Path file = Files.createFile(home.resolve("file"));
    WindowsFiles.add(file, allow(USERS, EnumSet.of(right)));

    assertThat(AccessList.of(file).writers()).containsExactly(USERS);
  }

  @Test
  void otherEntries_grantNothing() throws IOException {
    Path file = Files.createFile(home.resolve("file"));
    WindowsFiles.add(file, allow(USERS, ALL, AclEntryFlag.INHERIT_ONLY));
    WindowsFiles.add(
        file, AclEntry.newBuilder(allow(USERS, ALL)).setType(AclEntryType.DENY).build());
    WindowsFiles.add(
        file,
        allow(
            USERS, EnumSet.of(AclEntryPermission.READ_DATA, AclEntryPermission.WRITE_ATTRIBUTES)));

    assertThat(AccessList.of(file).writers()).isEmpty();
    assertThat(AccessList.of(file).readers()).containsExactly(USERS);
  }

  /** Java shows a list that is missing, as on FAT, as an empty one. */
  @Test
  void missingList_letsEverybodyWrite() throws IOException {
    Path file = Files.createFile(home.resolve("file"));
    WindowsFiles.set(file, user());

    assertThat(AccessList.of(file).writers()).containsExactly("everybody");
  }

  @Test
  void root_inWhichOthersMakeDirectories_exchangesNone() throws IOException {
    AccessList root = AccessList.of(drive.getPath("C:\\"));

    assertThat(root.isAdministrators()).isTrue();
    assertThat(root.writers()).containsExactly(AUTHENTICATED);
    assertThat(root.isExchangeable()).isFalse();
    WindowsFiles.add(drive.getPath("C:\\"), allow(AUTHENTICATED, MODIFY));
    assertThat(AccessList.of(drive.getPath("C:\\")).isExchangeable()).isFalse();
    WindowsFiles.add(home, allow(AUTHENTICATED, MODIFY));
    assertThat(AccessList.of(home).isExchangeable()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "VORDEFINIERT\\Administratoren,NT-AUTORITÄT\\SYSTEM",
    "BUILTIN\\Administrateurs,AUTORITE NT\\Système",
    "S-1-5-32-544,S-1-5-18"
  })
  void administrators_areKnownInOtherLanguages(String administrators, String system)
      throws IOException {
    try (FileSystem other = WindowsFiles.create(system, administrators)) {
      assertThat(AccessList.of(WindowsFiles.home(other)).writers()).isEmpty();
      AccessList users = AccessList.of(other.getPath("C:\\Users"));
      assertThat(users.isAdministrators()).isTrue();
      assertThat(users.isMine()).isFalse();
    }
  }

  /** Anybody can make a directory of that name on a drive without Windows. */
  @Test
  void directoryNamedWindows_ofAnotherOwner_makesNoAdministrators() throws IOException {
    try (FileSystem other = WindowsFiles.create(WindowsFiles.SYSTEM, "D\\someone")) {
      Files.setOwner(other.getPath("C:\\Windows"), WindowsFiles.principal("D\\someone"));

      assertThat(AccessList.of(WindowsFiles.home(other)).writers()).containsExactly("D\\someone");
    }
  }

  @Test
  void privateFiles_nameThisUserAlone() throws IOException {
    Path directory = home.resolve("a").resolve("b");
    PrivateFiles.createDirectories(directory);
    Path temporary = PrivateFiles.createTemporaryDirectory(directory, "t-");
    List<Path> all =
        List.of(
            home.resolve("a"),
            directory,
            PrivateFiles.createFile(directory.resolve("file")),
            PrivateFiles.createTemporaryFile(directory, "f-", ".tmp"),
            temporary);

    for (Path path : all) {
      assertThat(WindowsFiles.view(path).getAcl())
          .as(path.toString())
          .singleElement()
          .satisfies(entry -> assertThat(entry.permissions()).isEqualTo(ALL))
          .satisfies(entry -> assertThat(entry.principal().getName()).isEqualTo(user()))
          .satisfies(
              entry ->
                  assertThat(entry.flags())
                      .containsExactlyInAnyOrder(
                          AclEntryFlag.FILE_INHERIT, AclEntryFlag.DIRECTORY_INHERIT));
    }
  }

  @Test
  void close_closesWhatIsInATree() throws IOException {
    Path tree = Files.createDirectories(home.resolve("tree").resolve("inner"));
    Path file = Files.createFile(tree.resolve("file"));
    WindowsFiles.add(tree, allow(USERS, MODIFY));
    WindowsFiles.add(file, allow(USERS, MODIFY));

    PrivateFiles.close(home.resolve("tree"));

    assertThat(AccessList.of(tree).writers()).isEmpty();
    assertThat(AccessList.of(file).writers()).isEmpty();
  }

  /** Java's own exception has no message. This disk, whose users are real, stands for Windows'. */
  @Test
  void userThatTheSystemDoesNotKnow_isNamed() {
    assertThatThrownBy(() -> Principals.user(FileSystems.getDefault(), "nobody-of-that-name"))
        .isInstanceOf(IOException.class)
        .hasMessage("the system doesn't know this process's user, 'nobody-of-that-name'");
  }

  @Test
  void nothing_hasNoList() {
    assertThatThrownBy(() -> AccessList.of(home.resolve("missing")))
        .isInstanceOf(NoSuchFileException.class);
  }
}
