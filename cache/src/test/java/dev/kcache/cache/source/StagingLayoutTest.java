// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.kcache.cache.source.IncludeClosure.Root;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StagingLayoutTest {
  private final Map<String, byte[]> files = new HashMap<>();

  /**
   * Each line: the files, of which the first is compiled, each with what it includes; the declared
   * directories; what is staged; and as what the directories are.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          # A directory is staged as src.
          k/a.hip:"x.h","s/y.h"; k/x.h; k/s/y.h:"z.h"; k/s/z.h:"x.h" | | src/a.hip src/s/y.h src/s/z.h src/x.h |
          # What climbs begins src higher, what climbs in vain stays inside, and what is passed through is kept.
          k/a.hip:"../c/x.h","../k/y.h","y.h"; c/x.h; k/y.h | | src/c/x.h src/k/a.hip src/k/y.h |
          p/k/a.hip:"../../q/x.h" | | src/_/_/a.hip |
          k/a.hip:"sub/../x.h"; k/x.h | | src/a.hip src/sub/.keep src/x.h |
          # A declared directory inside the sources, or around them, is staged with them.
          p/k/a.hip:<x.h>,"inc/x.h",<b.h>; p/k/inc/x.h; p/o/b.h | p/k/inc p/o p/k | inc1/b.h src/a.hip src/inc/x.h | src/inc inc1 src
          p/k/a.hip:<k/x.h>,"x.h"; p/k/x.h | p | src/k/a.hip src/k/x.h | src
          # Every candidate counts for #include_next; angle brackets do not search the own directory.
          p/a.hip:<x.h>; i/x.h:_next <x.h>; j/x.h; l/x.h | i j l | inc0/x.h inc1/x.h inc2/x.h src/a.hip | inc0 inc1 inc2
          p/a.hip:<x.h>; p/x.h | | src/a.hip |
          # Files may include one another.
          p/a.hip:"x.h","x.h"; p/x.h:"a.hip","x.h" | | src/a.hip src/x.h |
          """)
  void layout_keepsWhatEachNameMeans(
      String sources, String directories, String staged, String includeDirectories) {
    String main = "";
    for (String source : sources.split(";\\s*", -1)) {
      String[] parts = source.split(":", 2);
      StringBuilder text = new StringBuilder();
      for (String operand : parts.length > 1 ? parts[1].split(",", -1) : new String[0]) {
        text.append("#include").append(operand).append('\n');
      }
      file("/" + parts[0].strip(), text.toString());
      main = main.isEmpty() ? "/" + parts[0] : main;
    }

    StagedSource layout =
        stage(
            main,
            directories == null
                ? new String[0]
                : ("/" + directories).replace(" ", " /").split(" ", -1));

    assertThat(String.join(" ", paths(layout))).isEqualTo(staged);
    assertThat(String.join(" ", layout.includeDirectories()))
        .isEqualTo(includeDirectories == null ? "" : includeDirectories);
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
        Language.HIP,
        path.name(),
        IncludeScanner.scan(new SourceSnapshot(), path, path.name(), List.of(), roots, List.of()));
  }

  private static List<String> paths(StagedSource staged) {
    return staged.files().stream().map(SourceFile::path).toList();
  }
}
