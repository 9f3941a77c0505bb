// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.codeObject;
import static dev.kcache.cache.store.Fixtures.entry;
import static dev.kcache.cache.store.Fixtures.find;
import static dev.kcache.cache.store.Fixtures.findNewest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.trust.Trust;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryStatusTest {
  private final CodeObject code = codeObject("gfx90a");
  private final CacheEntry entry = entry("vadd.hip", code);

  @TempDir Path temp;

  @ParameterizedTest
  @ValueSource(strings = {"rwxrwx---", "rwx-w----", "rwxr-xrwx", "rwx----w-", "rwxrwxrwx"})
  void root_thatOthersCanWrite_isNotUsed(String permissions) throws IOException {
    Path root = filled();
    setPermissions(root, permissions);
    DiskStore store = open(root);

    assertThat(store.fault())
        .contains(
            "cache directory "
                + root
                + " can be written by other users ("
                + permissions
                + "); run 'chmod go-w' on it or choose another one");
    assertUnused(store);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rwx------", "rwxr-xr-x"})
  void root_thatOthersCanOnlyRead_isUsed(String permissions) throws IOException {
    Path root = filled();
    setPermissions(root, permissions);

    assertThat(open(root).fault()).isEmpty();
    assertThat(find(open(root), "vadd.hip", code)).isPresent();
  }

  @Test
  void root_ofAnotherUser_isNotUsed() throws IOException {
    Path root = filled();
    assumeTrue(Files.getAttribute(root, "unix:uid").equals(0), "only root can give files away");
    Files.setAttribute(root, "unix:uid", 65534);
    DiskStore store = open(root);

    assertThat(store.fault().orElseThrow())
        .startsWith("cache directory " + root + " belongs to ")
        .endsWith("; choose one of your own or root's");
    assertUnused(store);
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
    Path root = temp.resolve("root");
    DiskStore store = open(root);
    assertThat(store.fault()).isEmpty();
    setPermissions(filled(), "rwxrwxrwx");

    assertUnused(store);
    assertThat(store.fault()).isPresent();
  }

  @Test
  void innerDirectory_thatOthersCanWrite_isNotUsed() throws IOException {
    Path root = filled();
    DirectoryLayout directory = new DirectoryLayout(root);
    for (Path inner :
        new Path[] {
          directory.targetDirectory(entry.target(), entry.label()),
          directory.requestDirectory(Request.of(entry))
        }) {
      setPermissions(inner, "rwxrwxrwx");

      assertThat(find(open(root), "vadd.hip", code)).isEmpty();
      assertThat(open(root).entries()).isEmpty();
      assertThatThrownBy(() -> open(root).put(entry, code, Fixtures.DEPENDENCIES))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("directory " + inner + " can be written by other users");

      setPermissions(inner, "rwx------");
      assertThat(find(open(root), "vadd.hip", code)).isPresent();
    }
  }

  @Test
  void record_thatOthersCanWrite_isAMissUntilPutAgain() throws IOException {
    Path root = filled();
    Path record = new DirectoryLayout(root).record(Request.of(entry), entry.toolchain()).file();
    setPermissions(record, "rw-rw----");

    assertThat(find(open(root), "vadd.hip", code)).isEmpty();
    assertThat(open(root).entries()).isEmpty();
    open(root).put(entry, code, Fixtures.DEPENDENCIES);
    assertThat(find(open(root), "vadd.hip", code)).isPresent();
  }

  @Test
  void root_symbolicLink_isJudgedByItsTarget() throws IOException {
    Path root = filled();
    Path link = Files.createSymbolicLink(temp.resolve("link"), root);
    assertThat(find(open(link), "vadd.hip", code)).isPresent();
    open(link).put(entry, code, Fixtures.DEPENDENCIES);

    setPermissions(root, "rwxrwxrwx");
    assertUnused(open(link));
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
    DiskStore store = open(link);

    assertThat(store.fault())
        .contains(
            "cache directory "
                + link
                + " is a symbolic link to nothing; remove it, or make the directory that it names");
    assertUnused(store);
  }

  @Test
  void root_thatIsAFile_isNotUsed() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "precious");
    DiskStore store = open(file);

    assertThat(store.fault()).contains("cache directory " + file + " is not a directory");
    assertUnused(store);
    assertThat(file).hasContent("precious");
  }

  @Test
  void root_belowAFile_isNotUsed() throws IOException {
    Path root = Files.writeString(temp.resolve("file"), "").resolve("below/it");
    DiskStore store = open(root);

    assertThat(store.fault()).isPresent();
    assertUnused(store);
  }

  @Test
  void root_thatCannotBeMade_isAMissAndAnIoException() {
    assertUnused(open(Path.of("/proc/kcache")));
  }

  @Test
  void root_readOnly_isReadAndNotWritten() throws IOException {
    Path root = filled();
    setPermissions(root, "r-xr-xr-x");
    try (ChildJvm child = ChildJvm.startBehind(readOnlyFor(root), "readOnly", root.toString())) {
      child.awaitLine("cache directory " + root + " cannot be written: it is only read");
      child.awaitLine("hit");
      child.awaitLine("refused");
    } finally {
      setPermissions(root, "rwx------");
    }
  }

  /** Root writes whatever the mode says, unless it runs without that privilege. */
  private List<String> readOnlyFor(Path root) throws IOException {
    return Files.getAttribute(root, "unix:uid").equals(0)
        ? List.of("setpriv", "--bounding-set", "-dac_override")
        : List.of();
  }

  private void assertUnused(DiskStore store) {
    assertThat(find(store, "vadd.hip", code)).isEmpty();
    assertThat(findNewest(store, Request.of(entry))).isEmpty();
    assertThat(store.entries()).isEmpty();
    assertThat(store.stagingParent()).isEmpty();
    assertThat(store.fault().flatMap(fault -> store.probeCacheDirectory())).isEmpty();
    assertThatThrownBy(() -> store.put(entry, code, Fixtures.DEPENDENCIES))
        .isInstanceOf(IOException.class);
  }

  private Path filled() throws IOException {
    Path root = temp.resolve("root");
    open(root).put(entry, code, Fixtures.DEPENDENCIES);
    return root;
  }

  private static DiskStore open(Path root) {
    return DiskStore.open(root, Access.PRIVATE);
  }

  private static void setPermissions(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }
}
