// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.DEPENDENCIES;
import static dev.kcache.cache.store.Fixtures.entry;
import static dev.kcache.cache.store.Fixtures.find;
import static dev.kcache.cache.store.Fixtures.variant;
import static dev.kcache.cache.store.StepHookFileOperations.before;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.torture.Torture;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever ends a writer at whatever step, readers see the old entry or the new one, whole. */
class CommitTest extends StoreTestBase {
  private static final int SIGKILLED = 128 + 9;

  /** A directory that cannot be forced, or a list that cannot be read, costs no entry. */
  private static final Set<String> NEVER_FAILING = Set.of("forceDirectory", "read");

  @Test
  @Tag(Torture.TAG)
  void put_killedAtEachStepInANewCache_leavesAMissOrTheEntry() throws Exception {
    int steps = stepsOfAPut(temp.resolve("counted"));
    for (int step = 0; step < steps; step++) {
      Path root = temp.resolve("killed-at-" + step);
      CodeObject code = killedAt(step, root);

      assertWholeEntries(root, Optional.empty(), code);
    }
  }

  @Test
  @Tag(Torture.TAG)
  void put_killedAtEachStepOverAnExistingEntry_leavesThatOrTheNewOne() throws Exception {
    CodeObject old = variant("gfx90a", 1000);
    stepsOfAPut(root);
    int steps = stepsOfAPut(root);
    assertThat(steps).isGreaterThanOrEqualTo(13);
    for (int step = 0; step < steps; step++) {
      CodeObject code = killedAt(step, root);

      assertWholeEntries(root, Optional.of(old), code);
      old = variant("gfx90a", 2000 + step);
      put(root, old);
    }
    assertThat(open(root).entries()).hasSize(1);
  }

  @Test
  void put_failingAtEachStep_throwsAndLeavesTheOldEntryAndNothingElse() throws Exception {
    int steps = stepsOfAPut(root);
    CodeObject old = variant("gfx90a", 1000);
    Path list = listOf(old);
    CodeObject code = variant("gfx90a", 1);
    List<String> failed = new ArrayList<>();
    for (int each = 0; each < steps; each++) {
      int failing = each;
      Files.delete(list);
      StepHookFileOperations files =
          new StepHookFileOperations(
              (step, operation, path) -> {
                if (step == failing && !NEVER_FAILING.contains(operation)) {
                  failed.add(operation);
                  throw new IOException("No space left on device");
                }
              });
      DiskStore store = open(files);
      if (throwsNoSpace(store, code)) {
        assertThat(find(store, "vadd.hip", code).orElseThrow().codeObject()).isEqualTo(old);
      }
      assertThat(temporaries(root)).isEmpty();
      put(root, old);
    }
    assertThat(String.join(" ", failed) + " ")
        .as("the list, the code object, the record")
        .isEqualTo("createFile write write half force rename ".repeat(3));
  }

  @Test
  void put_listThatIsThere_isReadAndNotWrittenAgain() throws IOException {
    List<String> written = new ArrayList<>();
    DiskStore store = open(before("createFile", () -> written.add("file")));
    CodeObject code = put(store, 1);
    Object before = Files.getAttribute(listOf(code), "unix:ino");
    written.clear();
    put(store, 2);

    assertThat(written).as("a code object and a record").hasSize(2);
    assertThat(Files.getAttribute(listOf(code), "unix:ino")).isEqualTo(before);
  }

  @Test
  void put_listDamagedOrGone_isWrittenAgain() throws IOException {
    CodeObject code = put(store, 1);
    Path list = listOf(code);
    byte[] sound = Files.readAllBytes(list);
    for (int length : List.of(0, sound.length - 1, sound.length + 1)) {
      Files.write(list, Arrays.copyOf(sound, length));
      put(store, 2);
      assertThat(list).hasBinaryContent(sound);
    }
    Files.delete(list);
    put(store, 2);
    assertThat(list).hasBinaryContent(sound);
    assertThat(store.quarantined()).isZero();
  }

  @Test
  void put_failsAndCannotCleanUp_saysBoth() throws Exception {
    StepHookFileOperations files =
        before(
            "force",
            () -> {
              // What is no longer a file cannot be removed as one.
              Path temporary = temporaries(root).get(0);
              Files.delete(temporary);
              Files.createDirectories(temporary.resolve("child"));
              throw new IOException("Input/output error");
            });

    assertThatThrownBy(() -> put(open(files), 1))
        .hasMessage("Input/output error")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
  }

