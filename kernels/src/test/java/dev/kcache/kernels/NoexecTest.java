// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Directories whose files may not be executed, as hardened machines mount {@code /tmp}: as root.
 */
class NoexecTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final KernelSource SOURCE =
      KernelSource.of("kernel.hip", "extern \"C\" __global__ void k() {}\n");

  @TempDir Path temp;

  private final Map<String, String> environment = new HashMap<>(System.getenv());
  private Path noexec;

  @BeforeEach
  void mount() throws Exception {
    noexec = Files.createDirectory(temp.resolve("noexec"));
    assumeTrue(succeeds("mount", "-t", "tmpfs", "-o", "noexec", "tmpfs", noexec.toString()));
    environment.put("KCACHE_DIR", temp.resolve("cache").toString());
    environment.put("TMPDIR", Files.createDirectory(temp.resolve("tmp")).toString());
  }

  /** Lazily: a process keeps a lock file of its cache open. */
  @AfterEach
  void unmount() throws Exception {
    if (isMounted()) {
      assertThat(succeeds("umount", "--lazy", noexec.toString())).isTrue();
    }
  }

  private boolean isMounted() throws IOException {
    return Files.readString(Path.of("/proc/self/mounts")).contains(" " + noexec + " ");
  }

  private static boolean succeeds(String... command) throws IOException, InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      // There is no such program.
      return false;
    }
  }

  @Test
  void hiprtcWithTmpdir_saysWhatToSet() throws Exception {
    environment.put("KCACHE_TOOLCHAIN", "hiprtc");
    environment.put("TMPDIR", noexec.toString());

    assertThatThrownBy(this::compile)
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageMatching(
            "\\S+/lib\\S+: JNA, which loads it, can't load its own library from "
                + noexec
                + " \\(.+\\), which is perhaps mounted noexec; set TMPDIR, or jna.tmpdir for Java,"
                + " to a directory whose files may be executed");
    assertThat(noexec).isEmptyDirectory();
  }

  @Test
  void hiprtcWithCache_compiles() throws Exception {
    environment.put("KCACHE_TOOLCHAIN", "hiprtc");
    environment.put("KCACHE_DIR", noexec.resolve("cache").toString());

    assertThat(compile()).isEmpty();
  }

  @Test
  void llvmWithCache_compilesFromTmpdirAndSaysWhatToSet() throws Exception {
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    environment.put("KCACHE_DIR", noexec.resolve("cache").toString());

    assertThat(compile())
        .singleElement(STRING)
        .startsWith("the embedded LLVM")
        .contains(noexec.resolve("cache").toString(), "noexec", "set KCACHE_DIR");
    assertThat(temp.resolve("tmp")).isEmptyDirectory();
  }

  @Test
  void llvmWithCacheAndTmpdir_saysWhatToSet() throws Exception {
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    environment.put("KCACHE_DIR", noexec.resolve("cache").toString());
    environment.put("TMPDIR", Files.createDirectory(noexec.resolve("tmp")).toString());

    assertThatThrownBy(this::compile)
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageContaining("can't be executed in " + noexec.resolve("tmp"))
        .hasMessageEndingWith(
            "set KCACHE_DIR or TMPDIR to a directory whose files may be executed");
    assertThat(noexec.resolve("tmp")).isEmptyDirectory();
  }

  /** Returns what was said of directories. */
  private List<String> compile() {
    List<String> told = new ArrayList<>();
    Logger logger = Logger.getLogger("dev.kcache");
    Handler listener = new ConsoleHandler();
    listener.setFilter(
        record -> {
          told.add(record.getMessage());
          return false;
        });
    logger.addHandler(listener);
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      assertThat(cache.getOrCompile(SOURCE, GFX90A).kernels()).hasSize(1);
    } finally {
      logger.removeHandler(listener);
    }
    return told.stream().filter(message -> message.contains("noexec")).toList();
  }
}
