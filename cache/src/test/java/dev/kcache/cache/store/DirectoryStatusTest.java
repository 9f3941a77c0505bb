// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.trust.Trust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryStatusTest extends StoreTestBase {
  @BeforeEach
  void putAnEntry() throws IOException {
    put();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rwxrwx---", "rwx-w----", "rwxr-xrwx", "rwx----w-", "rwxrwxrwx"})
  void root_thatOthersCanWrite_isNotUsed(String permissions) throws IOException {
    setPermissions(root, permissions);

    assertUnused(
        root, "can be written by other users (" + permissions + "); run 'chmod go-w' on it");
    assertThat(open().fault().orElseThrow()).endsWith(" on it or choose another one");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rwx------", "rwxr-xr-x"})
  void root_thatOthersCanOnlyRead_isUsed(String permissions) throws IOException {
    setPermissions(root, permissions);

    assertUsed(root);
  }

  @Test
  void root_ofAnotherUser_isNotUsed() throws IOException {
    give(root);

    assertUnused(root, " belongs to ");
    assertThat(open().fault().orElseThrow())
        .endsWith("; set KCACHE_DIR or --cache-dir to a directory of your own");
  }

  /** A fault would be one for the process's life. */
  @Test
  void root_removedWhileItIsLookedAt_isNotAtFault() throws Exception {
    Path root = temp.resolve("root");
    AtomicBoolean ended = new AtomicBoolean();
    CompletableFuture<Void> remover =
        CompletableFuture.runAsync(
            () -> {
              while (!ended.get()) {
                root.toFile().mkdir();
                root.toFile().delete();
              }
            });

    List<DirectoryStatus> faulty = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      DirectoryStatus standing = DirectoryStatus.of(root, Trust.OF_THIS_USER);
      if (standing.fault().isPresent()) {
        faulty.add(standing);
      }
    }
    ended.set(true);
    remover.get();

    assertThat(faulty).isEmpty();
  }

  @Test
  void root_appearingLaterAndWritableByOthers_isNotUsed() throws IOException {
    Path later = temp.resolve("later");
    DiskStore store = open(later);
    assertThat(store.fault()).isEmpty();
    setPermissions(Files.move(root, later), "rwxrwxrwx");

    assertUnused(store);
    assertThat(store.fault()).isPresent();
  }

  @Test
  void part_thatOthersCanWrite_isNotUsed() throws IOException {
    for (Path part : List.of(image(entry).getParent(), record(entry).getParent(), record(entry))) {
      String sound = permissions(part);
      setPermissions(part, "rwxrwxrwx");

      assertServesNothing(open());
      assertServesNothing(Layer.in(root));
      if (Files.isDirectory(part)) {
        assertThatThrownBy(() -> put())
            .isInstanceOf(IOException.class)
            .hasMessageStartingWith("directory " + part + " can be written by other users");
        setPermissions(part, sound);
      } else {
        put();
      }
      assertUsed(root);
    }
  }

  @Test
  void part_ofAnotherUser_isNotUsed() throws IOException {
    for (Path part : List.of(record(entry), record(entry).getParent(), image(entry).getParent())) {
      give(part);
      assertServesNothing(Layer.in(root));
      Files.setAttribute(part, "unix:uid", 0);
    }
  }

  @Test
  void root_symbolicLink_isJudgedByItsTarget() throws IOException {
    Path link = Files.createSymbolicLink(temp.resolve("link"), root);
    assertUsed(link);
    open(link).put(entry, code, Fixtures.DEPENDENCIES);

    setPermissions(root, "rwxrwxrwx");
    assertUnused(link, "can be written by other users");
  }

  @Test
  void ofMissing_rootThatAnotherThreadHasJustMade_isNoFault() throws IOException {
    Path root = Files.createDirectory(temp.resolve("new"));
    assertThat(DirectoryStatus.ofMissing(root).fault()).isEmpty();
    assertThat(DirectoryStatus.ofMissing(root).writable()).isTrue();
  }

  @Test
  void root_symbolicLinkToNothing_isNotUsed() throws IOException {
    Path link = Files.createSymbolicLink(temp.resolve("link"), temp.resolve("nothing"));

    assertThat(open(link).fault())
        .contains(
            "cache directory "
                + link
                + " is a symbolic link to nothing; remove it, or make the directory that it names");
    assertUnused(open(link));
  }

  @Test
  void root_thatIsAFile_isNotUsed() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "precious");

    assertUnused(file, "is not a directory");
    assertThat(file).hasContent("precious");
    DiskStore below = open(file.resolve("below/it"));
    assertThat(below.fault()).isPresent();
    assertUnused(below);
  }

  @Test
  void root_thatCannotBeMade_isAMissAndAnIoException() {
    assertUnused(open(Path.of("/proc/kcache")));
  }

  @Test
  void root_readOnly_isReadAndNotWritten() throws IOException {
    setPermissions(root, "r-xr-xr-x");
    try (ChildJvm child = ChildJvm.startBehind(readOnly(), "readOnly", root.toString())) {
      child.awaitLine("cache directory " + root + " cannot be written: it is read-only");
      child.awaitLine("hit");
      child.awaitLine("refused");
    } finally {
      setPermissions(root, "rwx------");
    }
  }

  /** Root writes whatever the mode says, unless it runs without that privilege. */
  private List<String> readOnly() throws IOException {
    return Files.getAttribute(root, "unix:uid").equals(0)
        ? List.of("setpriv", "--bounding-set", "-dac_override")
        : List.of();
  }
}
