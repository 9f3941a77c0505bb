// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.source.DiskTree;
import dev.kcache.cache.source.IncludeClosure.Root;
import dev.kcache.cache.source.SourcePath;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Trees of a source on a stand-in for Windows, in memory, beside the same trees on this disk: each
 * has the same key, stages the same and is refused for the same reason. The closure and its layout
 * see paths of trees only, and have their tests there.
 */
class SourceOnWindowsTest extends SourceTestBase {
  private FileSystem drive;

  @BeforeEach
  void format() throws IOException {
    drive = WindowsFiles.create();
  }

  @AfterEach
  void remove() throws IOException {
    drive.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"C:\\work", "C:\\Users\\me\\My Kernels & so on", "\\\\host\\share\\", "D:\\"})
  void tree_hasTheKeyThatItHasOnLinux(String place) throws IOException {
    Map<String, String> files =
        Map.of(
            "k/vadd.hip",
            "#include \"../common/a b.h\"\n#include <b.h>\n"
                + "#if __has_include(<no/such.h>) || __has_include(\"sub/x.h\")\n#endif\n"
                + KERNEL,
            "k/sub/x.h",
            "#include \"../../common/c.h\"\n",
            "common/a b.h",
            "#pragma once\n#include \"c.h\"\n",
            "common/c.h",
            "int c;\r\n",
            "inc/b.h",
            "int b;\n");
    Path root = drive.getPath(place);

    assertSame(files, root, "k/vadd.hip", List.of("inc"), List.of());
    assertSame(files, root, "k/vadd.hip", List.of("inc", "k"), List.of("-DN=4"));
  }

  /** Windows would find them, whatever their case. */
  @Test
  void namesOfAnotherCase_areNamesOfOtherFiles() throws IOException {
    Map<String, String> files =
        Map.of(
            "k.hip",
            "#if __has_include(\"A.H\")\n#endif\n#if __has_include(\"Sub/b.h\")\n#endif\n"
                + "#include \"a.h\"\n#include \"sub/b.h\"\n"
                + KERNEL,
            "a.h",
            "int a;\n",
            "sub/b.h",
            "int b;\n");

    StagedSource staged = assertSame(files, drive.getPath("C:\\k"), "k.hip", List.of(), List.of());

    assertThat(staged.files())
        .extracting(file -> file.path())
        .containsExactly("src/a.h", "src/k.hip", "src/sub/b.h");
  }

  @Test
  void namesThatWindowsCannotHave_areThoseOfNoFile() throws IOException {
    Map<String, String> files =
        Map.of(
            "k.hip",
            "#if __has_include(\"a:b.h\") || __has_include(\"a*.h\") || __has_include(\"aux.h\")\n"
                + "#endif\n#if __has_include(\"h.h.\") || __has_include(\"h.h \")\n#endif\n"
                + KERNEL,
            "h.h",
            "");

    assertSame(files, drive.getPath("C:\\k"), "k.hip", List.of(), List.of());
  }

  @Test
  void rust_hasTheKeyThatItHasOnLinux() throws IOException {
    Map<String, String> files =
        Map.of("k.rs", "#![no_std]\nmod a;\n", "a/mod.rs", "mod b;\n", "a/b.rs", "");

    assertSame(files, drive.getPath("C:\\k"), "k.rs", List.of(), List.of());
  }

  @Test
  void name_isTheOneInTheDirectory() throws IOException {
    Path file = Files.writeString(WindowsFiles.home(drive).resolve("Vadd.hip"), KERNEL);

    assertThat(DiskTree.nameOf(file.resolveSibling("VADD.HIP"))).isEqualTo("Vadd.hip");
    assertThat(DiskTree.nameOf(file.resolveSibling("none.hip"))).isEqualTo("none.hip");
    assertThat(DiskTree.nameOf(Path.of("/tmp/none.hip"))).isEqualTo("none.hip");
  }

  private StagedSource assertSame(
      Map<String, String> files,
      Path onWindows,
      String main,
      List<String> directories,
      List<String> options)
      throws IOException {
    KernelSource here = source(files, directory, main, directories, options);
    KernelSource there = source(files, onWindows, main, directories, options);

    assertThat(there.digest()).isEqualTo(here.digest());
    assertThat(there.staged().files()).isEqualTo(here.staged().files());
    assertThat(there.staged().includeDirectories()).isEqualTo(here.staged().includeDirectories());
    return there.staged();
  }

  private static KernelSource source(
      Map<String, String> files,
      Path root,
      String main,
      List<String> directories,
      List<String> options)
      throws IOException {
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = root.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
    SourcePath file = path(root.resolve(main));
    List<Root> roots = new ArrayList<>();
    for (String each : directories) {
      roots.add(new Root(path(root.resolve(each)), each, "inc" + roots.size()));
    }
    return KernelSource.staged(
        new MainFile(Language.ofFile(main), file.name(), main, file),
        new TreeMap<>(),
        roots,
        CompileOptions.of(options.toArray(new String[0])));
  }

  /** As a path that a user names is followed. */
  private static SourcePath path(Path path) throws IOException {
    Path real = path.toRealPath();
    return new SourcePath(new DiskTree(real.getFileSystem()), DiskTree.pathOf(real));
  }
}
