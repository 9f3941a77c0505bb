// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The real rustcs of this machine that have the target. */
final class Rustcs {
  private Rustcs() {}

  /** Returns the rustc of PATH, not rustup's but the one that it runs. */
  static Optional<Path> ofPath() {
    return usable(
        Environment.program("rustc", new Environment(System.getenv()).searchPath())
            .map(Path::toString)
            .orElse("/var/empty/rustc"));
  }

  /** Returns the nightly rustc that rustup has. */
  static Optional<Path> nightly() {
    Path toolchains = Path.of(System.getProperty("user.home"), ".rustup/toolchains");
    if (!Files.isDirectory(toolchains)) {
      return Optional.empty();
    }
    try (Stream<Path> found = Files.list(toolchains)) {
      return found
          .filter(each -> each.getFileName().toString().startsWith("nightly-"))
          .sorted()
          .map(each -> each.resolve("bin/rustc").toString())
          .findFirst()
          .flatMap(Rustcs::usable);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether it is one that needs no unlocking. */
  static boolean isNightly(Path rustc) {
    return rustc.toString().contains("nightly");
  }

  /** Returns whether it came with the sources of core. */
  static boolean hasCore(Path rustc) {
    return Files.isRegularFile(
        rustc.resolveSibling("../lib/rustlib/src/rust/library/core/src/lib.rs"));
  }

  private static Optional<Path> usable(String rustc) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_RUSTC", rustc);
    environment.put("KCACHE_DISABLE", "1");
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      Toolchain toolchain = cache.toolchain(Platform.AMD, Language.RUST);
      return toolchain.processors().isEmpty()
          ? Optional.empty()
          : Optional.of(Path.of(toolchain.describe().replaceFirst(", rustc .*", "")));
    } catch (ToolchainNotFoundException e) {
      return Optional.empty();
    }
  }
}
