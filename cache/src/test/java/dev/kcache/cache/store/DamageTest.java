// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.TOOLCHAIN;
import static dev.kcache.cache.store.Fixtures.codeObject;
import static dev.kcache.cache.store.Fixtures.digest;
import static dev.kcache.cache.store.Fixtures.entry;
import static dev.kcache.cache.store.Fixtures.find;
import static dev.kcache.cache.store.Fixtures.variant;
import static dev.kcache.cache.store.StepHookFileOperations.before;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bit rot, truncation, tampering: whatever happens to the files, wrong bytes are never served. */
class DamageTest extends StoreTestBase {
  private Path image;
  private Path record;
  private Path list;

  @BeforeEach
  void putAnEntry() throws IOException {
    image = image(entry);
    record = record(entry);
    list = list(entry);
    put();
  }

  @Test
  void codeObject_bitFlippedAnywhere_isQuarantinedUntilPutAgain() throws IOException {
    byte[] sound = Files.readAllBytes(image);
    for (int offset = 0; offset < sound.length; offset += 97) {
      byte[] flipped = sound.clone();
      flipped[offset] ^= (byte) (1 << (offset % 8));
      assertQuarantinedUntilPutAgain(image, flipped);
    }
  }

  @Test
  void codeObject_cutOrExtended_isQuarantinedUntilPutAgain() throws IOException {
    byte[] sound = Files.readAllBytes(image);
    for (int length : List.of(0, 1, 63, 64, sound.length - 1, sound.length + 1, 70 << 20)) {
      assertQuarantinedUntilPutAgain(image, Arrays.copyOf(sound, length));
    }
  }

  @Test
  void record_bitFlippedAnywhere_neverServesAnotherCodeObjectOrRequest() throws IOException {
    byte[] sound = Files.readAllBytes(record);
    long quarantined = 0;
    for (int offset = 0; offset < sound.length; offset += 11) {
      byte[] flipped = sound.clone();
      flipped[offset] ^= (byte) (1 << (offset % 7));
      Files.write(record, flipped);
      found()
          .ifPresent(
              found -> {
                // Words for people may be damaged unseen; what decides the result may not.
                assertThat(found.codeObject()).isEqualTo(code);
                assertThat(Request.of(found.entry())).isEqualTo(Request.of(entry));
                assertThat(found.entry().toolchain()).isEqualTo(TOOLCHAIN);
              });
      quarantined = store.quarantined();
      put();
      assertThat(found()).contains(stored);
    }
    assertThat(quarantined).isGreaterThan(sound.length / 40);
  }

  @Test
  void record_cutOrExtended_isQuarantinedUntilPutAgain() throws IOException {
    byte[] sound = Files.readAllBytes(record);
    for (int length : List.of(0, 1, 100, sound.length / 2, sound.length - 2, sound.length + 1)) {
      assertQuarantinedUntilPutAgain(record, Arrays.copyOf(sound, length));
    }
  }

  @Test
  void record_ofAnotherRequestOrToolchain_isQuarantinedUntilPutAgain() throws IOException {
    CodeObject other = variant("gfx90a", 1);
    assertQuarantinedUntilPutAgain(record, EntryCodec.encode(entry("vsub.hip", other)));
    CacheEntry ofOtherToolchain = entry("vadd.hip", code, digest("other"), entry.created());
    assertQuarantinedUntilPutAgain(record, EntryCodec.encode(ofOtherToolchain));
  }

  @Test
  void record_thatMisdescribesASoundCodeObject_isQuarantinedAndTheCodeObjectKept()
      throws IOException {
    String sound = Files.readString(record);
    String size = "\"size\": " + code.size();
    for (String other :
        List.of(
            "\"size\": 3463",
            "\"size\": 3465",
            "\"size\": 1",
            size + ", \"instances\": [{\"name\": \"f<int>\", \"kernel\": \"f\"}]")) {
      String mismatched = sound.replace(size, other);
      assertThat(mismatched).isNotEqualTo(sound);
      Files.writeString(record, mismatched);

      assertThat(found()).isEmpty();
      assertThat(record).doesNotExist();
      assertThat(image).exists();
      put();
    }
  }

  @Test
  void codeObject_ofAnotherTargetUnderItsRightName_isNotServed() throws IOException {
    CodeObject other = codeObject("gfx1030");
    Path otherImage = directory.codeObject(Request.of(entry), other.digest());
    Files.write(otherImage, Fixtures.image("gfx1030"));
    String text = Files.readString(record);
    Files.writeString(
        record,
        text.replace(code.digest().toString(), other.digest().toString())
            .replace("\"size\": " + code.size(), "\"size\": " + other.size()));

    assertThat(found()).isEmpty();
    assertThat(store.quarantined()).isEqualTo(1);
  }