  @Test
  void put_directoryThatIsThereAndThenGone_isTriedOnceMore() throws Exception {
    List<Path> removed = new ArrayList<>();
    StepHookFileOperations files =
        new StepHookFileOperations(
            (step, operation, path) -> {
              if (operation.equals("createDirectory") && removed.isEmpty()) {
                // Somebody else made it first, and an eviction then found it empty.
                removed.add(path);
                throw new FileAlreadyExistsException(path.toString());
              }
            });
    CodeObject code = put(open(files), 1);

    assertThat(removed).hasSize(1);
    assertThat(find(store, "vadd.hip", code)).isPresent();
  }

  @Test
  void put_directoryRemovedUnderIt_isTriedOnceMore() throws Exception {
    AtomicBoolean removed = new AtomicBoolean();
    DiskStore store =
        open(
            before(
                "createFile",
                () -> {
                  if (!removed.getAndSet(true)) {
                    throw new NoSuchFileException("removed");
                  }
                }));
    CodeObject code = put(store, 1);

    assertThat(find(store, "vadd.hip", code)).isPresent();
    assertThat(removed).isTrue();
  }

  @Test
  void put_everySeparateProcessAndKey_losesNothing() throws Exception {
    int keys = 200;
    List<ChildJvm> children = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        int start = i * keys / 6;
        children.add(
            ChildJvm.start(
                "many", root.toString(), Integer.toString(keys), Integer.toString(start)));
      }
      for (ChildJvm child : children) {
        assertThat(child.awaitExit()).isZero();
      }
    } finally {
      children.forEach(ChildJvm::close);
    }
    assertThat(store.entries()).hasSize(keys);
    assertThat(temporaries(root)).isEmpty();
  }

  private static void assertWholeEntries(Path root, Optional<CodeObject> old, CodeObject code)
      throws IOException {
    DiskStore store = open(root);
    Optional<CodeObject> found =
        find(store, "vadd.hip", code)
            .map(
                stored -> {
                  assertThat(stored.entry()).isEqualTo(entry("vadd.hip", stored.codeObject()));
                  return stored.codeObject();
                });

    assertThat(found).isIn(old, Optional.of(code));
    assertThat(store.quarantined()).as("damage left by the kill").isZero();
    if (found.isPresent()) {
      assertThat(store.dependencies(entry("vadd.hip", found.get())))
          .as("dependencies of a record that is there")
          .isPresent();
    }
    put(store, 77);
    assertThat(find(store, "vadd.hip", code).orElseThrow().codeObject())
        .isEqualTo(variant("gfx90a", 77));
  }

  private static CodeObject killedAt(int step, Path root) throws Exception {
    try (ChildJvm child = ChildJvm.start("put", root.toString(), Integer.toString(step))) {
      assertThat(child.awaitExit()).isEqualTo(SIGKILLED);
    }
    return variant("gfx90a", step);
  }

  private static int stepsOfAPut(Path root) throws IOException {
    StepHookFileOperations files = new StepHookFileOperations((step, operation, path) -> {});
    put(DiskStore.open(root, Access.PRIVATE, files), 1000);
    return files.steps();
  }

  private Path listOf(CodeObject code) {
    return list(entry("vadd.hip", code));
  }

  private static boolean throwsNoSpace(DiskStore store, CodeObject code) {
    try {
      store.put(entry("vadd.hip", code), code, DEPENDENCIES);
      return false;
    } catch (IOException e) {
      assertThat(e).hasMessage("No space left on device");
      return true;
    }
  }

  private static void put(Path root, CodeObject code) throws IOException {
    open(root).put(entry("vadd.hip", code), code, DEPENDENCIES);
  }

  private static CodeObject put(DiskStore store, int variant) throws IOException {
    CodeObject code = variant("gfx90a", variant);
    store.put(entry("vadd.hip", code), code, DEPENDENCIES);
    return code;
  }

  private static List<Path> temporaries(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(file -> file.getFileName().toString().startsWith(".tmp-")).toList();
    }
  }
}
