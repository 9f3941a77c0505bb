// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.TOOLCHAIN;
import static dev.kcache.cache.store.Fixtures.codeObject;
import static dev.kcache.cache.store.Fixtures.entry;
import static dev.kcache.cache.store.Fixtures.find;
import static dev.kcache.cache.store.Fixtures.findNewest;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Things that were put where a record, a code object or a list of dependencies belongs: none is
 * believed for its name, and none is waited for.
 */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlantedEntryTest {
  private static final CodeObject CODE = codeObject("gfx90a");
  private static final CacheEntry ENTRY = entry("vadd.hip", CODE);
  private static final CodeObject OTHER_CODE = variant("gfx90a", 1);
  private static final CacheEntry OTHER = entry("other.hip", OTHER_CODE);

  @TempDir Path temp;
  private Path root;
  private DirectoryLayout directory;

  /** What stands where a sound file belongs. */
  private enum Plant {
    PIPE {
      @Override
      void at(Path path, Path sound) throws Exception {
        run("mkfifo", path.toString());
      }
    },
    DEVICE {
      @Override
      void at(Path path, Path sound) throws Exception {
        assumeTrue(Files.getAttribute(path.getParent(), "unix:uid").equals(0), "only root can");
        run("mknod", "-m", "644", path.toString(), "c", "1", "5");
      }
    },
    LINK_TO_A_DEVICE {
      @Override
      void at(Path path, Path sound) throws Exception {
        Files.createSymbolicLink(path, Path.of("/dev/zero"));
      }
    },
    LINK_TO_THE_SOUND_FILE {
      @Override
      void at(Path path, Path sound) throws Exception {
        Files.createSymbolicLink(path, sound);
      }
    },
    DIRECTORY {
      @Override
      void at(Path path, Path sound) throws Exception {
        Files.createDirectories(path.resolve("child"));
      }
    },
    HUGE_AND_SPARSE {
      @Override
      void at(Path path, Path sound) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
          file.setLength(1L << 40);
        }
      }
    },
    EMPTY {
      @Override
      void at(Path path, Path sound) throws Exception {
        Files.createFile(path);
      }
    };

    abstract void at(Path path, Path sound) throws Exception;

    private static void run(String... command) throws Exception {
      assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }
  }

  @BeforeEach
  void putTwoEntries() throws IOException {
    root = temp.resolve("root");
    directory = new DirectoryLayout(root);
    open().put(ENTRY, CODE, Fixtures.DEPENDENCIES);
    open().put(OTHER, OTHER_CODE, Fixtures.DEPENDENCIES);
  }

  @ParameterizedTest
  @EnumSource
  void record_replaced_isAMissUntilPutAgain(Plant plant) throws Exception {
    plant(plant, record(ENTRY));

    assertMissUntilPutAgain();
  }

  @ParameterizedTest
  @EnumSource
  void codeObject_replaced_isAMissUntilPutAgain(Plant plant) throws Exception {
    plant(plant, image(ENTRY));

    assertMissUntilPutAgain();
  }

  @ParameterizedTest
  @EnumSource
  void dependencies_replaced_areNoneUntilPutAgain(Plant plant) throws Exception {
    Path list = directory.dependencies(Request.of(ENTRY), ENTRY.dependencies());
    plant(plant, list);

    assertThat(Layer.in(root).dependencies(ENTRY)).isEmpty();
    assertThat(open().dependencies(ENTRY)).isEmpty();
    open().put(ENTRY, CODE, Fixtures.DEPENDENCIES);
    assertThat(open().dependencies(ENTRY)).isPresent();
  }

  @ParameterizedTest
  @EnumSource(names = {"LINK_TO_THE_SOUND_FILE"})
  void directoryOfATargetOrARequest_replaced_isAMiss(Plant plant) throws Exception {
    Path request = directory.requestDirectory(Request.of(ENTRY));
    plant(plant, request);
    assertMiss();
    Files.delete(request);
    Files.move(temp.resolve("sound"), request);
    assertThat(find(open(), "vadd.hip", CODE)).isPresent();

    plant(plant, directory.targetDirectory(ENTRY.target(), ENTRY.label()));
    assertMiss();
  }

  @Test
  void record_ofAnotherRequestUnderThisName_isAMissUntilPutAgain() throws IOException {
    Files.delete(record(ENTRY));
    Files.createLink(record(ENTRY), record(OTHER));

    assertMissUntilPutAgain();
    assertThat(find(open(), "other.hip", OTHER_CODE)).isPresent();
  }

  @Test
  void codeObject_underTheNameOfAnother_isAMissUntilPutAgain() throws IOException {
    Files.delete(image(ENTRY));
    Files.createLink(image(ENTRY), image(OTHER));

    assertMissUntilPutAgain();
    assertThat(find(open(), "other.hip", OTHER_CODE)).isPresent();
  }

  @Test
  void record_thatNamesAFileElsewhere_isAMiss() throws IOException {
    Path precious = Files.write(temp.resolve("precious.co"), Files.readAllBytes(image(ENTRY)));
    String text = Files.readString(record(ENTRY), US_ASCII);
    for (UnaryOperator<String> change :
        Set.<UnaryOperator<String>>of(
            record -> record.replace(ENTRY.codeObject().toString(), "../../precious"),
            record -> record.replace(ENTRY.codeObject().toString(), precious.toString()),
            record -> record.replace(ENTRY.dependencies().toString(), "../../precious"),
            record -> record.replace("\"gfx90a\"", "\"../../x\""),
            record -> record.replace("\"5.2\"", "\"../..\""))) {
      assertThat(change.apply(text)).isNotEqualTo(text);
      Files.writeString(record(ENTRY), change.apply(text), US_ASCII);

      assertMiss();
      assertThat(precious).exists();
      open().put(ENTRY, CODE, Fixtures.DEPENDENCIES);
    }
  }

  /** Moves what is there to a file called {@code sound}. */
  private void plant(Plant plant, Path path) throws Exception {
    Path sound = Files.move(path, temp.resolve("sound"));
    plant.at(path, sound);
  }

  private void assertMissUntilPutAgain() throws IOException {
    assertMiss();
    open().put(ENTRY, CODE, Fixtures.DEPENDENCIES);
    assertThat(find(open(), "vadd.hip", CODE)).contains(new StoredEntry(ENTRY, CODE));
  }

  /** In the layer first: there nothing is moved aside. */
  private void assertMiss() {
    Request request = Request.of(ENTRY);
    assertThat(find(Layer.in(root), request, TOOLCHAIN)).isEmpty();
    assertThat(findNewest(Layer.in(root), request)).isEmpty();
    assertThat(open().maintenance().health().fault()).isEmpty();
    assertThat(findNewest(open(), request)).isEmpty();
    assertThat(find(open(), "vadd.hip", CODE)).isEmpty();
  }

  private Path record(CacheEntry entry) {
    return directory.record(Request.of(entry), TOOLCHAIN).file();
  }

  private Path image(CacheEntry entry) {
    return directory.codeObject(Request.of(entry), entry.codeObject());
  }

  private DiskStore open() {
    return DiskStore.open(root, Access.PRIVATE);
  }
}
