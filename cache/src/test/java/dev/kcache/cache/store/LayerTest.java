// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.TOOLCHAIN;
import static dev.kcache.cache.store.Fixtures.codeObject;
import static dev.kcache.cache.store.Fixtures.entry;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reader of somebody else's directory gets, and that it leaves no trace there. */
class LayerTest {
  private final CodeObject code = codeObject("gfx90a");
  private final CacheEntry entry = entry("vadd.hip", code);
  private final StoredEntry stored = new StoredEntry(entry, code);

  @TempDir Path temp;
  private Path root;
  private Path image;
  private Path record;

  @BeforeEach
  void fillALayer() throws IOException {
    root = temp.resolve("layer");
    DirectoryLayout directory = new DirectoryLayout(root);
    image = directory.codeObject(Request.of(entry), code.digest());
    record = directory.record(Request.of(entry), TOOLCHAIN).file();
    DiskStore.open(root, Access.LAYER).put(entry, code, Fixtures.DEPENDENCIES);
  }

  @Test
  void find_entry_isServedAndTheLayerLeftAsItIs() throws IOException {
    Map<String, String> before = snapshot();
    Layer layer = Layer.in(root);

    assertThat(find(layer)).contains(stored);
    assertThat(Fixtures.findNewest(layer, Request.of(entry))).contains(stored);
    assertThat(layer.entries()).containsExactly(entry);
    assertThat(layer.fault()).isEmpty();
    assertThat(snapshot()).isEqualTo(before);
  }

  @Test
  void find_movedLayer_isServed() throws IOException {
    Path elsewhere = Files.createDirectories(temp.resolve("an/other")).resolve("place");
    Files.move(root, elsewhere);

    assertThat(find(Layer.in(elsewhere))).contains(stored);
    assertThat(elsewhere).isDirectoryRecursivelyContaining(file -> !names(file, root));
  }

  @Test
  void find_codeObjectAltered_isAMissAndStays() throws IOException {
    byte[] sound = Files.readAllBytes(image);
    for (int offset = 0; offset < sound.length; offset += 501) {
      byte[] altered = sound.clone();
      altered[offset] ^= 1;
      assertPassedOver(image, altered);
    }
    Files.write(image, sound);
    assertThat(find(Layer.in(root))).contains(stored);
  }

  @Test
  void find_recordAltered_isAMissAndStays() throws IOException {
    CodeObject other = codeObject("gfx1030");
    String text = Files.readString(record);
    assertPassedOver(record, new byte[0]);
    assertPassedOver(record, text.substring(0, text.length() / 2).getBytes(UTF_8));
    assertPassedOver(
        record, text.replace(code.digest().toString(), "0".repeat(64)).getBytes(UTF_8));
    Files.write(image.resolveSibling(other.digest() + ".co"), Fixtures.image("gfx1030"));
    assertPassedOver(
        record, text.replace(code.digest().toString(), other.digest().toString()).getBytes(UTF_8));
  }

  @Test
  void dependencies_soundOrDamaged_areServedOrPassedOverAndStay() throws IOException {
    Path list = new DirectoryLayout(root).dependencies(Request.of(entry), entry.dependencies());
    Map<String, String> before = snapshot();
    Layer layer = Layer.in(root);

    assertThat(layer.dependencies(entry).orElseThrow().files())
        .isEqualTo(Fixtures.DEPENDENCIES.files());
    assertThat(snapshot()).isEqualTo(before);
    Files.writeString(list, "damaged");
    assertThat(layer.dependencies(entry)).isEmpty();
    assertThat(list).hasContent("damaged");
    Files.delete(list);
    assertThat(layer.dependencies(entry)).isEmpty();
    assertThat(find(layer)).contains(stored);
  }

  @Test
  void find_codeObjectGone_isAMiss() throws IOException {
    Files.delete(image);

    assertThat(find(Layer.in(root))).isEmpty();
    assertThat(record).exists();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Stale file handle", "Input/output error", "Device or resource busy"})
  void find_readsThatFail_areAMiss(String error) throws IOException {
    for (String suffix : List.of(".json", ".co")) {
      Layer layer = Layer.in(root, failing(suffix, error, Integer.MAX_VALUE));

      assertThat(find(layer)).isEmpty();
      assertThat(Fixtures.findNewest(layer, Request.of(entry))).isEmpty();
    }
    assertThat(Layer.in(root, failing(".json", error, Integer.MAX_VALUE)).entries()).isEmpty();
  }

  @Test
  void find_readThatFailsOnce_isTriedAgain() throws IOException {
    assertThat(find(Layer.in(root, failing(".co", "Stale file handle", 1)))).contains(stored);
  }

  @Test
  void find_directoryThatCannotBeRead_isAMiss() throws IOException {
    for (Path directory : List.of(record.getParent(), image.getParent())) {
      Path aside = temp.resolve("aside");
      Files.move(directory, aside);
      Files.createSymbolicLink(directory, directory);
      Layer layer = Layer.in(root);

      assertThat(find(layer)).isEmpty();
      assertThat(Fixtures.findNewest(layer, Request.of(entry))).isEmpty();
      assertThat(layer.entries()).isEmpty();
      Files.delete(directory);
      Files.move(aside, directory);
    }
  }

  @Test
  void root_thatCannotBeExamined_isNotUsed() throws IOException {
    Path loop = Files.createSymbolicLink(temp.resolve("loop"), temp.resolve("loop"));

    assertUnused(Layer.in(loop), loop + ": it cannot be examined (");
  }

  @Test
  void root_thatIsAFile_isNotUsed() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "precious");

