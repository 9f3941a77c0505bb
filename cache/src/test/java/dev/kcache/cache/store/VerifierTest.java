// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.DEPENDENCIES;
import static dev.kcache.cache.store.Fixtures.age;
import static dev.kcache.cache.store.Fixtures.codeObject;
import static dev.kcache.cache.store.Fixtures.entry;
import static dev.kcache.cache.store.Fixtures.remove;
import static dev.kcache.cache.store.Fixtures.variant;
import static dev.kcache.cache.store.StepHookFileOperations.before;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.Finding.Kind;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.directory.Verification;
import dev.kcache.codeobject.CodeObject;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a verification finds, what a repair leaves, and that use beside it is no finding. */
class VerifierTest extends StoreTestBase {
  private static final MaintenanceListener NOBODY = (directory, done, total) -> {};

  private Path image;
  private Path record;
  private Path list;

  @BeforeEach
  void putTwoEntries() throws IOException {
    put();
    CodeObject other = codeObject("gfx1030");
    put(entry("vsub.hip", other), other);
    image = image(entry);
    record = record(entry);
    list = list(entry);
  }

  @Test
  void sound_hasNoFindings() {
    List<String> heard = new ArrayList<>();

    Verification verification =
        store
            .maintenance()
            .verify((where, done, total) -> heard.add(where + " " + done + "/" + total));

    assertThat(verification)
        .isEqualTo(
            new Verification(
                List.of(root), 2, 2, code.size() + codeObject("gfx1030").size(), List.of()));
    assertThat(heard).hasSize(6).startsWith(root + " 1/6").endsWith(root + " 6/6");
  }

  @Test
  void directoryBehindALink_isVerified() throws IOException {
    Path link = Files.createSymbolicLink(temp.resolve("link"), root);

    Verification verification = verify(open(link));

    assertThat(verification.findings()).isEmpty();
    assertThat(verification.codeObjects()).isEqualTo(2);
  }

  @Test
  void linkInThePlaceOfACodeObject_isOneFindingAndIsMovedAside() throws IOException {
    Path elsewhere = Files.move(image, temp.resolve("elsewhere"));
    Files.createSymbolicLink(image, elsewhere);

    assertThat(verify(store).findings()).extracting(Finding::file).containsExactly(image);
    Verification repaired = repair(store);

    assertThat(repaired.findings()).extracting(Finding::file).containsExactly(record, image);
    assertThat(repaired.isSound()).isTrue();
    assertThat(Files.exists(image, LinkOption.NOFOLLOW_LINKS)).isFalse();
    assertThat(elsewhere).exists();
  }

