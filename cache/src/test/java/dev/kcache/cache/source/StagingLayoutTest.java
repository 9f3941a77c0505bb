// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.kcache.cache.source.IncludeClosure.Root;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class StagingLayoutTest {
  private final Map<String, byte[]> files = new HashMap<>();

  @Test
  void oneDirectory_isStagedAsSrc() {
    file("/p/k/a.hip", "#include \"x.h\"\n#include \"sub/y.h\"\n");
    file("/p/k/x.h", "");
    file("/p/k/sub/y.h", "#include \"z.h\"\n");
    file("/p/k/sub/z.h", "#include \"x.h\"\n");

    assertThat(paths(stage("/p/k/a.hip")))
        .containsExactly("src/a.hip", "src/sub/y.h", "src/sub/z.h", "src/x.h");
  }

  @Test
  void climb_beginsSrcHigher() {
    file("/p/k/a.hip", "#include \"../common/x.h\"\n#include \"../k/y.h\"\n#include \"y.h\"\n");
    file("/p/common/x.h", "");
    file("/p/k/y.h", "#pragma once\n");

    assertThat(paths(stage("/p/k/a.hip")))
        .containsExactly("src/common/x.h", "src/k/a.hip", "src/k/y.h");
  }

  @Test
  void climbInVain_staysInside() {
    file("/p/k/a.hip", "#if __has_include(\"../../q/x.h\")\n#endif\n");

    assertThat(paths(stage("/p/k/a.hip"))).containsExactly("src/_/_/a.hip");
  }

  @Test
  void directoryPassedThrough_isKept() {
    file("/p/k/a.hip", "#include \"sub/../x.h\"\n");
    file("/p/k/x.h", "");

    assertThat(paths(stage("/p/k/a.hip"))).containsExactly("src/a.hip", "src/sub/.keep", "src/x.h");
  }

  @Test
  void includeDirectory_insideTheSourcesIsStagedThere() {
    file("/p/k/a.hip", "#include <x.h>\n#include \"inc/x.h\"\n#include <b.h>\n");
    file("/p/k/inc/x.h", "");
    file("/p/other/b.h", "");

    StagedSource staged = stage("/p/k/a.hip", "/p/k/inc", "/p/other", "/p/k");

    assertThat(paths(staged)).containsExactly("inc1/b.h", "src/a.hip", "src/inc/x.h");
    assertThat(staged.includeDirectories()).containsExactly("src/inc", "inc1", "src");
  }

  @Test
  void includeDirectory_aroundTheSourcesTakesThemIn() {
    file("/p/k/a.hip", "#include <k/x.h>\n#include \"x.h\"\n");
    file("/p/k/x.h", "");

    StagedSource staged = stage("/p/k/a.hip", "/p");

    assertThat(paths(staged)).containsExactly("src/k/a.hip", "src/k/x.h");
    assertThat(staged.includeDirectories()).containsExactly("src");
  }

  @Test
  void includeNext_takesEveryCandidate() {
    file("/p/a.hip", "#include <x.h>\n");
    file("/i/x.h", "#include_next <x.h>\n");
    file("/j/x.h", "");
    file("/l/x.h", "");

    assertThat(paths(stage("/p/a.hip", "/i", "/j", "/l")))
        .containsExactly("inc0/x.h", "inc1/x.h", "inc2/x.h", "src/a.hip");
  }

  @Test
  void angleBrackets_doNotSearchTheOwnDirectory() {
    file("/p/a.hip", "#include <x.h>\n");
    file("/p/x.h", "");

    assertThat(paths(stage("/p/a.hip"))).containsExactly("src/a.hip");
  }

  @Test
  void embeddedFile_isNotReadAsText() {
    file("/p/a.hip", "#embed \"d.bin\"\n");
    file("/p/d.bin", "\0#include \"x.h\"\n");
    file("/p/x.h", "");

    assertThat(paths(stage("/p/a.hip"))).containsExactly("src/a.hip", "src/d.bin");
  }

  @Test
  void oddDirectoryName_isReplacedBesideTheMainFile() {
    file("/p/my kernels/a.hip", "#include \"../common files/x.h\"\n");
    file("/p/common files/x.h", "");

    StagedSource staged = stage("/p/my kernels/a.hip");

    assertThat(staged.mainFile()).isEqualTo("src/_my_kernels/a.hip");
    assertThat(paths(staged)).containsExactly("src/_my_kernels/a.hip", "src/common files/x.h");
  }

  @Test
  void oddDirectoryName_isRefusedWhereAnIncludeComesBackThroughIt() {
    file("/p/my kernels/a.hip", "\n#include \"../my kernels/x.h\"\n");
    file("/p/my kernels/x.h", "");

    assertRefused(
        "/p/my kernels/a.hip",
        "a.hip:2: '../my kernels/x.h' leads through a directory or file whose name hipcc cannot"
            + " be given; use only letters, digits and ._+- in it");
  }

  @Test
  void oddIncludeDirectoryName_isReplacedOnlyIfHipccMistakesIt() {
    file("/p/a.hip", "#include <x.h>\n#include \"in c/x.h\"\n");
    file("/p/in c/x.h", "");
    file("/p/lib.a/x.h", "");

    assertThat(stage("/p/a.hip", "/p/in c", "/p/lib.a").includeDirectories())
        .containsExactly("src/in c", "src/_lib_a");
  }

  @Test
  void twoFilesOfOneStagedName_areRefused() {
    file("/p/a b.hip", "#include \"_a_b.hip\"\n");
    file("/p/_a_b.hip", "");

    assertRefused(
        "/p/a b.hip",
        "_a_b.hip: another file would be staged under the same name; rename one of them");
  }

  @Test
  void deepNesting_isRefused() {
    file("/p/a.hip", "#include \"0.h\"\n");
    for (int i = 0; i < 210; i++) {
      file("/p/" + i + ".h", "#include \"" + (i + 1) + ".h\"\n");
    }

    assertRefused("/p/a.hip", "199.h:1: includes are nested more than 200 deep; include less");
  }

  @Test
  void manyFiles_areRefused() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 10_001; i++) {
      text.append("#include \"").append(i).append(".h\"\n");
      file("/p/" + i + ".h", "");
    }
    file("/p/a.hip", text.toString());

    assertRefused(
        "/p/a.hip", "a.hip:10000: the source includes more than 10000 files; include less");
  }

  @Test
  void largeSource_isRefused() {
    file("/p/a.hip", "#embed \"d.bin\"\n");
    files.put("/p/d.bin", new byte[(64 << 20) + 1]);

    assertRefused(
        "/p/a.hip", "a.hip:1: the source and its includes are larger than 64 MiB; include less");
  }

  @Test
  void highClimb_isRefused() {
    file("/" + "d/".repeat(70) + "a.hip", "#include \"" + "../".repeat(65) + "x.h\"\n");

    assertRefused("/" + "d/".repeat(70) + "a.hip", "a.hip:1: climbs more than 64 directories up");
  }

  @Test
  void cycle_ends() {
    file("/p/a.hip", "#include \"x.h\"\n#include \"x.h\"\n");
    file("/p/x.h", "#include \"a.hip\"\n#include \"x.h\"\n");

    assertThat(paths(stage("/p/a.hip"))).containsExactly("src/a.hip", "src/x.h");
  }

  private void file(String path, String text) {
    files.put(path, text.getBytes(UTF_8));
  }

  private void assertRefused(String main, String message) {
    assertThatExceptionOfType(SourceProblem.class)
        .isThrownBy(() -> stage(main))
        .withMessage(message);
  }

  private StagedSource stage(String main, String... directories) {
    TextTree tree = new TextTree(files);
    List<Root> roots = new ArrayList<>();
    for (String directory : directories) {
      roots.add(new Root(new SourcePath(tree, directory), directory, "inc" + roots.size()));
    }
    SourcePath path = new SourcePath(tree, main);
    return StagingLayout.stage(
        path.name(),
        IncludeScanner.scan(new SourceSnapshot(), path, path.name(), List.of(), roots, List.of()));
  }

  private static List<String> paths(StagedSource staged) {
    return staged.files().stream().map(SourceFile::path).toList();
  }
}
