// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.TOOLCHAIN;
import static dev.kcache.cache.store.Fixtures.codeObject;
import static dev.kcache.cache.store.Fixtures.digest;
import static dev.kcache.cache.store.Fixtures.entry;
import static dev.kcache.cache.store.Fixtures.find;
import static dev.kcache.cache.store.Fixtures.findNewest;
import static dev.kcache.cache.store.Fixtures.request;
import static dev.kcache.cache.store.Fixtures.variant;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Test;

class DiskStoreTest extends StoreTestBase {
  @Test
  void find_afterPut_returnsTheEntryToOtherStores() throws IOException {
    put();

    assertThat(found(open())).contains(stored);
  }

  @Test
  void find_otherRequestOrToolchain_isAMiss() throws IOException {
    put();

    assertThat(find(store, "vsub.hip", code)).isEmpty();
    assertThat(find(store, request("vadd.hip", code.target()), digest("other"))).isEmpty();
  }

  @Test
  void find_recordWithoutItsCodeObject_isAPlainMiss() throws IOException {
    put();
    Files.delete(image(entry));

    assertThat(found()).isEmpty();
    assertThat(store.quarantined()).isZero();
    assertThat(record(entry)).exists();
  }

  @Test
  void find_missingRoot_createsNothing() {

    assertThat(found()).isEmpty();
    assertThat(store.entries()).isEmpty();
    assertThat(store.fault()).isEmpty();
    assertThat(root).doesNotExist();
  }

  @Test
  void find_interruptedThread_stillReadsAndWrites() throws IOException {
    Thread.currentThread().interrupt();
    put();
    boolean found = found().isPresent();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(found).isTrue();
  }

  @Test
  void records_severalToolchains_areOrderedByTheirAge() throws IOException {
    Instant time = entry.created();
    CacheEntry older = entry("vadd.hip", code, digest("a"), time);
    CacheEntry newer = entry("vadd.hip", code, digest("b"), time.plusNanos(1));
    CacheEntry newest = entry("vadd.hip", code, digest("c"), time.plusNanos(2));
    for (CacheEntry each : List.of(newest, older, newer)) {
      put(each, code);
    }
    Request request = request("vadd.hip", code.target());

    assertThat(findNewest(store, request)).contains(new StoredEntry(newest, code));
    assertThat(store.records(request)).containsExactly(newest, newer, older);
  }

  @Test
  void findNewest_newestIsDamaged_takesTheNextAndQuarantinesIt() throws IOException {
    CacheEntry newer = entry("vadd.hip", code, digest("b"), entry.created().plusSeconds(1));
    put();
    put(newer, code);
    Path record = directory.record(Request.of(newer), newer.toolchain()).file();
    Files.writeString(record, "{");

    assertThat(findNewest(store, Request.of(newer))).contains(stored);
    assertThat(record).doesNotExist();
    assertThat(store.quarantined()).isEqualTo(1);
  }

  @Test
  void put_sameRequestAgain_replacesTheEntry() throws IOException {
    CodeObject other = variant("gfx90a", 7);
    CacheEntry replacement = entry("vadd.hip", other);
    put();
    put(replacement, other);

    assertThat(found()).contains(new StoredEntry(replacement, other));
    assertThat(store.entries()).containsExactly(replacement);
  }

  @Test
  void put_entryOfAnotherCodeObject_isRefused() {
    assertThatThrownBy(() -> store.put(entry, variant("gfx90a", 1), Fixtures.DEPENDENCIES))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the record of vadd.hip describes another code object than gfx90a");
  }

  @Test
  void put_rootRemovedMeanwhile_createsItAgain() throws IOException {
    put();
    deleteTree(root);
    put();

    assertThat(found()).isPresent();
  }

  @Test
  void put_layout_isTheDocumentedOne() throws IOException {
    put();

    assertThat(image(entry)).hasBinaryContent(Fixtures.image("gfx90a"));
    assertThat(filesOf(root))
        .containsExactlyInAnyOrder(
            "gfx90a-5.2/" + code.digest() + ".co",
            "gfx90a-5.2/" + Fixtures.DEPENDENCIES.digest() + ".deps",
            "gfx90a-5.2/" + digest("vadd.hip") + "/" + TOOLCHAIN + ".json",
            "swept");
  }