  @Test
  void pipeInTheDirectoryOfATarget_isWaitedForByNobody() throws Exception {
    Path pipe = image.resolveSibling("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();

    assertThat(repair(store).findings()).isEmpty();
    assertThat(store.maintenance().planAll().remove(() -> false).failure()).isEmpty();
    assertThat(pipe).exists();
  }

  @Test
  void stickyDirectory_staysWhatItIs() throws Exception {
    Path foreign = Files.createDirectory(directory.staging());
    Files.setAttribute(foreign, "unix:mode", 01777);

    repair(store);

    assertThat((int) Files.getAttribute(foreign, "unix:mode") & 07777).isEqualTo(01777);
  }

  @Test
  void directoryThatGivesItsGroup_stillDoesWhenClosed() throws Exception {
    Path target = image.getParent();
    Files.setAttribute(target, "unix:mode", 02777);

    assertThat(repair(store).findings()).hasSize(1);

    assertThat((int) Files.getAttribute(target, "unix:mode") & 07777).isEqualTo(02755);
  }

  @Test
  void missingDirectory_hasNoFindingsAndIsNotMade() {
    Path missing = temp.resolve("missing");

    assertThat(repair(open(missing)).findings()).isEmpty();
    assertThat(missing).doesNotExist();
  }

  @Test
  void codeObject_damaged_isQuarantinedWithItsEntry() throws IOException {
    byte[] bytes = Files.readAllBytes(image);
    bytes[bytes.length / 2] ^= 1;
    Files.write(image, bytes);

    assertFound(Kind.DAMAGED, image, "bytes whose SHA-256 is not the file's name");
    assertThat(repair(store).findings())
        .extracting(Finding::kind, Finding::file, Finding::repaired)
        .containsExactlyInAnyOrder(
            tuple(Kind.DAMAGED, image, true), tuple(Kind.INCOMPLETE, record, true));
    assertSound();
    assertThat(DirectoryListing.list(directory.quarantine())).hasSize(1);
  }

  @Test
  void record_damaged_isQuarantined() throws IOException {
    Files.writeString(record, "{");

    assertThat(kinds(verify(store))).containsExactly(Kind.DAMAGED);
    assertThat(record).exists();
    assertThat(repair(store).isSound()).isTrue();
    assertThat(record).doesNotExist();
  }

  @Test
  void record_underAnothersName_isDamaged() throws IOException {
    Path foreign = directory.record(Request.of(entry), Fixtures.digest("other")).file();
    Files.copy(record, foreign);

    assertFound(Kind.DAMAGED, foreign, "a record of something else than its name says");
  }

  @Test
  void record_thatMisdescribesItsCodeObject_isDamaged() throws IOException {
    String text = Files.readString(record);
    Files.writeString(record, text.replace("\"size\": " + code.size(), "\"size\": 1"));

    assertRepaired(Kind.DAMAGED, record, "a record that misdescribes its code object");
  }

  @Test
  void record_ofALaterVersion_isNoFindingAndKeepsItsCodeObject() throws IOException {
    String text = Files.readString(record);
    Files.writeString(record, text.replace(EntryCodec.SCHEMA, "kcache.record/9"));
    age(image, Duration.ofDays(3));

    assertThat(repair(store).findings()).isEmpty();
    assertThat(image).exists();
  }

  @Test
  void codeObject_gone_isAnIncompleteEntry() throws IOException {
    Files.delete(image);

    assertRepaired(Kind.INCOMPLETE, record, "its code object is gone");
    assertThat(record).doesNotExist();
  }

  @Test
  void dependencies_goneOrDamaged_areFound() throws IOException {
    byte[] sound = Files.readAllBytes(list);
    Files.delete(list);
    assertFound(Kind.INCOMPLETE, record, "its list of dependencies is gone");

    Files.write(list, new byte[sound.length]);
    assertRepaired(Kind.DAMAGED, list, "bytes whose SHA-256 is not the file's name");
  }

  @Test
  void orphan_pastTheGraceOnly_isFound() throws IOException {
    Path orphan = orphan(1);
    Path young = orphan(2);
    age(orphan, EntryRemover.GRACE.plusMinutes(1));

    assertRepaired(Kind.ORPHAN, orphan, "no record names it");
    assertThat(orphan).doesNotExist();
    assertThat(young).exists();
  }

  @Test
  void leftover_olderThanADayOnly_isFound() throws IOException {
    Path left =
        Files.createFile(directory.temporaryIn(directory.requestDirectory(Request.of(entry))));
    Path busy = Files.createFile(directory.temporaryIn(root));
    age(left, Duration.ofHours(25));

    assertRepaired(Kind.LEFTOVER, left, "a killed writer left it");
    assertThat(left).doesNotExist();
    assertThat(busy).exists();
  }

  @Test
  void permissions_ofAnyPart_areFoundAndClosed() throws IOException {
    List<Path> open = List.of(record, image, list, record.getParent(), image.getParent(), root);
    for (Path path : open) {
      var sound = Files.getPosixFilePermissions(path);
      setPermissions(path, "rwxrwx---");

      assertThat(verify(open()).findings())
          .extracting(Finding::kind, Finding::file)
          .containsExactly(tuple(Kind.PERMISSIONS, path));
      assertThat(repair(open()).isSound()).isTrue();
      assertThat(permissions(path)).isEqualTo("rwxr-x---");
      Files.setPosixFilePermissions(path, sound);
    }
    assertSound();
  }

  @Test
  void fileOfAnotherUser_isFoundAndStays() throws IOException {
    give(record);

    Verification repaired = repair(store);

    assertThat(repaired.isSound()).isFalse();
    assertThat(kinds(repaired)).containsExactly(Kind.PERMISSIONS);
    assertThat(record).exists();
  }

  @Test
  void permissions_ofWhatALinkLeadsTo_areLeftAlone() throws IOException {
    DiskStore layer = layer();
    Path soft = new DirectoryLayout(layer.root()).codeObject(Request.of(entry), code.digest());
    Path hard = soft.resolveSibling(Fixtures.digest("hard") + ".co");
    List<Path> secrets = List.of(temp.resolve("one"), temp.resolve("two"));
    for (Path secret : secrets) {
      Files.copy(soft, secret);
      setPermissions(secret, "rw--w----");
    }
    Files.delete(soft);
    Files.createSymbolicLink(soft, secrets.get(0));
    Files.createLink(hard, secrets.get(1));

    assertThat(repair(layer).findings()).isNotEmpty();
    assertThat(verify(layer).findings()).isEmpty();
    for (Path secret : secrets) {
      assertThat(permissions(secret)).isEqualTo("rw--w----");
    }
  }

  @Test
  void permissions_whereAnotherUserCanReplaceTheFile_areLeftAlone() throws IOException {
    setPermissions(record, "rw--w----");
    give(record.getParent());

    assertThat(repair(store).isSound()).isFalse();
    assertThat(permissions(record)).isEqualTo("rw--w----");
  }

  @Test
  void layer_closedToOthersInPart_isOpened() throws IOException {
    DiskStore layer = layer();
    Path closed = new DirectoryLayout(layer.root()).codeObject(Request.of(entry), code.digest());
    setPermissions(closed, "rw-------");

    assertThat(kinds(Layer.in(layer.root()).verify(NOBODY))).containsExactly(Kind.PERMISSIONS);
    assertThat(repair(layer).isSound()).isTrue();
    assertThat(permissions(closed)).isEqualTo("rw-r--r--");
  }

  @Test
  void layer_thatIsPrivateAsAWhole_staysClosed() throws IOException {
    setPermissions(root, "rwx------");

    assertThat(repair(DiskStore.open(root, Access.LAYER)).findings()).isEmpty();
  }

  @Test
  void layer_isNeverChanged() throws IOException {
    Files.write(image, new byte[10]);
    Files.delete(list);

    Verification found = Layer.in(root).verify(NOBODY);

    assertThat(kinds(found)).containsExactlyInAnyOrder(Kind.DAMAGED, Kind.INCOMPLETE);
    assertThat(image).exists();
    assertThat(record).exists();
    assertThat(DirectoryListing.list(root)).doesNotContain(directory.quarantine());
  }

  @Test
  void damagedFile_replacedBeforeTheSecondLook_isNoFinding() throws IOException {
    byte[] sound = Files.readAllBytes(image);
    Files.write(image, new byte[10]);
    AtomicBoolean seen = new AtomicBoolean();
    DiskStore reader =
        open(
            before(
                "read",
                () -> {
                  if (seen.getAndSet(true)) {
                    Files.write(image, sound);
                  }
                },
                image));

    assertThat(repair(reader).findings()).isEmpty();
    assertThat(found()).contains(stored);
  }

  @Test
  void damagedFile_replacedWhileItIsMovedAside_isNoFinding() throws IOException {
    byte[] sound = Files.readAllBytes(image);
    Files.write(image, new byte[10]);
    DiskStore reader = open(before("rename", () -> Files.write(image, sound), image));

    assertThat(repair(reader).findings()).isEmpty();
    assertThat(found()).contains(stored);
  }

  @Test
  void entry_storedAgainWhenItsCodeObjectWasMissed_isNoFinding() throws IOException {
    Files.delete(image);
    AtomicInteger reads = new AtomicInteger();
    DiskStore reader =
        open(
            before(
                "read",
                () -> {
                  if (reads.incrementAndGet() == 2) {
                    put();
                  }
                },
                record));

    assertThat(repair(reader).findings()).isEmpty();
    assertThat(found()).contains(stored);
  }

  @Test
  void entry_evictedWhileItIsVerified_isNoFinding() throws IOException {
    EntryRemover remover = new EntryRemover(directory, FileOperations.of(root), Access.PRIVATE);
    DiskStore reader =
        open(
            before(
                "read",
                () ->
                    remove(
                        remover, List.of(directory.record(Request.of(entry), entry.toolchain()))),
                image));

    assertThat(verify(reader).findings()).isEmpty();
    assertThat(image).doesNotExist();
  }

  @Test
  void codeObject_writtenAgainAfterItWasNotThere_isNoFinding() throws IOException {
    byte[] content = Files.readAllBytes(image);
    DiskStore reader =
        open(
            before(
                "read",
                () -> {
                  Files.delete(image);
                  Files.write(image.resolveSibling("new"), content);
                  Files.move(image.resolveSibling("new"), image);
                  throw new FileNotFoundException(image + " is not there");
                },
                image));

    assertThat(verify(reader).findings()).isEmpty();
    assertThat(image).exists();
  }

  @Test
  void repair_besideAWriterAndARemover_findsNothing() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    CountDownLatch started = new CountDownLatch(1);
    EntryRemover remover = new EntryRemover(directory, FileOperations.of(root), Access.PRIVATE);
    FutureTask<Integer> churn =
        new FutureTask<>(
            () -> {
              int rounds = 0;
              while (!stop.get() || rounds == 0) {
                for (int i = 0; i < 20; i++) {
                  put(i, Duration.ZERO);
                }
                started.countDown();
                remove(
                    remover,
                    directory.listing().records().stream()
                        .filter(name -> !name.file().equals(record))
                        .toList());
                rounds++;
              }
              return rounds;
            });
    new Thread(churn).start();
    started.await();
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      findings.addAll(repair(open()).findings());
    }
    stop.set(true);

