// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.PackWriter.Packed;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.Verification;
import dev.kcache.cache.signing.PlaceRule;
import dev.kcache.cache.signing.Revocation;
import dev.kcache.cache.signing.SigningKey;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Packs: one jar with the entries of a directory, as a layer and on the class path. */
class PackTest extends CacheTestBase {
  private static final TargetId GFX942 = TargetId.parse("gfx942");

  private Path pack;

  @BeforeEach
  void forgetWarnings() {
    Notices.clear();
    pack = temp.resolve("kernels.jar");
  }

  private Packed pack(CacheManagerBuilder from) {
    try (CacheManager cache = from.build()) {
      return write(cache, pack);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Packed write(CacheManager cache, Path to, TargetId... targets) throws IOException {
    return PackWriter.write(cache, to, Set.of(targets), (directory, done, total) -> {});
  }

  /** Returns what a check of the packs finds. */
  private static Verification verify(CacheManager cache) {
    return cache.maintenance().verify((directory, done, total) -> {});
  }

  /** Returns a manager with another directory, over layers. */
  private CacheManagerBuilder over(Path... layers) {
    return builder().directory(temp.resolve("own")).layers(List.of(layers));
  }

  private static Map<String, byte[]> contents(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      Map<String, byte[]> contents = new LinkedHashMap<>();
      for (ZipEntry entry : zip.stream().toList()) {
        contents.put(entry.getName(), zip.getInputStream(entry).readAllBytes());
      }
      return contents;
    }
  }

  private static void write(Path jar, Map<String, byte[]> contents) throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (Map.Entry<String, byte[]> each : contents.entrySet()) {
        zip.putNextEntry(new ZipEntry(each.getKey()));
        zip.write(each.getValue());
      }
    }
  }

  @Test
  void pack_servesAsALayerWhateverThePolicy() {
    fill(SOURCE, OTHER);
    Packed packed = pack(builder());
    assertThat(packed).extracting(Packed::entries, Packed::older).containsExactly(2L, 0L);
    int jobs = toolchain.jobs.size();
    for (CachePolicy policy : CachePolicy.values()) {
      assertThat(origin(over(pack).policy(policy), SOURCE)).isEqualTo(Origin.LAYER);
    }
    toolchain.isAbsent = true;
    for (CachePolicy policy : CachePolicy.values()) {
      assertThat(origin(over(pack).policy(policy), OTHER)).isEqualTo(Origin.LAYER);
    }
    assertThat(toolchain.jobs).hasSize(jobs);
    assertThat(temp.resolve("own")).doesNotExist();
  }

  @Test
  void changedCompilerOrHeader_isAMissAsInADirectory() {
    fill(SOURCE);
    pack(builder());
    toolchain.changed = FakeToolchain.HEADERS;
    assertThat(origin(over(pack).directory(temp.resolve("a")), SOURCE)).isEqualTo(Origin.COMPILED);
    toolchain.changed = List.of();
    toolchain.content = "compiler 2";
    assertThat(origin(over(pack).directory(temp.resolve("b")), SOURCE)).isEqualTo(Origin.COMPILED);
    toolchain.content = "compiler 1";
    toolchain.version = "6.4";
    assertThat(origin(over(pack).directory(temp.resolve("c")), SOURCE)).isEqualTo(Origin.COMPILED);
  }

  @Test
  void thousandKernels_areOneFile() throws IOException {
    fill(SOURCE);
    Path record = files(root(), ".json").get(0);
    String text = Files.readString(record);
    String request = CarriedKernels.request(SOURCE, GFX90A).toString();
    for (int i = 1; i < 1000; i++) {
      String other = CarriedKernels.request(source("k" + i), GFX90A).toString();
      Path copy = record.getParent().resolveSibling(other).resolve(record.getFileName());
      Files.createDirectory(copy.getParent());
      Files.writeString(copy, text.replace(request, other));
    }
    Path alone = Files.createDirectory(temp.resolve("alone"));
    pack = alone.resolve("kernels.jar");
    assertThat(pack(builder()).entries()).isEqualTo(1000);
    assertThat(files(alone, "")).containsExactly(alone, pack);
    try (CacheManager cache = over(pack).build()) {
      assertThat(cache.maintenance().health().layers())
          .extracting(each -> each.counts().entries())
          .containsExactly(1000L);
      assertThat(origin(cache, source("k999"))).isEqualTo(Origin.LAYER);
    }
  }

  @Test
  void sameEntries_giveTheSameBytes() throws IOException {
    fill(SOURCE, OTHER);
    pack(builder());
    byte[] first = Files.readAllBytes(pack);
    Path copy = temp.resolve("copy");
    for (Path file : files(root(), "")) {
      Path to = copy.resolve(root().relativize(file).toString());
      Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
    }
    pack(builder().directory(copy));
    assertThat(pack).hasBinaryContent(first);
    assertThat(contents(pack).keySet()).first().isEqualTo("META-INF/MANIFEST.MF");
    assertThat(contents(pack).keySet())
        .filteredOn(name -> name.endsWith(".co"))
        .as("one code object of both")
        .hasSize(1);
    assertThat(Files.getPosixFilePermissions(pack))
        .isEqualTo(PosixFilePermissions.fromString("rw-r--r--"));
  }

  /** So that a hit inflates nothing. */
  @Test
  void parts_areStoredInTheOrderOfTheirRecords() throws IOException {
    fill(SOURCE, OTHER, source("a"), source("b"), source("c"));
    pack(builder());
    try (ZipFile zip = new ZipFile(pack.toFile())) {
      assertThat(zip.stream()).allMatch(entry -> entry.getMethod() == ZipEntry.STORED);
      assertThat(zip.stream().map(ZipEntry::getName).filter(name -> name.endsWith(".json")))
          .hasSize(5)
          .isSorted();
    }
    try (CacheManager cache = over(pack).build()) {
      assertThat(cache.maintenance().entries(pack))
          .extracting(CacheEntry::source)
          .hasSize(5)
          .isSorted();
    }
  }

  @Test
  void severalCompilers_leaveTheLatestOfARequest() throws IOException {
    fill(SOURCE, OTHER);
    toolchain.content = "compiler 2";
    toolchain.version = "6.4";
    fill(SOURCE);
    Packed packed = pack(builder());
    assertThat(packed).extracting(Packed::entries, Packed::older).containsExactly(2L, 1L);
    try (CacheManager cache = over(pack).build()) {
      assertThat(cache.maintenance().entries(pack))
          .extracting(entry -> entry.source() + " " + entry.label())
          .containsExactly("other.hip 5.2", "k.hip 6.4");
    }
  }

  @Test
  void targets_chooseWhatIsPacked() throws IOException {
    try (CacheManager cache = manager()) {
      cache.getOrCompile(SOURCE, GFX90A);
      cache.getOrCompile(SOURCE, GFX942);
      Packed packed = write(cache, pack, GFX942);
      assertThat(packed.entries()).isEqualTo(1);
      assertThat(packed.bytes()).isEqualTo(Files.size(pack));
      Packed none = write(cache, pack, TargetId.parse("gfx1030"));
      assertThat(none).isEqualTo(new Packed(0, 0, 0, 0, List.of(), 0));
      assertThat(files(temp, ".tmp")).isEmpty();
    }
    assertThat(contents(pack).keySet()).anyMatch(name -> name.startsWith("META-INF/kcache/gfx942"));
  }

  @Test
  void order_isThatOfTheLayers() {
    toolchain.log = "packed";
    fill(SOURCE);
    pack(builder());
    toolchain.log = "directory";
    Path directory = temp.resolve("directory");
    assertThat(origin(builder().directory(directory), SOURCE)).isEqualTo(Origin.COMPILED);
    try (CacheManager first = over(pack, directory).build();
        CacheManager second = over(directory, pack).build()) {
      assertThat(first.resolveAsync(SOURCE, GFX90A).join().log()).isEqualTo("packed");
      assertThat(second.resolveAsync(SOURCE, GFX90A).join().log()).isEqualTo("directory");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cut", "text", "empty", "no kernels", "missing", "pipe"})
  void unusableFile_costsOneWarningAndOthersServe(String fault) throws Exception {
    fill(SOURCE, OTHER);
    pack(builder());
    byte[] sound = Files.readAllBytes(pack);
    switch (fault) {
      case "cut" -> Files.write(pack, Arrays.copyOf(sound, sound.length - 30));
      case "text" -> Files.writeString(pack, "not a jar\n");
      case "empty" -> Files.write(pack, new byte[0]);
      case "no kernels" -> write(pack, Map.of("a.class", new byte[] {1}));
      case "missing" -> Files.delete(pack);
      default -> {
        Files.delete(pack);
        assertThat(new ProcessBuilder("mkfifo", pack.toString()).start().waitFor()).isZero();
      }
    }
    try (Warnings warnings = Warnings.of(Directories.class);
        CacheManager cache = over(pack, root()).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.LAYER);
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.LAYER);
      assertThat(warnings.lines()).hasSize(1);
      assertThat(warnings.lines().get(0)).startsWith("not using layer " + pack + ": it ");
      DirectoryHealth health = cache.maintenance().health().layers().get(0);
      assertThat(health.fault()).hasValue(warnings.lines().get(0));
      assertThat(cache.maintenance().layers()).containsExactly(root());
    }
  }

  @Test
  void fileThatOthersCanWrite_isNotUsed() throws IOException {
    fill(SOURCE);
    pack(builder());
    Files.setPosixFilePermissions(pack, PosixFilePermissions.fromString("rw-rw-rw-"));
    try (Warnings warnings = Warnings.of(Directories.class)) {
      assertThat(origin(over(pack), SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines())
          .containsExactly(
              "not using layer "
                  + pack
                  + ": it can be written by other users (rw-rw-rw-); run 'chmod go-w' on it or"
                  + " choose another one");
    }
  }

  @Test
  void replacedPack_isReadByAManagerThatIsOpen() throws IOException {
    fill(SOURCE);
    pack(builder());
    try (CacheManager cache = over(pack).policy(CachePolicy.SEALED).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.LAYER);
      fill(OTHER);
      pack(builder());
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.LAYER);
      Files.delete(pack);
      assertThat(cache.getIfPresent(source("third"), GFX90A)).isEmpty();
    }
  }

  @Test
  void pack_isOpenUntilTheManagerIsClosed() throws IOException {
    fill(SOURCE);
    pack(builder());
    try (CacheManager cache = over(pack).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.LAYER);
      assertThat(isOpen(pack)).isTrue();
    }
    assertThat(isOpen(pack)).isFalse();
  }

  private static boolean isOpen(Path file) {
    File[] open = new File("/proc/self/fd").listFiles();
    return Stream.of(open)
        .anyMatch(
            each -> {
              try {
                return each.toPath().toRealPath().equals(file);
              } catch (IOException e) {
                return false;
              }
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {".json", ".co", ".deps"})
  void alteredPart_isAMissAndAFinding(String suffix) throws IOException {
    fill(SOURCE);
    pack(builder());
    Map<String, byte[]> contents = contents(pack);
    contents.forEach(
        (name, content) -> {
          if (name.endsWith(suffix)) {
            content[suffix.equals(".json") ? 0 : content.length / 2] ^= 1;
          }
        });
    write(pack, contents);
    try (CacheManager cache = over(pack).build()) {
      Verification verification = verify(cache);
      assertThat(verification.findings())
          .isNotEmpty()
          .allMatch(finding -> finding.kind() == Finding.Kind.DAMAGED && !finding.repaired())
          .allMatch(finding -> finding.file().startsWith(pack))
          .allMatch(finding -> finding.file().toString().endsWith(suffix));
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    }
  }

  @Test
  void missingCode_isCountedAndFound() throws IOException {
    fill(SOURCE, OTHER);
    pack(builder());
    Map<String, byte[]> contents = contents(pack);
    try (CacheManager cache = over(pack).build()) {
      Verification sound = verify(cache);
      assertThat(sound.records()).isEqualTo(2);
      assertThat(sound.codeObjects()).as("one code object of both").isEqualTo(1);
      contents.keySet().removeIf(name -> name.endsWith(".co"));
      write(pack, contents);
      assertThat(cache.maintenance().health().layers())
          .extracting(each -> each.counts().entries(), each -> each.counts().incomplete())
          .containsExactly(tuple(0L, 2L));
      assertThat(verify(cache).findings())
          .extracting(Finding::kind)
          .containsExactly(Finding.Kind.INCOMPLETE, Finding.Kind.INCOMPLETE);
    }
  }

  @Test
  void hostileNamesAndSizes_areMisses() throws IOException {
    fill(SOURCE);
    pack(builder());
    Map<String, byte[]> contents = contents(pack);
    String record =
        contents.keySet().stream().filter(name -> name.endsWith(".json")).findFirst().get();
    contents.put("../outside.json", new byte[] {1});
    contents.put("/META-INF/kcache/gfx90a/" + "0".repeat(64) + ".json", new byte[] {1});
    contents.put("META-INF/kcache/../kcache/" + "0".repeat(64) + ".json", new byte[] {1});
    contents.put("META-INF/kcache/nothing/" + "0".repeat(64) + ".json", new byte[] {1});
    contents.put(record.replaceAll("[0-9a-f]{64}", "1".repeat(64)), new byte[9 << 20]);
    write(pack, contents);
    try (CacheManager cache = over(pack).build()) {
      assertThat(cache.maintenance().entries(pack)).hasSize(1);
      assertThat(cache.maintenance().unusableRecords(pack)).isEqualTo(1);
      assertThat(verify(cache).findings())
          .extracting(Finding::problem)
          .containsExactly("more than the 8388608 bytes that it may have");
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.LAYER);
    }
    contents.put(record, new byte[9 << 20]);
    write(pack, contents);
    assertThat(origin(over(pack), SOURCE)).isEqualTo(Origin.COMPILED);
  }

  @Test
  void signedRecord_keepsItsBytesAndServesWhoTrustsTheKey() throws Exception {
    Path key = temp.resolve("key");
    Path other = temp.resolve("other");
    SigningKey.create(key);
    SigningKey.create(other);
    try (CacheManager cache = builder().signKey(key).build()) {
      cache.getOrCompile(SOURCE, GFX90A);
    }
    pack(builder());
    Map<String, byte[]> contents = contents(pack);
    for (String suffix : List.of(".json", ".sig")) {
      String name =
          contents.keySet().stream().filter(each -> each.endsWith(suffix)).toList().get(0);
      assertThat(contents.get(name)).isEqualTo(Files.readAllBytes(files(root(), suffix).get(0)));
    }
    assertThat(origin(over(pack).trustedKeys(Path.of(key + ".pub")), SOURCE))
        .isEqualTo(Origin.LAYER);
    try (Warnings warnings = Warnings.of(PlaceRule.class)) {
      assertThat(origin(over(pack).trustedKeys(Path.of(other + ".pub")), SOURCE))
          .isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines()).hasSize(1);
      assertThat(warnings.lines().get(0))
          .startsWith("not using kernels of layer " + pack + " that no trusted key has signed");
    }
  }

  @Test
  void revokedEntry_isLeftOutAndServesFromNoPack() throws Exception {
    Path key = temp.resolve("key");
    SigningKey.create(key);
    CacheEntry entry;
    try (CacheManager cache = builder().signKey(key).build()) {
      cache.getOrCompile(SOURCE, GFX90A);
      cache.getOrCompile(SOURCE, GFX942);
      entry = cache.maintenance().entries().get(0);
    }
    pack(builder());
    Path before = Files.move(pack, temp.resolve("before.jar"));
    try (CacheManager cache = builder().signKey(key).build()) {
      cache.revoke(
          new Revocation(
              Revocation.Kind.CODE, entry.codeObject().toString(), "it hangs", entry.created()));
      assertThat(cache.getIfPresent(OTHER, GFX90A)).isEmpty();
    }
    Packed packed = pack(builder().signKey(key));
    assertThat(packed).extracting(Packed::entries, Packed::refused).containsExactly(1L, 1L);
    assertThat(packed.problems())
        .singleElement()
        .asString()
        .startsWith("k.hip for " + entry.target() + ", request " + entry.request())
        .contains("it hangs");
    try (CacheManager cache =
        builder().signKey(key).layers(List.of(before)).policy(CachePolicy.SEALED).build()) {
      assertThat(cache.getIfPresent(SOURCE, entry.target())).isEmpty();
      assertThat(cache.explain(SOURCE, entry.target()).nearest())
          .anySatisfy(
              near -> {
                assertThat(near.directory()).isEqualTo(before);
                assertThat(near.differences().get(0).text()).endsWith("it hangs");
              });
      assertThat(cache.getIfPresent(SOURCE, GFX942).map(CodeObject::target)).hasValue(GFX942);
    }
  }

  @Test
  void damagedEntry_isLeftOutAndTheRestPacked() throws IOException {
    try (CacheManager cache = manager()) {
      cache.getOrCompile(SOURCE, GFX90A);
      cache.getOrCompile(SOURCE, GFX942);
    }
    Files.write(files(root().resolve("gfx90a-5.2"), ".co").get(0), new byte[3464]);
    Packed packed = pack(builder());
    assertThat(packed).extracting(Packed::entries, Packed::damaged).containsExactly(1L, 1L);
    assertThat(packed.problems())
        .singleElement()
        .asString()
        .endsWith("is left out: its code object is missing or damaged");
  }

  @Test
  void damagedLatest_leavesTheOlderOne() throws IOException {
    fill(SOURCE);
    toolchain.content = "compiler 2";
    toolchain.version = "6.4";
    fill(SOURCE);
    Files.write(files(root().resolve("gfx90a-6.4"), ".co").get(0), new byte[3464]);
    Packed packed = pack(builder());
    assertThat(packed)
        .extracting(Packed::entries, Packed::older, Packed::damaged)
        .containsExactly(1L, 0L, 1L);
    try (CacheManager cache = over(pack).build()) {
      assertThat(cache.maintenance().entries(pack))
          .extracting(entry -> entry.label().toString())
          .containsExactly("5.2");
    }
  }

  @Test
  void entryWithoutItsLists_isLeftOut() throws IOException {
    fill(SOURCE);
    for (Path list : files(root(), ".deps")) {
      Files.delete(list);
    }
    Packed packed = pack(builder());
    assertThat(packed).extracting(Packed::entries, Packed::damaged).containsExactly(0L, 1L);
    assertThat(packed.problems())
        .singleElement()
        .asString()
        .endsWith("is left out: its list of the compiler's files is missing or damaged");
    assertThat(pack).doesNotExist();
  }

  @Test
  void failureOrStop_leavesTheOldFileAndNoOther() throws IOException {
    fill(SOURCE);
    Path folder = Files.createDirectory(temp.resolve("folder"));
    pack = Files.writeString(folder.resolve("kernels.jar"), "old");
    try (CacheManager cache = manager()) {
      assertThatThrownBy(
              () ->
                  PackWriter.write(
                      cache,
                      pack,
                      Set.of(),
                      (directory, done, total) -> {
                        throw new CancellationException("stopped");
                      }))
          .hasMessage("stopped");
      assertThatThrownBy(() -> write(cache, folder)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> write(cache, temp.resolve("none/k.jar")))
          .isInstanceOf(IOException.class);
    }
    assertThat(pack).hasContent("old");
    assertThat(files(folder, "")).containsExactly(folder, pack);
    assertThat(files(temp, ".tmp")).isEmpty();
  }

  @Test
  void classPath_servesASealedProcessWithNothingElse() throws Exception {
    try (CacheManager cache = manager()) {
      cache.getOrCompile(LayerReaderMain.SOURCE, GFX90A);
    }
    pack(builder());
    String classPath = System.getProperty("java.class.path") + File.pathSeparator + pack;
    ProcessBuilder process =
        new ProcessBuilder(Jvm.command(classPath, LayerReaderMain.class, List.of()))
            .redirectErrorStream(true);
    process.environment().clear();
    process.environment().putAll(Map.of("KCACHE_POLICY", "sealed", "ARCH", "gfx90a"));
    Process running = process.start();
    String output = new String(running.getInputStream().readAllBytes(), UTF_8);
    assertThat(running.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(output.lines().collect(Collectors.toList()))
        .contains("hit " + FakeToolchain.fixture(GFX90A).digest(), "layers []");
  }
}
