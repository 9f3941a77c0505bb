// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.explain.Explanation;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A manager over jars and folders that carry kernels, and what writes them. */
class ClassPathTest extends CacheTestBase {
  private static final TargetId XNACK_OFF = TargetId.parse("gfx90a:sramecc+:xnack-");

  private static final KernelSource THIRD = source("third");

  @BeforeEach
  void forgetWarnings() {
    Notices.clear();
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "prefer-cache", "sealed"})
  void jar_withNeitherCompilerNorHome_isServed(String policy) throws IOException {
    Path jar = jar("k.jar", resources("classes", SOURCE, GFX90A));
    Map<String, String> bare = Map.of("PATH", temp.toString(), "KCACHE_POLICY", policy);
    try (URLClassLoader loader = loader(jar);
        CacheManager cache = CacheManager.builder().environment(bare).classLoader(loader).build()) {
      CacheResult found = cache.resolveAsync(SOURCE, GFX90A).join();
      assertThat(found.origin()).isEqualTo(Origin.CLASS_PATH);
      assertThat(found.kept()).isTrue();
      assertThat(found.label().text()).isEqualTo("5.2");
      assertThat(found.codeObject()).isEqualTo(FakeToolchain.fixture(GFX90A));
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.MEMORY);
      assertThat(cache.statistics().diskHits()).isEqualTo(1);
      assertThat(cache.statistics().memoryHits()).isEqualTo(1);
      assertThat(cache.statistics().misses()).isZero();
    }
  }

  @Test
  void hit_asksNoToolchainAndTouchesNoDirectory() throws IOException {
    Path classes = resources("classes", SOURCE, GFX90A);
    int identities = toolchain.identities.get();
    toolchain.content = "another compiler";
    toolchain.version = "6.4";
    try (URLClassLoader loader = loader(classes);
        CacheManager cache = builder().classLoader(loader).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.CLASS_PATH);
    }
    assertThat(toolchain.identities).hasValue(identities);
    assertThat(root()).doesNotExist();
  }

  @Test
  void hit_goesBeforeTheDiskAndWithoutIt() throws IOException {
    Path classes = resources("classes", SOURCE, GFX90A);
    fill(SOURCE);
    try (URLClassLoader loader = loader(classes);
        CacheManager cache = builder().classLoader(loader).build();
        CacheManager disabled = builder("KCACHE_DISABLE", "1").classLoader(loader).build();
        CacheManager without = builder().classLoader(loader).withoutClassPath().build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.CLASS_PATH);
      assertThat(origin(disabled, SOURCE)).isEqualTo(Origin.CLASS_PATH);
      assertThat(origin(without, SOURCE)).isEqualTo(Origin.DISK);
    }
  }

  @Test
  void explain_namesTheResource() throws IOException {
    Path classes = resources("classes", SOURCE, GFX90A);
    try (URLClassLoader loader = loader(classes);
        CacheManager cache = builder().classLoader(loader).build()) {
      Explanation hit = cache.explain(SOURCE, GFX90A);
      assertThat(hit.isHit()).isTrue();
      assertThat(hit.hits()).isEmpty();
      assertThat(hit.resource().url())
          .hasValue(loader.getResource(hit.resource().name()).toString());
      Explanation miss = cache.explain(OTHER, GFX90A);
      assertThat(miss.isHit()).isFalse();
      assertThat(miss.resource().name())
          .isEqualTo("META-INF/kcache/gfx90a/" + miss.request().digest() + ".json");
    }
  }

  @Test
  void recompile_looksIntoNoResource() throws IOException {
    Path classes = resources("classes", SOURCE, GFX90A);
    try (URLClassLoader loader = loader(classes);
        CacheManager cache = builder().classLoader(loader).recompiling().build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    }
  }

  @Test
  void device_takesItsExactIdThenItsProcessor() throws IOException {
    Path any = resources("any", SOURCE, GFX90A);
    Path exact = resources("exact", SOURCE, XNACK_OFF);
    try (URLClassLoader both = loader(any, exact);
        URLClassLoader one = loader(any);
        CacheManager cache = builder().classLoader(both).build();
        CacheManager fallback = builder().classLoader(one).build()) {
      assertThat(cache.deviceRequests().resolve(SOURCE, XNACK_OFF).codeObject().target())
          .isEqualTo(XNACK_OFF);
      CacheResult found = fallback.deviceRequests().resolve(SOURCE, XNACK_OFF);
      assertThat(found.codeObject().target()).isEqualTo(GFX90A);
      assertThat(found.origin()).isEqualTo(Origin.CLASS_PATH);
    }
  }

  @Test
  void bypassedCodeObject_isPassedOver() throws IOException {
    Path classes = resources("classes", SOURCE, GFX90A);
    try (URLClassLoader loader = loader(classes);
        CacheManager cache = builder().classLoader(loader).build()) {
      cache.deviceRequests().bypass(SOURCE, cache.getOrCompile(SOURCE, GFX90A));
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
    }
  }

  @Test
  void contextClassLoader_isAskedUnlessOthersAreNamed() throws IOException {
    Path classes = resources("classes", SOURCE, GFX90A);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader = loader(classes);
        URLClassLoader empty = loader()) {
      thread.setContextClassLoader(loader);
      try (CacheManager cache = builder().build();
          CacheManager named = builder().classLoader(empty).build()) {
        thread.setContextClassLoader(before);
        assertThat(origin(cache, SOURCE)).isEqualTo(Origin.CLASS_PATH);
        assertThat(origin(named, SOURCE)).isEqualTo(Origin.COMPILED);
      }
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Test
  void contextClassLoader_isCollectedWhileTheManagerLives() throws Exception {
    Path jar = jar("k.jar", resources("classes", SOURCE, GFX90A));
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    URLClassLoader loader = loader(jar);
    thread.setContextClassLoader(loader);
    try (CacheManager cache = builder().build()) {
      thread.setContextClassLoader(before);
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.CLASS_PATH);
      loader.close();
      WeakReference<ClassLoader> gone = new WeakReference<>(loader);
      loader = null;
      for (int i = 0; i < 50 && gone.get() != null; i++) {
        System.gc();
      }
      assertThat(gone.get()).isNull();
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.COMPILED);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Test
  void closedLoader_isAMiss() throws IOException {
    Path jar = jar("k.jar", resources("classes", SOURCE, GFX90A));
    URLClassLoader loader = loader(jar);
    loader.close();
    assertThat(origin(builder().classLoader(loader), SOURCE)).isEqualTo(Origin.COMPILED);
  }

  @Test
  void jar_isHeldOpenByNobodyButItsLoader() throws IOException {
    Path jar = jar("k.jar", resources("classes", SOURCE, GFX90A));
    try (URLClassLoader loader = loader(jar);
        CacheManager cache = builder().classLoader(loader).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.CLASS_PATH);
    }
    try (var open = Files.list(Path.of("/proc/self/fd"))) {
      assertThat(open.map(ClassPathTest::link)).doesNotContain(jar.toRealPath().toString());
    }
  }

  @Test
  void twoOfOneRequest_theFirstOnTheClassPathServes() throws IOException {
    toolchain.log = "first";
    Path first = jar("first.jar", resources("first", SOURCE, GFX90A));
    toolchain.log = "second";
    Path second = jar("second.jar", resources("second", SOURCE, GFX90A));
    assertThat(log(first, second)).isEqualTo("first");
    assertThat(log(second, first)).isEqualTo("second");
  }

  /** Shading takes the first of two files of one name; here those are of one content. */
  @Test
  void jarsShadedIntoOne_serveTheKernelsOfBoth() throws IOException {
    Path shaded = resources("shaded", SOURCE, GFX90A);
    merge(resources("theirs", OTHER, GFX90A), shaded);
    merge(resources("again", SOURCE, GFX90A), shaded);
    try (URLClassLoader loader = loader(jar("shaded.jar", shaded));
        CacheManager cache = builder().classLoader(loader).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.CLASS_PATH);
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.CLASS_PATH);
    }
  }

  private static void merge(Path from, Path to) throws IOException {
    for (Path file : files(from, "")) {
      Path copy = to.resolve(from.relativize(file).toString());
      Files.createDirectories(copy.getParent());
      if (!Files.exists(copy)) {
        Files.copy(file, copy);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "json changed",
        "json cut",
        "json empty",
        "json long",
        "co changed",
        "co cut",
        "co long",
        "co missing",
        "json other"
      })
  void damagedResource_isPassedOverWithOneWarning(String damage) throws IOException {
    Path damaged = resources("damaged", SOURCE, GFX90A);
    Path file = files(damaged, damage.startsWith("json") ? ".json" : ".co").get(0);
    damage(file, damage.substring(damage.indexOf(' ') + 1));
    Path jar = jar("damaged.jar", damaged);
    toolchain.log = "sound";
    Path sound = jar("sound.jar", resources("sound", SOURCE, GFX90A));
    try (Warnings warnings = Warnings.of(ClassPathTier.class);
        URLClassLoader alone = loader(jar);
        CacheManager cache = builder().classLoader(alone).memoryLimit(0).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isPresent();
      assertThat(warnings.lines())
          .singleElement()
          .asString()
          .startsWith("not using jar:file:" + jar + "!/META-INF/kcache/gfx90a/")
          .contains("let it leave META-INF/kcache as it is");
    }
    // Beside a damaged code object the record is sound, and the other jar has its code object.
    assertThat(log(jar, sound)).isEqualTo(damage.startsWith("json") ? "sound" : "");
  }

  @Test
  void writer_secondRun_touchesNothingAndCompilesNothing() throws IOException {
    Path classes = resources("classes", SOURCE, GFX90A);
    Map<String, FileTime> before = times(classes);
    assertThat(before).hasSize(2);
    resources("classes", SOURCE, GFX90A);
    assertThat(times(classes)).isEqualTo(before);
    assertThat(toolchain.jobs).hasSize(1);
  }

  @Test
  void writer_afterACleanBuildOfEverything_givesTheSameBytes() throws IOException {
    Map<String, String> first = contents(resources("first", SOURCE, GFX90A));
    CacheManagerBuilder disabled = builder("KCACHE_DISABLE", "1");
    Path second = temp.resolve("second");
    try (CacheManager cache = disabled.withoutClassPath().build()) {
      ResourceWriter.into(cache, second).write(SOURCE, GFX90A).join();
    }
    assertThat(toolchain.jobs).hasSize(2);
    assertThat(contents(second)).isEqualTo(first);
    assertThat(first.values()).noneMatch(text -> text.contains("\"hipcc\""));
  }

  @Test
  void writer_removesWhatIsNoLongerWantedAndNothingElse() throws IOException {
    Path classes = resources("classes", SOURCE, GFX90A);
    Path folder = classes.resolve("META-INF/kcache");
    Path others = Files.writeString(folder.resolve("gfx90a/README"), "mine");
    Files.createDirectories(folder.resolve("gfx942"));
    Files.writeString(folder.resolve("gfx942/.tmp-" + "0".repeat(64) + ".co"), "left");
    List<Path> records = files(folder, ".json");
    try (CacheManager cache = builder().withoutClassPath().build()) {
      ResourceWriter writer = ResourceWriter.into(cache, classes);
      writer.write(OTHER, GFX90A).join();
      writer.removeOthers();
      assertThat(writer.files()).isEqualTo(2);
    }
    assertThat(files(folder, ".json")).hasSize(1).doesNotContainAnyElementsOf(records);
    assertThat(files(folder, ".co")).hasSize(1);
    assertThat(others).exists();
    assertThat(folder.resolve("gfx942")).doesNotExist();
  }

  @Test
  void writersWithLists_removeTheirOwnFilesOnly() throws IOException {
    Path classes = temp.resolve("classes");
    Path lists = temp.resolve("lists");
    write(classes, lists.resolve("a.list"), SOURCE);
    write(classes, lists.resolve("b.list"), SOURCE, OTHER);
    assertThat(files(classes, ".json")).hasSize(2);

    write(classes, lists.resolve("a.list"), THIRD);
    assertThat(files(classes, ".json")).hasSize(3);
    write(classes, lists.resolve("b.list"), OTHER);
    assertThat(files(classes, ".json")).hasSize(2);
    write(classes, lists.resolve("a.list"));
    assertThat(files(classes, ".json")).hasSize(1);
    write(classes, lists.resolve("b.list"));
    assertThat(classes.resolve("META-INF/kcache")).doesNotExist();
  }

  /** What a build wrote that was killed before its end, it removes the next time. */
  @Test
  void listOfAKilledWriter_namesWhatItWrote() throws IOException {
    Path classes = temp.resolve("classes");
    Path list = temp.resolve("lists/a.list");
    try (CacheManager cache = builder().withoutClassPath().build()) {
      ResourceWriter.into(cache, classes, list).write(SOURCE, GFX90A).join();
    }
    assertThat(Files.readAllLines(list)).hasSize(2);
    write(classes, list, OTHER);
    assertThat(files(classes, ".json")).hasSize(1);
    assertThat(Files.readAllLines(list)).hasSize(2);
  }

  @Test
  void listThatNamesOtherFiles_removesNone() throws IOException {
    Path classes = resources("classes", SOURCE, GFX90A);
    Path mine = Files.writeString(classes.resolve("App.class"), "mine");
    Path above = Files.writeString(temp.resolve("0".repeat(64) + ".co"), "mine");
    Path list = Files.createDirectories(temp.resolve("lists")).resolve("a.list");
    Files.writeString(list, "App.class\nMETA-INF/kcache/../../../" + above.getFileName() + "\n\n");
    write(classes, list);
    assertThat(mine).exists();
    assertThat(above).exists();
    assertThat(files(classes, ".json")).hasSize(1);
    assertThatThrownBy(() -> write(classes, temp.resolve("a.txt")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ends with .list");
  }

  private void write(Path classes, Path list, KernelSource... sources) throws IOException {
    try (CacheManager cache = builder().withoutClassPath().build()) {
      ResourceWriter writer = ResourceWriter.into(cache, classes, list);
      for (KernelSource source : sources) {
        writer.write(source, GFX90A).join();
      }
      writer.removeOthers();
    }
  }

  @ParameterizedTest
  @CsvSource({"file, Not a directory", "/proc/kcache, 'it can''t be made'"})
  void writer_whereNothingCanBeWritten_failsAndCountsNothing(String parent, String reason)
      throws IOException {
    var unused = Files.writeString(temp.resolve("file"), "");
    Path classes = temp.resolve(parent).resolve("classes");
    try (CacheManager cache = builder().withoutClassPath().build()) {
      ResourceWriter writer = ResourceWriter.into(cache, classes);
      assertThatThrownBy(() -> writer.write(SOURCE, GFX90A).join())
          .hasMessageContaining("cannot write resources of k.hip into " + classes + ": ")
          .hasMessageEndingWith(": " + reason);
      assertThat(writer.files()).isZero();
      assertThat(writer.bytes()).isZero();
    }
  }

  private String log(Path... classPath) throws IOException {
    try (URLClassLoader loader = loader(classPath);
        CacheManager cache = builder().classLoader(loader).build()) {
      CacheResult found = cache.resolveAsync(SOURCE, GFX90A).join();
      assertThat(found.origin()).isEqualTo(Origin.CLASS_PATH);
      return found.log();
    }
  }

  /** Returns a folder with the resources of a kernel, made with a cache of its own. */
  private Path resources(String name, KernelSource source, TargetId target) throws IOException {
    Path classes = temp.resolve(name);
    Map<String, String> environment =
        Map.of("KCACHE_DIR", temp.resolve("cache of " + name).toString());
    try (CacheManager cache =
        CacheManager.builder()
            .environment(environment)
            .toolchain(toolchain)
            .withoutClassPath()
            .build()) {
      ResourceWriter writer = ResourceWriter.into(cache, classes);
      writer.write(source, target).join();
      writer.removeOthers();
    }
    return classes;
  }

  private Path jar(String name, Path classes) throws IOException {
    Path jar = temp.resolve(name);
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Path file : files(classes, "")) {
        if (Files.isRegularFile(file)) {
          out.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
          out.write(Files.readAllBytes(file));
        }
      }
    }
    return jar;
  }

  private static URLClassLoader loader(Path... classPath) throws IOException {
    List<URL> urls = new ArrayList<>();
    for (Path each : classPath) {
      urls.add(each.toUri().toURL());
    }
    return new URLClassLoader(urls.toArray(URL[]::new), ClassPathTest.class.getClassLoader());
  }

  private static void damage(Path file, String how) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    switch (how) {
      case "changed" -> {
        // As a filter does that reads text and writes UTF-8.
        bytes[bytes.length / 2] = (byte) 0x80;
        Files.write(file, bytes);
      }
      case "cut" -> Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
      case "empty" -> Files.write(file, new byte[0]);
      case "long" -> Files.write(file, Arrays.copyOf(bytes, bytes.length + 1));
      case "missing" -> Files.delete(file);
      case "other" ->
          Files.writeString(
              file, new String(bytes, UTF_8).replace("kcache.record/3", "kcache.record/999"));
      default -> throw new AssertionError(how);
    }
  }

  private static Map<String, FileTime> times(Path classes) throws IOException {
    Map<String, FileTime> times = new TreeMap<>();
    for (Path file : files(classes, "")) {
      if (Files.isRegularFile(file)) {
        times.put(file.toString(), (FileTime) Files.getAttribute(file, "unix:ctime"));
      }
    }
    return times;
  }

  private static Map<String, String> contents(Path classes) throws IOException {
    Map<String, String> contents = new TreeMap<>();
    for (Path file : files(classes, "")) {
      if (Files.isRegularFile(file)) {
        contents.put(
            classes.relativize(file).toString(), new String(Files.readAllBytes(file), ISO_8859_1));
      }
    }
    return contents;
  }

  private static String link(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return "";
    }
  }
}