    assertThat(churn.get()).isPositive();
    assertThat(findings).isEmpty();
    assertThat(found()).isPresent();
  }

  private void assertFound(Kind kind, Path file, String problem) {
    assertThat(verify(store).findings()).containsExactly(new Finding(kind, file, problem, false));
  }

  private void assertRepaired(Kind kind, Path file, String problem) {
    assertFound(kind, file, problem);
    assertThat(repair(store).isSound()).isTrue();
    assertSound();
  }

  private DiskStore layer() throws IOException {
    DiskStore layer = DiskStore.open(temp.resolve("shared"), Access.LAYER);
    layer.put(entry, code, DEPENDENCIES);
    return layer;
  }

  private static Verification verify(DiskStore store) {
    return store.maintenance().verify(NOBODY);
  }

  private static Verification repair(DiskStore store) {
    return store.maintenance().repair(NOBODY);
  }

  private void assertSound() {
    assertThat(verify(open()).findings()).isEmpty();
  }

  private static List<Kind> kinds(Verification verification) {
    return verification.findings().stream().map(Finding::kind).toList();
  }

  private Path orphan(int number) throws IOException {
    CodeObject orphan = variant("gfx90a", number);
    byte[] bytes = new byte[orphan.size()];
    orphan.bytes().get(bytes);
    return Files.write(directory.codeObject(Request.of(entry), orphan.digest()), bytes);
  }
}
