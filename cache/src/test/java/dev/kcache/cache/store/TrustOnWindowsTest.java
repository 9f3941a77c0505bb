// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.toolchain.standin.WindowsFiles.ADD_DIRECTORIES;
import static dev.kcache.toolchain.standin.WindowsFiles.ALL;
import static dev.kcache.toolchain.standin.WindowsFiles.MODIFY;
import static dev.kcache.toolchain.standin.WindowsFiles.READ;
import static dev.kcache.toolchain.standin.WindowsFiles.USERS;
import static dev.kcache.toolchain.standin.WindowsFiles.allow;
import static dev.kcache.toolchain.standin.WindowsFiles.user;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.Finding.Kind;
import dev.kcache.cache.signing.KeyFileException;
import dev.kcache.cache.signing.SigningKey;
import dev.kcache.toolchain.standin.OnWindows;
import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.AclEntryFlag;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Owners and access control lists, on a stand-in for a drive of Windows. */
class TrustOnWindowsTest extends StoreTestBase implements OnWindows {
  private static final String STRANGER = "PC\\stranger";

  @Test
  void ownDirectory_isForThisUserAlone() throws IOException {
    put();

    for (Path path : List.of(root, image(entry).getParent(), image(entry), record(entry))) {
      assertThat(WindowsFiles.view(path).getAcl())
          .as(path.toString())
          .singleElement()
          .satisfies(each -> assertThat(each.principal().getName()).isEqualTo(user()));
    }
    assertUsed(root);
  }

  /** Its readers are those of the directory that it is made in. */
  @Test
  void layer_getsWhatItsDirectoryHandsDown() throws IOException {
    DiskStore.open(root, Access.LAYER).put(entry, code, Fixtures.DEPENDENCIES);

    assertThat(WindowsFiles.view(record(entry)).getAcl()).hasSize(3);
    assertUsed(root);
    assertThat(DiskStore.open(root, Access.LAYER).accessFault(entry)).isEmpty();
  }

  @Test
  void rootThatOthersCanWrite_isNotUsed() throws IOException {
    put();
    WindowsFiles.add(root, allow(USERS, MODIFY));

    assertUnused(
        root,
        "can be written by BUILTIN\\Users; run 'icacls \""
            + root
            + "\" /inheritance:d /remove:g \"BUILTIN\\Users\"' or choose another one");
  }

  @Test
  void rootThatOthersRead_isUsed() throws IOException {
    put();
    WindowsFiles.add(root, allow(USERS, READ));
    WindowsFiles.add(root, allow(USERS, ALL, AclEntryFlag.INHERIT_ONLY));

    assertUsed(root);
  }

  /** As on FAT. */
  @Test
  void rootWithoutAList_isNotUsed() throws IOException {
    put();
    WindowsFiles.set(root, user());

    assertUnused(root, "can be written by everybody");
  }

  @Test
  void anyPartThatOthersCanWrite_isAMiss() throws IOException {
    put();
    for (Path part : List.of(image(entry).getParent(), record(entry).getParent(), record(entry))) {
      var sound = WindowsFiles.view(part).getAcl();
      WindowsFiles.add(part, allow(STRANGER, MODIFY));
      assertMissed(open());
      WindowsFiles.view(part).setAcl(sound);
      assertThat(found(open())).contains(stored);
    }
  }

  @Test
  void ofAnotherUser_isNotUsed_ofAdministratorsIs() throws IOException {
    put();
    Files.setOwner(record(entry), WindowsFiles.principal(STRANGER));
    assertMissed(open());
    Files.setOwner(root, WindowsFiles.principal(STRANGER));
    assertUnused(root, "belongs to PC\\stranger; ");

    // As Windows does for processes with all rights.
    Files.setOwner(root, WindowsFiles.principal(WindowsFiles.ADMINISTRATORS));
    Files.setOwner(record(entry), WindowsFiles.principal(WindowsFiles.ADMINISTRATORS));
    assertUsed(root);
  }

  @Test
  void wayThatOthersCanExchange_isNotPassed() throws IOException {
    put();
    Path above = root.getParent();
    WindowsFiles.add(above, allow(STRANGER, ADD_DIRECTORIES));
    assertUsed(root);

    WindowsFiles.add(above, allow(STRANGER, MODIFY));

    assertUnused(root, "is reached through " + above + ", which can be written by PC\\stranger");
  }

  @Test
  void directoryOnADrive_whoseRootOthersWrite_isUsedIfItIsOurs() throws IOException {
    root = root.getRoot().resolve("kcache");
    directory = new DirectoryLayout(root);
    store = open();
    put();

    assertUsed(root);
    Files.setOwner(root, WindowsFiles.principal(STRANGER));
    assertUnused(root, "is reached through C:\\, which can be written by NT AUTHORITY\\");
  }

  @Test
  void linkIntoADirectoryThatOthersExchange_isNotFollowed() throws IOException {
    put();
    Path open = Files.createDirectory(temp.resolve("open"));
    Path elsewhere = Files.move(root, open.resolve("cache"));
    Files.createSymbolicLink(root, elsewhere);
    assertUsed(root);

    WindowsFiles.add(open, allow(STRANGER, MODIFY));

    assertUnused(root, "is reached through " + open);
  }

  @Test
  void groupsDirectory_isRefused() throws IOException {
    put();

    DiskStore shared = DiskStore.open(root, Access.GROUP);

    assertThat(shared.fault())
        .contains(
            "cache directory "
                + root
                + " cannot be shared with a group on Windows; unset"
                + " KCACHE_SHARED");
    assertThat(shared.isReadable() || shared.isWritable()).isFalse();
  }

  @Test
  void repair_closesAPrivateDirectoryAgain() throws IOException {
    put();
    WindowsFiles.add(record(entry), allow(STRANGER, MODIFY));

    List<Finding> findings = open().maintenance().repair((where, done, total) -> {}).findings();

    assertThat(findings)
        .containsExactly(
            new Finding(
                Kind.PERMISSIONS,
                record(entry),
                "can be written by PC\\stranger; run 'icacls \""
                    + record(entry)
                    + "\" /inheritance:d /remove:g \"PC\\stranger\"' or choose another one",
                true));
    assertUsed(root);
  }

  @Test
  void signingKey_isForItsOwnerAlone() throws Exception {
    Path file = temp.resolve("key");
    SigningKey key = SigningKey.create(file);

    assertThat(SigningKey.read(file).publicHalf().id()).isEqualTo(key.publicHalf().id());
    WindowsFiles.add(file, allow(USERS, READ));

    org.assertj.core.api.Assertions.assertThatThrownBy(() -> SigningKey.read(file))
        .isInstanceOf(KeyFileException.class)
        .hasMessage(
            file
                + " is open to BUILTIN\\Users; run 'icacls \""
                + file
                + "\" /inheritance:d /remove:g \"BUILTIN\\Users\"'");
  }

  @Test
  void signingKey_onAFullDrive_leavesNoFile() throws Exception {
    int size = 1 << 20;
    try (FileSystem drives = WindowsFiles.create(size)) {
      Path large = WindowsFiles.home(drives).resolve("large");
      Path file = large.resolveSibling("key");

      org.assertj.core.api.Assertions.assertThatThrownBy(
              () -> Files.write(large, new byte[size + 1]))
          .isInstanceOf(IOException.class);
      org.assertj.core.api.Assertions.assertThatThrownBy(() -> SigningKey.create(file))
          .isInstanceOf(KeyFileException.class)
          .hasMessageContaining("cannot be written");
      assertThat(Files.exists(file)).isFalse();
    }
  }
}
