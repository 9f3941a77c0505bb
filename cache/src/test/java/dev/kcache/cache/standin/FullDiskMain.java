// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.standin;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Asks for two kernels on a full disk, on one with room for a page, and on one with room. */
public final class FullDiskMain {
  private static final int PAGE = 4096;

  private FullDiskMain() {}

  /**
   * Takes the cache directory, the address of the remote and the file that fills the disk; prints a
   * line for each round.
   */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    Path filler = Path.of(arguments[2]);
    try (CacheManager cache = node(directory, arguments[1])) {
      round("full", directory, cache);
      try (FileChannel file = FileChannel.open(filler, StandardOpenOption.WRITE)) {
        file.truncate(file.size() - PAGE);
      }
      round("nearly", directory, cache);
      Files.delete(filler);
    }
    try (CacheManager cache = node(directory, arguments[1])) {
      round("room", directory, cache);
      round("again", directory, cache);
    }
  }

  private static CacheManager node(Path directory, String url) {
    return CacheManager.builder()
        .environment(Map.of("KCACHE_REMOTE", url))
        .toolchain(new FixtureToolchain())
        .directory(directory)
        .memoryLimit(0)
        .build();
  }

  private static void round(String name, Path directory, CacheManager cache) throws IOException {
    StringBuilder line = new StringBuilder(name).append(':');
    for (String kernel : List.of("k", "other")) {
      CacheResult result = cache.resolve(RemoteTestBase.source(kernel), TargetId.parse("gfx90a"));
      line.append(' ').append(result.origin());
    }
    line.append(", not kept: ").append(cache.statistics().notKept());
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> all = files.filter(Files::isRegularFile).toList();
      line.append(", records: ").append(all.stream().filter(each -> has(each, ".json")).count());
      line.append(", torn: ").append(all.stream().filter(FullDiskMain::isTorn).count());
      line.append(", temporary: ").append(all.stream().filter(each -> has(each, ".tmp")).count());
    }
    System.out.println(line);
  }

  private static boolean has(Path file, String ending) {
    return file.toString().endsWith(ending);
  }

  /** Code objects and lists have their digests as names. */
  private static boolean isTorn(Path file) {
    try {
      String name = file.getFileName().toString();
      return (has(file, ".co") || has(file, ".deps"))
          && !name.startsWith(Digest.of(Files.readAllBytes(file)).toString());
    } catch (IOException e) {
      return true;
    }
  }
}