    assertUnused(Layer.in(file), file + ": it is not a directory");
    assertThat(file).hasContent("precious");
  }

  @Test
  void root_missing_isNotMadeAndUsedWhenItIsThere() throws IOException {
    Path later = temp.resolve("later");
    Layer layer = Layer.in(later);
    assertUnused(layer, later + ": it does not exist");
    assertThat(later).doesNotExist();

    Files.move(root, later);
    assertThat(find(layer)).contains(stored);
    assertThat(layer.fault()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rwxrwxr-x", "rwxr-xrwx", "rwx-w----"})
  void root_thatOthersCanWrite_isNotUsed(String permissions) throws IOException {
    setPermissions(root, permissions);

    assertUnused(
        Layer.in(root),
        root + ": it can be written by other users (" + permissions + "); run 'chmod go-w' on it");
  }

  @Test
  void part_thatOthersCanWrite_isNotUsed() throws IOException {
    for (Path part : List.of(image.getParent(), record.getParent(), record)) {
      setPermissions(part, "rwxrwxrwx");
      assertThat(find(Layer.in(root))).as("%s", part).isEmpty();
      assertThat(Layer.in(root).entries()).as("%s", part).isEmpty();

      setPermissions(part, "rwxr-xr-x");
      assertThat(find(Layer.in(root))).contains(stored);
    }
  }

  @Test
  void root_ofAThirdUser_isNotUsed() throws IOException {
    assumeTrue(Files.getAttribute(root, "unix:uid").equals(0), "only root can give files away");
    for (Path part : List.of(record, record.getParent(), image.getParent(), root)) {
      Files.setAttribute(part, "unix:uid", 65534);
      assertThat(find(Layer.in(root))).as("%s", part).isEmpty();
      Files.setAttribute(part, "unix:uid", 0);
    }
    Files.setAttribute(root, "unix:uid", 65534);
    assertUnused(Layer.in(root), root + ": it belongs to ");
  }

  private void assertPassedOver(Path file, byte[] content) throws IOException {
    Files.write(file, content);
    Map<String, String> before = snapshot();

    assertThat(find(Layer.in(root))).isEmpty();
    assertThat(Fixtures.findNewest(Layer.in(root), Request.of(entry))).isEmpty();
    assertThat(snapshot()).isEqualTo(before);
  }

  private void assertUnused(Layer layer, String fault) {
    assertThat(layer.isReadable()).isFalse();
    assertThat(layer.fault().orElseThrow()).startsWith("not using layer " + fault);
    assertThat(find(layer)).isEmpty();
    assertThat(Fixtures.findNewest(layer, Request.of(entry))).isEmpty();
    assertThat(layer.entries()).isEmpty();
  }

  private Optional<StoredEntry> find(Layer layer) {
    return Fixtures.find(layer, Request.of(entry), TOOLCHAIN);
  }

  /** Returns operations of which the first reads of such a file fail, and no other one may run. */
  private static FileOperations failing(String suffix, String error, int times) {
    List<Path> failed = new ArrayList<>();
    return new StepHookFileOperations(
        (step, operation, file) -> {
          assertThat(operation).isEqualTo("read");
          if (file.toString().endsWith(suffix) && failed.size() < times) {
            failed.add(file);
            throw new IOException(error);
          }
        });
  }

  /** Returns what tells whether anything has changed: names, modes, times and content. */
  private Map<String, String> snapshot() throws IOException {
    Map<String, String> snapshot = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        String content =
            Files.isRegularFile(file) ? Digest.of(Files.readAllBytes(file)).toString() : "";
        Object changed = Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS);
        snapshot.put(
            file.toString(), content + " " + Files.getPosixFilePermissions(file) + " " + changed);
      }
    }
    return snapshot;
  }

  private static boolean names(Path file, Path path) {
    try {
      return Files.isRegularFile(file) && Files.readString(file).contains(path.toString());
    } catch (IOException e) {
      return false;
    }
  }

  private static void setPermissions(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }
}
