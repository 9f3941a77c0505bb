// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.standin.Warnings;
import dev.kcache.cache.store.Access;
import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class CacheSettingsTest {
  @Test
  void layers_areTheListedDirectoriesInTheirOrder() {
    assertThat(layers("/b:/a:/b")).containsExactly(Path.of("/b"), Path.of("/a"), Path.of("/b"));
  }

  @Test
  void layers_emptySegmentsAreIgnored() {
    assertThat(layers("")).isEmpty();
    assertThat(layers(":")).isEmpty();
    assertThat(layers("::/a::/b:")).containsExactly(Path.of("/a"), Path.of("/b"));
  }

  @Test
  void layers_relativeOnesAreMadeAbsolute() {
    Path here = Path.of("").toAbsolutePath();
    assertThat(layers("a/../b:.:/c/./d")).containsExactly(here.resolve("b"), here, Path.of("/c/d"));
  }

  @Test
  void layers_ofTheBuilder_replaceThose() {
    CacheManagerBuilder builder = CacheManager.builder().environment(Map.of("KCACHE_PATH", "/a"));
    assertThat(CacheSettings.of(builder.layers(List.of(Path.of("/b")))).layers())
        .containsExactly(Path.of("/b"));
  }

  @Test
  void layers_whatIsNoPathIsPassedOverWithAWarning() {
    try (Warnings warnings = Warnings.of(CacheSettings.class)) {
      assertThat(layers("/a:b\0c:/d")).containsExactly(Path.of("/a"), Path.of("/d"));
      assertThat(layers("/a:b\0c:/d")).containsExactly(Path.of("/a"), Path.of("/d"));
      assertThat(warnings.lines()).singleElement().asString().startsWith("KCACHE_PATH holds ");
    }
  }

  @Test
  void shared_isADirectoryThatIsNamed() {
    CacheSettings settings =
        settings(Map.of("KCACHE_SHARED", "group", "KCACHE_DIR", "/srv/k", "HOME", "/h"));

    assertThat(settings.access()).isEqualTo(Access.GROUP);
    assertThat(settings.directory()).contains(Path.of("/srv/k"));
    assertThat(settings.ownDirectory()).contains(Path.of("/h/.cache/kcache"));
    assertThat(settings(Map.of("KCACHE_SHARED", "")).access()).isEqualTo(Access.PRIVATE);
  }

  @Test
  void shared_unknownOrWithoutADirectory_saysWhatToDo() {
    assertThatThrownBy(() -> settings(Map.of("KCACHE_SHARED", "1", "KCACHE_DIR", "/k")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("KCACHE_SHARED='1' is unknown; use group, or unset it for a private cache");
    for (ThrowingCallable nothingNamed :
        List.<ThrowingCallable>of(
            () -> settings(Map.of("KCACHE_SHARED", "group", "HOME", "/h")),
            () -> CacheManager.builder().environment(Map.of()).sharedWithGroup().build())) {
      assertThatThrownBy(nothingNamed)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "KCACHE_SHARED=group needs KCACHE_DIR: set it to the directory that the group"
                  + " shares");
    }
  }

  @Test
  void memoryLimit_unset_leavesMostOfTheHeapToTheProgram() {
    assertThat(CacheManagerBuilder.defaultMemoryLimit(64 << 20)).isEqualTo(16 << 20);
    assertThat(CacheManagerBuilder.defaultMemoryLimit(Long.MAX_VALUE)).isEqualTo(256 << 20);
  }

  @Test
  void onWindows_theDirectoryIsInTheLocalProfile() throws IOException {
    try (FileSystem drive = WindowsFiles.create()) {
      Map<String, String> environment = new HashMap<>();
      environment.put("HOME", "C:\\Users\\me");
      environment.put("XDG_CACHE_HOME", "C:\\x");
      assertThat(onWindows(drive, environment).directory()).isEmpty();
      environment.put("LOCALAPPDATA", "AppData");
      assertThat(onWindows(drive, environment).directory()).isEmpty();
      environment.put("LOCALAPPDATA", "C:\\Users\\me\\AppData\\Local");
      assertThat(onWindows(drive, environment).directory())
          .contains(WindowsFiles.home(drive).resolve("kcache"));
      environment.put("KCACHE_DIR", "D:\\a b\\..\\kernels\\");
      environment.put("KCACHE_PATH", "C:\\images;;\\\\host\\share\\layer;D:/x");
      CacheSettings settings = onWindows(drive, environment);

      assertThat(settings.directory()).contains(drive.getPath("D:\\kernels"));
      assertThat(settings.layers())
          .containsExactly(
              drive.getPath("C:\\images"),
              drive.getPath("\\\\host\\share\\layer"),
              drive.getPath("D:\\x"));
      environment.put("KCACHE_DIR", "C:\\");
      assertThatThrownBy(() -> onWindows(drive, environment))
          .hasMessage(
              "KCACHE_DIR=C:\\ is the root of the file system; name a directory for the cache"
                  + " alone");
    }
  }

  private static CacheSettings onWindows(FileSystem drive, Map<String, String> environment) {
    CacheManagerBuilder builder = CacheManager.builder().environment(environment);
    builder.fileSystem = drive;
    return CacheSettings.of(builder);
  }

  private static CacheSettings settings(Map<String, String> environment) {
    return CacheSettings.of(CacheManager.builder().environment(environment));
  }

  private static List<Path> layers(String value) {
    return settings(Map.of("KCACHE_PATH", value)).layers();
  }
}