  @Test
  void codeObject_notAnElfUnderItsRightName_isQuarantined() throws IOException {
    byte[] bundle = "__CLANG_OFFLOAD_BUNDLE__".getBytes(US_ASCII);
    Path path = directory.codeObject(Request.of(entry), Digest.of(bundle));
    Files.write(path, bundle);
    String text = Files.readString(record);
    Files.writeString(record, text.replace(code.digest().toString(), Digest.of(bundle).toString()));

    assertThat(found()).isEmpty();
    assertThat(path).doesNotExist();
  }

  @Test
  void dependencies_bitFlippedCutOrExtended_areQuarantinedUntilPutAgain() throws IOException {
    byte[] sound = Files.readAllBytes(list);
    for (int offset = 0; offset < sound.length; offset++) {
      byte[] flipped = sound.clone();
      flipped[offset] ^= (byte) (1 << (offset % 8));
      assertListQuarantinedUntilPutAgain(flipped);
    }
    for (int length : List.of(0, 1, sound.length - 1, sound.length + 1)) {
      assertListQuarantinedUntilPutAgain(Arrays.copyOf(sound, length));
    }
  }

  @Test
  void dependencies_gone_areNoneAndTheEntryStays() throws IOException {
    Files.delete(list);

    assertThat(store.dependencies(entry)).isEmpty();
    assertThat(found()).contains(stored);
    assertThat(store.quarantined()).isZero();
  }

  @Test
  void record_thatIsADirectory_isQuarantinedUntilPutAgain() throws IOException {
    Files.delete(record);
    Files.createDirectories(record.resolve("child"));

    assertThat(found()).isEmpty();
    put();
    assertThat(found()).isPresent();
  }

  @Test
  void read_damagedRecordReplacedTwiceWhileItIsMovedAside_leavesTheSecond() throws IOException {
    byte[] sound = Files.readAllBytes(record);
    Files.write(record, new byte[] {1});
    CodeObject newer = variant("gfx90a", 1);
    CacheEntry replacing = entry("vadd.hip", newer);
    DiskStore reader =
        open(
            new StepHookFileOperations(
                (step, operation, path) -> {
                  if (operation.equals("rename")) {
                    Files.write(record, sound);
                  } else if (path.startsWith(directory.quarantine()) && operation.equals("read")) {
                    put(replacing, newer);
                  }
                }));

    assertThat(found(reader)).isEmpty();

    assertThat(find(store, "vadd.hip", newer)).contains(new StoredEntry(replacing, newer));
    assertThat(directory.quarantine()).isEmptyDirectory();
    assertThat(reader.quarantined()).isZero();
  }

  @Test
  void read_damagedFileReplacedBeforeTheSecondLook_isServed() throws IOException {
    byte[] sound = Files.readAllBytes(image);
    Files.write(image, new byte[10]);
    AtomicBoolean looked = new AtomicBoolean();
    DiskStore reader =
        open(
            before(
                "read",
                () -> {
                  if (looked.getAndSet(true)) {
                    Files.write(image, sound);
                  }
                },
                image));

    assertThat(found(reader)).contains(stored);
  }

  @Test
  void read_damagedFileReplacedWhileItIsLookedAt_isLeftInPlace() throws IOException {
    byte[] sound = Files.readAllBytes(image);
    Files.write(image, new byte[10]);
    FileOperations replacing =
        before(
            "rename",
            () -> {
              // A writer is faster than the reader that is about to move the file aside.
              Files.write(image, sound);
            });
    DiskStore reader = open(replacing);

    assertThat(found(reader)).isEmpty();
    assertThat(reader.quarantined()).isZero();
    assertThat(found(reader)).contains(stored);
  }

  @Test
  void read_damagedFileThatCannotBeMoved_isAMiss() throws IOException {
    Files.write(image, new byte[10], StandardOpenOption.TRUNCATE_EXISTING);
    DiskStore reader =
        open(
            new StepHookFileOperations(
                (step, operation, path) -> {
                  if (!operation.equals("read")) {
                    throw new IOException("Read-only file system");
                  }
                }));

    assertThat(found(reader)).isEmpty();
    assertThat(reader.quarantined()).isZero();
    assertThat(image).exists();
  }

  private void assertListQuarantinedUntilPutAgain(byte[] damaged) throws IOException {
    Files.write(list, damaged);
    long before = store.quarantined();

    assertThat(store.dependencies(entry)).as("%d bytes", damaged.length).isEmpty();
    assertThat(store.quarantined()).isEqualTo(before + 1);
    assertThat(list).doesNotExist();
    put();
    assertThat(store.dependencies(entry).orElseThrow().files())
        .isEqualTo(Fixtures.DEPENDENCIES.files());
  }

  private void assertQuarantinedUntilPutAgain(Path file, byte[] damaged) throws IOException {
    Files.write(file, damaged);
    long before = store.quarantined();

    assertThat(found()).as("%d bytes", damaged.length).isEmpty();
    assertThat(store.quarantined()).isEqualTo(before + 1);
    assertThat(file).doesNotExist();
    put();
    assertThat(found()).contains(stored);
  }
}