  @Test
  void put_privateAndLayer_setThePermissionsOfEverything() throws IOException {
    Path layer = temp.resolve("layer");
    put();
    DiskStore.open(layer, Access.LAYER).put(entry, code, Fixtures.DEPENDENCIES);

    assertThat(modes(root).values()).containsOnly("rwx------", "rw-------");
    assertThat(modes(layer).values()).containsOnly("rwxr-xr-x", "rw-r--r--");
  }

  @Test
  void layer_quarantineAndLock_canBeCopiedByOthersToo() throws Exception {
    DiskStore layer = DiskStore.open(root, Access.LAYER);
    layer.put(entry, code, Fixtures.DEPENDENCIES);
    Files.writeString(record(entry), "damaged");
    assertThat(found(layer)).isEmpty();
    Map<String, String> whileLocked =
        layer.requestLock().exclusively(Request.of(entry), Optional::empty, () -> modes(root));

    assertThat(whileLocked)
        .containsKeys("quarantine", "lock", "beats")
        .hasKeySatisfying(new Condition<>(path -> path.startsWith("beats/"), "a beat"))
        .allSatisfy((path, mode) -> assertThat(mode).as(path).matches(".*r-[-x]r-[-x]"));
  }

  @Test
  void concealment_layerInADirectoryThatWasPrivate_isTold() throws IOException {
    put();
    DiskStore layer = DiskStore.open(root, Access.LAYER);
    layer.put(entry, code, Fixtures.DEPENDENCIES);

    assertThat(layer.accessFault(entry))
        .contains(
            "layer "
                + root
                + " has parts that other users cannot read; run 'chmod -R go+rX' on it, or name it"
                + " in KCACHE_DIR if it is for you alone");
    assertThat(store.accessFault(entry)).isEmpty();
  }

  @Test
  void concealment_anyPartOfTheEntryClosed_isTold() throws IOException {
    DiskStore layer = DiskStore.open(root, Access.LAYER);
    layer.put(entry, code, Fixtures.DEPENDENCIES);
    assertThat(layer.accessFault(entry)).isEmpty();

    Path request = record(entry).getParent();
    Path list = list(entry);
    for (Path part :
        List.of(root, request.getParent(), request, record(entry), image(entry), list)) {
      Set<PosixFilePermission> open = Files.getPosixFilePermissions(part);
      for (String closed : List.of("rwx------", "rwxr-x---", "rwx---r-x")) {
        setPermissions(part, closed);
        assertThat(layer.accessFault(entry)).as("%s of %s", closed, part).isPresent();
      }
      Files.setPosixFilePermissions(part, open);
      assertThat(layer.accessFault(entry)).isEmpty();
    }
  }

  @Test
  void entries_manyRecords_areSortedAndDamagedOnesLeftAlone() throws IOException {
    CacheEntry first = entry("a.hip", code);
    CacheEntry second = entry("b.hip", code);
    put(second, code);
    put();
    put(first, code);
    Files.writeString(record(entry), "nonsense");
    Files.createDirectory(root.resolve("not-a-target"));
    Files.createDirectory(root.resolve("gfx90a-5.2").resolve("not-a-request"));

    assertThat(store.entries()).containsExactly(first, second);
    assertThat(record(entry)).exists();
  }

  @Test
  void entries_ofSeveralTargets_areSortedByTargetThenSource() throws IOException {
    CodeObject other = codeObject("gfx1030");
    List<CacheEntry> sorted =
        List.of(
            entry("b.hip", other),
            entry("c.hip", other),
            entry("a.hip", code),
            entry("d.hip", code));
    for (int i : List.of(3, 0, 2, 1)) {
      put(sorted.get(i), i < 2 ? other : code);
    }
    Files.createDirectory(root.resolve("gfx942-5.2"));

    assertThat(store.entries()).isEqualTo(sorted);
  }

  @Test
  void privateDirectories_areMadeForTheUserAlone() throws IOException {
    DiskStore store = DiskStore.open(root, Access.LAYER);

    Path memo = store.probeCacheDirectory().orElseThrow();
    assertThat(memo.getParent()).isEqualTo(root);
    assertThat(memo).doesNotExist();
    Path staging = store.stagingParent().orElseThrow();
    assertThat(staging).hasParent(root).isDirectory();
    assertThat(modes(staging)).containsExactly(Map.entry("", "rwx------"));
  }

  private static List<String> filesOf(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString().replace('\\', '/'))
          .sorted()
          .toList();
    }
  }

  private static Map<String, String> modes(Path root) throws IOException {
    Map<String, String> modes = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        modes.put(root.relativize(file).toString(), permissions(file));
      }
    }
    return modes;
  }

  private static void deleteTree(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
