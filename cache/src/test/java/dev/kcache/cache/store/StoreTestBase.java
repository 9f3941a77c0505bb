// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.DEPENDENCIES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.toolchain.standin.OnWindows;
import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A cache directory, which is made by the first put, and an entry to put into it. */
abstract class StoreTestBase {
  static final int STRANGER = 65534;

  private static final Map<Integer, StoredEntry> KERNELS = new ConcurrentHashMap<>();

  final CodeObject code = Fixtures.codeObject("gfx90a");
  final CacheEntry entry = Fixtures.entry("vadd.hip", code);
  final StoredEntry stored = new StoredEntry(entry, code);

  @TempDir Path disk;
  Path temp;
  Path root;
  DirectoryLayout directory;
  DiskStore store;

  @BeforeEach
  final void openStore() throws IOException {
    temp = this instanceof OnWindows ? WindowsFiles.home(WindowsFiles.create()) : disk;
    root = temp.resolve("cache");
    directory = new DirectoryLayout(root);
    store = open();
  }

  final DiskStore open() {
    return open(root);
  }

  static DiskStore open(Path root) {
    return DiskStore.open(root, Access.PRIVATE);
  }

  final DiskStore open(FileOperations files) {
    return DiskStore.open(root, Access.PRIVATE, files);
  }

  final void put() throws IOException {
    put(entry, code);
  }

  final void put(CacheEntry entry, CodeObject code) throws IOException {
    store.put(entry, code, DEPENDENCIES);
  }

  /** Returns one of any number of entries, which all are for one target. */
  static StoredEntry kernel(int number) {
    return KERNELS.computeIfAbsent(
        number,
        any -> {
          CodeObject code = Fixtures.variant("gfx90a", number);
          return new StoredEntry(Fixtures.entry("kernel" + number, code), code);
        });
  }

  /** Puts a kernel that was last used so long ago. */
  final void put(int number, Duration age) throws IOException {
    put(kernel(number).entry(), kernel(number).codeObject());
    Fixtures.age(image(number), age);
    Fixtures.age(record(number), age);
  }

  /** Returns whether a kernel is served, which then has to be the right one. */
  static boolean serves(EntryDirectory reader, int number) {
    CacheEntry entry = kernel(number).entry();
    Optional<StoredEntry> served = Fixtures.find(reader, Request.of(entry), entry.toolchain());
    assertThat(served).isIn(Optional.empty(), Optional.of(kernel(number)));
    return served.isPresent();
  }

  /** Returns what is found of {@link #entry}. */
  final Optional<StoredEntry> found() {
    return found(store);
  }

  final Optional<StoredEntry> found(EntryDirectory reader) {
    return Fixtures.find(reader, Request.of(entry), entry.toolchain());
  }

  final Path record(CacheEntry entry) {
    return directory.record(Request.of(entry), entry.toolchain()).file();
  }

  final Path record(int number) {
    return record(kernel(number).entry());
  }

  final Path image(int number) {
    return image(kernel(number).entry());
  }

  final Path image(CacheEntry entry) {
    return directory.codeObject(Request.of(entry), entry.codeObject());
  }

  final Path list(CacheEntry entry) {
    return directory.dependencies(Request.of(entry), entry.dependencies());
  }

  final void assertUsed(Path path) {
    DiskStore store = open(path);
    assertThat(store.fault()).isEmpty();
    assertThat(found(store)).contains(stored);
    assertThat(Layer.in(path).fault()).isEmpty();
    assertThat(found(Layer.in(path))).contains(stored);
  }

  /** Checks that a directory is neither used as a cache nor as a layer, for the same reason. */
  final void assertUnused(Path path, String fault) {
    assertThat(open(path).fault().orElseThrow())
        .startsWith("cache directory " + path + " ")
        .contains(fault);
    assertUnused(open(path));
    Layer layer = Layer.in(path);
    assertThat(layer.fault().orElseThrow())
        .startsWith("not using layer " + path + ": it ")
        .contains(fault);
    assertThat(layer.isReadable()).isFalse();
    assertServesNothing(layer);
  }

  final void assertUnused(DiskStore store) {
    assertServesNothing(store);
    assertThat(store.stagingParent()).isEmpty();
    assertThat(store.fault().flatMap(fault -> store.probeCacheDirectory())).isEmpty();
    assertThatThrownBy(() -> store.put(entry, code, DEPENDENCIES)).isInstanceOf(IOException.class);
  }

  final void assertServesNothing(EntryDirectory reader) {
    assertMissed(reader);
    assertThat(reader.entries()).isEmpty();
  }

  /** Checks that {@link #entry} is not found, whatever compiler is asked for. */
  final void assertMissed(EntryDirectory reader) {
    assertThat(Fixtures.findNewest(reader, Request.of(entry))).isEmpty();
    assertThat(found(reader)).isEmpty();
  }

  static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  static void setPermissions(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  /** Gives a file, or a link, to another user; skips the test unless it runs as root. */
  static void give(Path path) throws IOException {
    Object owner = Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    Assumptions.assumeTrue(owner.equals(0), "only root can give files away");
    Files.setAttribute(path, "unix:uid", STRANGER, LinkOption.NOFOLLOW_LINKS);
  }
}
