// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.Removed;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Real code objects, and entries that describe them. */
final class Fixtures {
  static final Digest TOOLCHAIN = digest("toolchain");
  static final DependencyList DEPENDENCIES =
      DependencyList.of(List.of(new Toolchain.File("/usr/include/math.h", digest("math.h"))));
  static final ToolchainLabel LABEL = new ToolchainLabel("5.2");

  private Fixtures() {}

  static byte[] image(String processor) {
    try (InputStream in = Fixtures.class.getResourceAsStream("/elf/" + processor + ".elf")) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static CodeObject codeObject(String processor) {
    return CodeObject.parse(image(processor));
  }

  /** Returns one of any number of code objects, all different and all sound. */
  static CodeObject variant(String processor, int number) {
    byte[] image = image(processor);
    byte[] padded = Arrays.copyOf(image, image.length + 4);
    for (int i = 0; i < 4; i++) {
      padded[image.length + i] = (byte) (number >>> (8 * i));
    }
    return CodeObject.parse(padded);
  }

  static Digest digest(String text) {
    return Digest.of(text.getBytes(UTF_8));
  }

  static Request request(String name, TargetId target) {
    return new Request(digest(name), target, LABEL);
  }

  static CacheEntry entry(String name, CodeObject code) {
    return entry(name, code, TOOLCHAIN, Instant.parse("2026-11-21T10:00:00.123Z"));
  }

  static CacheEntry entry(String name, CodeObject code, Digest toolchain, Instant created) {
    return new CacheEntry(
        code.digest(),
        code.size(),
        code.abiVersion(),
        name,
        "hip",
        List.of(new CacheEntry.Input(name, digest("text of " + name))),
        code.target(),
        LABEL,
        request(name, code.target()).digest(),
        toolchain,
        DEPENDENCIES.digest(),
        "/usr/bin/hipcc, HIP 5.2.21153",
        List.of("-O3", "-std=c++17"),
        List.of("hipcc", "--offload-arch=" + code.target(), "-c", name),
        "vadd.hip:1:1: warning: a warning\n",
        Duration.ofMillis(1234),
        created,
        DEPENDENCIES.digest(),
        Map.of());
  }

  /** Gives a file or directory the time of so long ago. */
  static void age(Path path, Duration age) throws IOException {
    Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(age)));
  }

  /** Removes records, however new they are. */
  static Removed remove(EntryRemover remover, Collection<RecordFile> records) {
    Map<RecordFile, Instant> all = new HashMap<>();
    records.forEach(record -> all.put(record, Instant.MAX));
    FileRemover removal = remover.fileRemover();
    remover.remove(all, List.of(), () -> false, removal);
    return removal.result();
  }

  /** Returns what the store has for the name, made by {@link #TOOLCHAIN}. */
  static Optional<StoredEntry> find(DiskStore store, String name, CodeObject code) {
    return find(store, request(name, code.target()), TOOLCHAIN);
  }

  /** Returns what one toolchain gave. */
  static Optional<StoredEntry> find(EntryDirectory directory, Request request, Digest toolchain) {
    return directory.record(request, toolchain).flatMap(directory::load);
  }

  /** Returns the newest of what any toolchain gave. */
  static Optional<StoredEntry> findNewest(EntryDirectory directory, Request request) {
    return directory.records(request).stream()
        .flatMap(record -> directory.load(record).stream())
        .findFirst();
  }
}
