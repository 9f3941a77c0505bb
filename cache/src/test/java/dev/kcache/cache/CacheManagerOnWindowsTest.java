// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.cache.store.StepHookFileOperations;
import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cache as a whole on a stand-in for a drive of Windows. */
class CacheManagerOnWindowsTest extends CacheTestBase {
  private FileSystem drive;
  private Path directory;

  @BeforeEach
  void format() throws IOException {
    drive = WindowsFiles.create();
    directory = WindowsFiles.home(drive).resolve("kcache");
  }

  @AfterEach
  void remove() throws IOException {
    drive.close();
  }

  @Override
  CacheManagerBuilder builder(String... variables) {
    Map<String, String> environment = new HashMap<>(environment(variables));
    environment.remove("KCACHE_DIR");
    environment.put("LOCALAPPDATA", WindowsFiles.home(drive).toString());
    CacheManagerBuilder builder =
        CacheManager.builder().environment(environment).toolchain(toolchain).memoryLimit(0);
    builder.fileSystem = drive;
    return builder;
  }

  @Test
  void kernel_isCompiledOnceAndFoundByTheNext() {
    fill(SOURCE, OTHER);
    try (CacheManager cache = manager()) {
      assertThat(cache.maintenance().directory()).contains(directory);
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.DISK);
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.DISK);
      assertThat(cache.maintenance().verify((where, done, total) -> {}).isSound()).isTrue();
      assertThat(cache.maintenance().entries()).hasSize(2);
      assertThat(toolchain.jobs).hasSize(2);
    }
  }

  @Test
  void directory_isALayerOfOthers() {
    fill(SOURCE);
    String layers = "D:\\none;" + directory;
    Map<String, String> environment =
        Map.of("KCACHE_DIR", "C:\\Users\\me\\own", "KCACHE_PATH", layers);
    CacheManagerBuilder other =
        CacheManager.builder().environment(environment).toolchain(toolchain).memoryLimit(0);
    other.fileSystem = drive;
    try (CacheManager cache = other.build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.LAYER);
      assertThat(origin(cache, OTHER)).isEqualTo(Origin.COMPILED);
    }
    assertThat(Files.isDirectory(drive.getPath("C:\\Users\\me\\own"))).isTrue();
  }

  /** As a virus scanner holds a file for longer than anybody waits for it. */
  @Test
  void fileThatStaysOpen_costsTheEntryAndOneWarning() {
    CacheManagerBuilder builder = builder();
    builder.files =
        root ->
            new StepHookFileOperations(
                (step, operation, path) -> {
                  if (operation.equals("rename")) {
                    throw new FileSystemException(
                        path.toString(),
                        null,
                        "The process cannot access the file because it is being used by another"
                            + " process");
                  }
                });
    try (Warnings warnings = Warnings.of(Directories.class);
        CacheManager cache = builder.build()) {
      assertThat(cache.getOrCompile(SOURCE, GFX90A)).isEqualTo(FakeToolchain.fixture(GFX90A));
      assertThat(cache.getOrCompile(OTHER, GFX90A)).isEqualTo(FakeToolchain.fixture(GFX90A));
      assertThat(warnings.lines())
          .singleElement()
          .asString()
          .contains("cannot be written (The process cannot access the file");
    }
  }

  @Test
  void directoryOfOthers_isNotUsed() throws IOException {
    fill(SOURCE);
    WindowsFiles.add(
        directory, WindowsFiles.allow(WindowsFiles.AUTHENTICATED, WindowsFiles.MODIFY));
    try (CacheManager cache = manager()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(cache.maintenance().health().directory().orElseThrow().fault().orElseThrow())
          .startsWith("cache directory " + directory)
          .contains("can be written by NT AUTHORITY\\Authenticated Users; run 'icacls");
    }
  }
}
