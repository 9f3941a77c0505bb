// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.entry;
import static dev.kcache.cache.store.Fixtures.find;
import static dev.kcache.cache.store.Fixtures.variant;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Things that were put where a record, a code object or a list of dependencies belongs: none is
 * believed for its name, and none is waited for.
 */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlantedEntryTest extends StoreTestBase {
  private final CodeObject otherCode = variant("gfx90a", 1);
  private final CacheEntry other = entry("other.hip", otherCode);

  /** What stands where a sound file belongs. */
  @SuppressWarnings("ImmutableEnumChecker") // the functions are stateless
  enum Plant {
    PIPE((path, sound) -> run("mkfifo", path.toString())),
    DEVICE((path, sound) -> run("mknod", "-m", "644", path.toString(), "c", "1", "5")),
    LINK_TO_A_DEVICE((path, sound) -> Files.createSymbolicLink(path, Path.of("/dev/zero"))),
    LINK_TO_THE_SOUND_FILE(Files::createSymbolicLink),
    DIRECTORY((path, sound) -> Files.createDirectories(path.resolve("child"))),
    HUGE_AND_SPARSE(
        (path, sound) -> {
          try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(1L << 40);
          }
        }),
    EMPTY((path, sound) -> Files.createFile(path));

    private final Gardener gardener;

    Plant(Gardener gardener) {
      this.gardener = gardener;
    }

    private interface Gardener {
      void plant(Path path, Path sound) throws Exception;
    }

    private static void run(String... command) throws Exception {
      assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }
  }

  @BeforeEach
  void putTwoEntries() throws IOException {
    put();
    put(other, otherCode);
  }

  @ParameterizedTest
  @EnumSource
  void record_replaced_isAMissUntilPutAgain(Plant plant) throws Exception {
    plant(plant, record(entry));

    assertMissUntilPutAgain();
  }

  @ParameterizedTest
  @EnumSource
  void codeObject_replaced_isAMissUntilPutAgain(Plant plant) throws Exception {
    plant(plant, image(entry));

    assertMissUntilPutAgain();
  }

  @ParameterizedTest
  @EnumSource
  void dependencies_replaced_areNoneUntilPutAgain(Plant plant) throws Exception {
    Path list = list(entry);
    plant(plant, list);

    assertThat(Layer.in(root).dependencies(entry)).isEmpty();
    assertThat(open().dependencies(entry)).isEmpty();
    put();
    assertThat(open().dependencies(entry)).isPresent();
  }

  @ParameterizedTest
  @EnumSource(names = {"LINK_TO_THE_SOUND_FILE"})
  void directoryOfATargetOrARequest_replaced_isAMiss(Plant plant) throws Exception {
    Path request = directory.requestDirectory(Request.of(entry));
    plant(plant, request);
    assertMiss();
    Files.delete(request);
    Files.move(temp.resolve("sound"), request);
    assertThat(found(open())).isPresent();

    plant(plant, directory.targetDirectory(entry.target(), entry.label()));
    assertMiss();
  }

  @Test
  void record_ofAnotherRequestUnderThisName_isAMissUntilPutAgain() throws IOException {
    Files.delete(record(entry));
    Files.createLink(record(entry), record(other));

    assertMissUntilPutAgain();
    assertThat(find(open(), "other.hip", otherCode)).isPresent();
  }

  @Test
  void codeObject_underTheNameOfAnother_isAMissUntilPutAgain() throws IOException {
    Files.delete(image(entry));
    Files.createLink(image(entry), image(other));

    assertMissUntilPutAgain();
    assertThat(find(open(), "other.hip", otherCode)).isPresent();
  }

  @Test
  void record_thatNamesAFileElsewhere_isAMiss() throws IOException {
    Path precious = Files.write(temp.resolve("precious.co"), Files.readAllBytes(image(entry)));
    String text = Files.readString(record(entry), US_ASCII);
    for (UnaryOperator<String> change :
        Set.<UnaryOperator<String>>of(
            record -> record.replace(entry.codeObject().toString(), "../../precious"),
            record -> record.replace(entry.codeObject().toString(), precious.toString()),
            record -> record.replace(entry.dependencies().toString(), "../../precious"),
            record -> record.replace("\"gfx90a\"", "\"../../x\""),
            record -> record.replace("\"5.2\"", "\"../..\""))) {
      assertThat(change.apply(text)).isNotEqualTo(text);
      Files.writeString(record(entry), change.apply(text), US_ASCII);

      assertMiss();
      assertThat(precious).exists();
      put();
    }
  }

  /** Moves what is there to a file called {@code sound}. */
  private void plant(Plant plant, Path path) throws Exception {
    if (plant == Plant.DEVICE) {
      assumeTrue(Files.getAttribute(root, "unix:uid").equals(0), "only root can make a device");
    }
    plant.gardener.plant(path, Files.move(path, temp.resolve("sound")));
  }

  private void assertMissUntilPutAgain() throws IOException {
    assertMiss();
    put();
    assertThat(found(open())).contains(stored);
  }

  /** In the layer first: there nothing is moved aside. */
  private void assertMiss() {
    assertMissed(Layer.in(root));
    assertThat(open().maintenance().health().fault()).isEmpty();
    assertMissed(open());
  }
}
