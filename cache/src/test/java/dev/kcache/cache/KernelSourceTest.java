// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KernelSourceTest extends SourceTestBase {
  @TempDir private Path zips;

  @Test
  void digest_isTheSameFromAnotherDirectory() throws IOException {
    for (String copy : List.of("here", "there/and deeper")) {
      write(copy + "/k/vadd.hip", "#include \"../common/a.h\"\n#include <b.h>\n" + KERNEL);
      write(copy + "/common/a.h", "#include \"c.h\"\n");
      write(copy + "/common/c.h", "int c;\n");
      write(copy + "/inc/b.h", "int b;\n");
    }

    KernelSource here = readTree(directory.resolve("here"));
    KernelSource there = readTree(directory.resolve("there/and deeper"));

    assertThat(there.digest()).isEqualTo(here.digest());
    assertThat(paths(here))
        .containsExactly("src/common/a.h", "src/common/c.h", "src/inc/b.h", "src/k/vadd.hip");
    assertThat(here.staged().includeDirectories()).containsExactly("src/inc");
  }

  @Test
  void digest_followsTheInstantiationsButNotTheirBlanks() {
    KernelSource source = KernelSource.of("k.hip", KERNEL);
    KernelSource one = source.withInstantiation("f<float,4>");

    assertThat(one.digest()).isNotEqualTo(source.digest());
    assertThat(source.withInstantiation("f<float,  4>").digest()).isEqualTo(one.digest());
    assertThat(one.withInstantiation(" f< float,4 >")).isSameAs(one);
    assertThat(source.withInstantiation("f<float,8>").digest()).isNotEqualTo(one.digest());
    assertThat(one.withInstantiation("g").digest())
        .isNotEqualTo(source.withInstantiation("g").withInstantiation("f<float,4>").digest());
    assertThat(one.withOptions(CompileOptions.of("-O1")).withHeader("h.h", "").instantiations())
        .isEqualTo(one.withIncludeDirectory(directory).instantiations())
        .isEqualTo(one.instantiations());
  }

  /** Each compile stages the same, and the key has the files as they were given. */
  @Test
  void instantiations_areStagedBehindTheSource() {
    KernelSource source = KernelSource.of("k.hip", KERNEL).withInstantiation("f<float,4>");

    for (int i = 0; i < 2; i++) {
      assertThat(source.staged().files())
          .extracting(Toolchain.SourceFile::path, file -> text(file).lines().toList())
          .containsExactly(
              Tuple.tuple(
                  "src/k.hip", List.of(KERNEL.strip(), "", "", "#include \"kcache-instance-0\"")),
              Tuple.tuple(
                  "src/kcache-instance-0",
                  List.of(
                      "static __device__ __attribute__((__used__)) const auto kcache_instance_0 {",
                      "f<float, 4>",
                      "};")));
    }
    assertThat(source.inputs()).isEqualTo(KernelSource.of("k.hip", KERNEL).inputs());
    assertThat(source.staged().displayNames())
        .containsEntry("src/kcache-instance-0", "instantiation f<float, 4>");
  }

  private static String text(Toolchain.SourceFile file) {
    return UTF_8.decode(file.content().duplicate()).toString();
  }

  private static KernelSource readTree(Path root) {
    return KernelSource.read(root.resolve("k/vadd.hip")).withIncludeDirectory(root.resolve("inc"));
  }

  /**
   * One that is nested, that only device code includes, that is only probed for, and one that the
   * toolchain's own headers include.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "#include \"a.h\" | sub/c.h",
        "#ifdef __HIP_DEVICE_COMPILE__;#include \"d.h\";#endif | d.h",
        "#if __has_include(\"opt.h\");#endif | opt.h",
        "int x; | inc/cmath"
      })
  void digest_followsAFileThereAndBack(String text, String file) throws IOException {
    Path main = write("k.hip", text.replace(';', '\n') + "\n" + KERNEL);
    write("a.h", "#include \"sub/b.h\"\n");
    write("sub/b.h", "#include \"c.h\"\n");
    write("inc/string_of_mine", "int a;\n");
    Supplier<KernelSource> read =
        () -> KernelSource.read(main).withIncludeDirectory(directory.resolve("inc"));
    KernelSource without = read.get();

    write(file, "int c = 1;\n");
    KernelSource first = read.get();
    write(file, "int c = 2;\n");
    KernelSource edited = read.get();
    write(file, "int c = 1;\n");

    assertThat(Set.of(without.digest(), first.digest(), edited.digest())).hasSize(3);
    assertThat(read.get().digest()).isEqualTo(first.digest());
    assertThat(paths(without)).noneMatch(path -> path.endsWith("string_of_mine"));
  }

  @Test
  void digest_followsAHeaderThatBeginsToWinTheSearch() throws IOException {
    Path main = write("vadd.hip", "#include <a.h>\n" + KERNEL);
    write("second/a.h", "int a = 2;\n");
    Files.createDirectory(directory.resolve("first"));
    KernelSource before = readWithTwoDirectories(main);

    write("first/a.h", "int a = 1;\n");
    KernelSource after = readWithTwoDirectories(main);

    assertThat(after.digest()).isNotEqualTo(before.digest());
    assertThat(paths(before)).containsExactly("inc1/a.h", "src/vadd.hip");
    assertThat(paths(after)).containsExactly("inc0/a.h", "src/vadd.hip");
    assertThat(before.staged().includeDirectories()).containsExactly("inc0", "inc1");
  }

  private KernelSource readWithTwoDirectories(Path main) throws IOException {
    Path alone = directory.resolve("alone");
    Files.createDirectories(alone);
    return KernelSource.read(Files.copy(main, alone.resolve("vadd.hip"), REPLACE_EXISTING))
        .withIncludeDirectory(directory.resolve("first"))
        .withIncludeDirectory(directory.resolve("second"));
  }

  @Test
  void digest_dependsOnNameTextHeadersAndOptions() {
    KernelSource source = KernelSource.of("vadd.hip", KERNEL);

    assertThat(
            Stream.of(
                    source,
                    KernelSource.of("vsub.hip", KERNEL),
                    KernelSource.of("vadd.hip", KERNEL + "\n"),
                    source.withOptions(CompileOptions.of("-DA")),
                    source.withOptions(CompileOptions.of("-DB")),
                    source.withHeader("a.h", "int a;"),
                    source.withIncludeDirectory(directory))
                .map(KernelSource::digest))
        .doesNotHaveDuplicates();
    assertThat(source.withOptions(CompileOptions.of()).digest()).isEqualTo(source.digest());
    assertThat(KernelSource.of("vadd.hip", KERNEL).digest()).isEqualTo(source.digest());
  }

  @Test
  void snapshot_readsEachFileOnce() throws IOException {
    Path main = write("vadd.hip", "#include \"a.h\"\n#include <b.h>\n" + KERNEL);
    write("a.h", "int a = 1;\n");
    KernelSource before = KernelSource.read(main);

    write("a.h", "int a = 2;\n");
    write("vadd.hip", KERNEL);
    write("b.h", "int b;\n");
    KernelSource after = before.withIncludeDirectory(directory);

    assertThat(texts(after))
        .containsExactly("int a = 1;\n", "int b;\n", "#include \"a.h\"\n#include <b.h>\n" + KERNEL);
  }

  @Test
  void withHeader_precedesIncludeDirectoriesButNotTheOwnDirectory() throws IOException {
    Path main = write("k/vadd.hip", "#include \"own.h\"\n#include \"gen/x.h\"\n" + KERNEL);
    write("k/own.h", "int own;\n");
    write("inc/gen/x.h", "int disk;\n");

    KernelSource source =
        KernelSource.read(main)
            .withIncludeDirectory(directory.resolve("inc"))
            .withHeader("gen/x.h", "#include \"y.h\"\n")
            .withHeader("gen/y.h", "int declared;\n")
            .withHeader("own.h", "int loses;\n");

    assertThat(paths(source))
        .containsExactly("hdr/gen/x.h", "hdr/gen/y.h", "hdr/own.h", "src/own.h", "src/vadd.hip");
    assertThat(source.staged().includeDirectories()).containsExactly("hdr", "inc0");
  }

  @Test
  void resource_includesWhatLiesBesideIt() {
    KernelSource source = KernelSource.resource(KernelSourceTest.class, "resource.hip");

    assertThat(source.name()).isEqualTo("resource.hip");
    assertThat(paths(source))
        .containsExactly(
            "src/cache/parts/deep.h",
            "src/cache/resource.h",
            "src/cache/resource.hip",
            "src/top.h");
    assertThat(source.hasKernel()).isTrue();
  }

  @Test
  void resource_missing() {
    assertRefused(() -> KernelSource.resource(KernelSourceTest.class, "missing.hip"))
        .withMessage("missing.hip: no such file");
    assertRefused(() -> KernelSource.resource(KernelSourceTest.class, "parts"))
        .withMessage("parts: no such file");
    assertRefused(() -> KernelSource.resource(KernelSourceTest.class, "/a.hip"))
        .withMessage("/a.hip: name the resource relative to the package dev.kcache.cache");
    assertRefused(() -> KernelSource.resource(String.class, "k.hip"))
        .withMessage(
            "k.hip: module java.base keeps its resources to itself; let it open package java.lang");
  }

  /** Compilers take them, and the key has them as they are. */
  @Test
  void read_takesBytesOfAnyEncoding() throws IOException {
    Path latin = directory.resolve("latin.hip");
    Set<Digest> digests = new HashSet<>();
    for (int odd : List.of(0xe9, 0xe8, 0xff, 0)) {
      byte[] text = ("// \n#include \"a.h\"\n" + KERNEL).getBytes(UTF_8);
      text[2] = (byte) odd;
      Files.write(latin, text);
      digests.add(KernelSource.read(latin).digest());
    }

    assertThat(digests).hasSize(4);
  }

  @Test
  void includeDirectory_refusesWhatIsNone() {
    KernelSource source = KernelSource.of("vadd.hip", KERNEL);

    assertRefused(() -> source.withIncludeDirectory(directory.resolve("no")))
        .withMessage(directory.resolve("no") + ": no such include directory");
    assertThat(
            source
                .withIncludeDirectory(directory)
                .withIncludeDirectory(directory)
                .staged()
                .includeDirectories())
        .containsExactly("inc0");
  }

  @Test
  void read_takesFilesOfAnyFileSystem() throws IOException {
    write("k/vadd.hip", "#include \"../common/a.h\"\n#include <b.h>\n" + KERNEL);
    write("common/a.h", "int a;\n");
    write("inc/b.h", "int b;\n");
    URI archive = URI.create("jar:" + zips.toUri().resolve("a.zip"));
    try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
      Path root = zip.getPath("/tree");
      for (String name : List.of("k/vadd.hip", "common/a.h", "inc/b.h")) {
        Files.createDirectories(root.resolve(name).getParent());
        Files.writeString(root.resolve(name), Files.readString(directory.resolve(name)));
      }

      KernelSource packed = readTree(root);

      assertThat(packed.digest()).isEqualTo(readTree(directory).digest());
      assertThat(paths(packed)).containsExactly("src/common/a.h", "src/inc/b.h", "src/k/vadd.hip");
      assertRefused(root.resolve("k")).withMessage("/tree/k: is a directory, not a source file");
    }
  }

  @Test
  void read_followsSymbolicLinks() throws IOException {
    write("real/k/vadd.hip", "#include \"../common/a.h\"\n#include \"linked/b.h\"\n" + KERNEL);
    write("real/common/a.h", "int a;\n");
    write("elsewhere/b.h", "int b;\n");
    Files.createSymbolicLink(directory.resolve("link"), directory.resolve("real/k"));
    Files.createSymbolicLink(directory.resolve("real/k/linked"), directory.resolve("elsewhere"));

    KernelSource source = KernelSource.read(directory.resolve("link/vadd.hip"));

    assertThat(paths(source))
        .containsExactly("src/common/a.h", "src/k/linked/b.h", "src/k/vadd.hip");
    assertThat(source.digest())
        .isEqualTo(KernelSource.read(directory.resolve("real/k/vadd.hip")).digest());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "/a.h", "../a.h", "./x.h", "a/./b.h", "a/../../x.h", "a//b.h", "a/", "a\0.h"})
  void withHeader_refusesOtherThanAPlainRelativeName(String name) {
    assertRefused(() -> KernelSource.of("vadd.hip", KERNEL).withHeader(name, ""))
        .withMessage(
            "header '"
                + name.replace('\0', '?')
                + "': name it as it is included, such as util/math.h, without . and ..");
  }

  @Test
  void withHeader_refusesNamesThatNoFileOrCompilerTakes() {
    KernelSource source = KernelSource.of("k.hip", KERNEL);
    assertRefused(() -> source.withHeader("a\\b.h", ""))
        .withMessage("header 'a\\b.h': name it without a backslash");
    for (String name : List.of("h".repeat(256), "d/".repeat(1500) + "h")) {
      assertRefused(() -> source.withHeaders(Map.of(name, "")))
          .withMessageEndingWith("...': its name is too long for a file; shorten it");
    }
  }

  @Test
  void withHeaders_isWithHeaderForEach() throws IOException {
    Path main = write("main.hip", "#include \"a.h\"\n#include \"own.h\"\n" + KERNEL);
    write("own.h", "int own;\n");
    KernelSource source = KernelSource.read(main).withHeader("b.h", "int replaced;\n");
    String including = "#include \"b.h\"\n";

    KernelSource together = source.withHeaders(Map.of("a.h", including, "b.h", "int b;\n"));

    KernelSource oneByOne = source.withHeader("b.h", "int b;\n").withHeader("a.h", including);
    assertThat(together.digest()).isEqualTo(oneByOne.digest());
    assertThat(together.staged()).isEqualTo(oneByOne.staged());
    assertThat(together.withHeaders(Map.of())).isSameAs(together);
  }

  /** Each declaration looks at all headers there are; those of earlier ones are not in the way. */
  @Test
  @Timeout(60)
  void withHeader_ofManyOneByOneOrThousandsAtOnce_isDone() {
    Map<String, String> headers = new HashMap<>();
    KernelSource source = KernelSource.of("main.hip", KERNEL);
    for (int i = 0; i < 5000; i++) {
      headers.put("h" + i + ".h", "int x" + i + ";\n");
      source = i < 600 ? source.withHeader("h" + i + ".h", "int x;\n") : source;
    }

    assertThat(source.staged().files()).hasSize(601);
    assertThat(source.withHeaders(headers).staged().files()).hasSize(5001);
    assertThat(source.staged().includeDirectories()).containsExactly("hdr");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "a/", "..", "a/..", "a\0.hip"})
  void of_refusesWhatNamesNoFile(String name) {
    String shown = name.contains("\0") ? "source" : "'" + name + "'";
    assertRefused(() -> KernelSource.of(name, KERNEL))
        .withMessage(shown + ": is not the name of a file, such as vadd.hip");
  }

  @Test
  void of_refusesHalfACharacter() {
    assertRefused(() -> KernelSource.of("a.hip", "x\ud800"))
        .withMessage("a.hip: has half a surrogate pair, so it cannot be written as UTF-8");
  }

  @ParameterizedTest
  @CsvSource({
    "vadd.hip, vadd.hip",
    "vadd, vadd",
    "o$(touch x).hip, _o__touch_x_.hip",
    "-o.hip, __o.hip",
    ".hip, _.hip",
    "lib.a, _lib_a",
    "a--genco.hip, _a__genco.hip",
    "größe mit.hip, _gr__e_mit.hip"
  })
  void mainFile_isSafeInAShell(String name, String staged) throws IOException {
    KernelSource source = KernelSource.read(write(name, KERNEL));

    assertThat(source.staged().mainFile()).isEqualTo("src/" + staged);
    assertThat(source.name()).isEqualTo(name);
    assertThat(KernelSource.of("../../etc/" + name, KERNEL).staged().mainFile())
        .isEqualTo("src/" + staged);
  }

  @Test
  void hasKernel_seesTokensOnly() {
    assertThat(KernelSource.of("a.hip", "__global__ void k();").hasKernel()).isTrue();
    assertThat(KernelSource.of("a.hip", "// __global__\nint x = 1;").hasKernel()).isFalse();
    assertThat(KernelSource.of("a.hip", "int global = 1;").hasKernel()).isFalse();
    String attribute = "void __attribute__((%s)) k();";
    assertThat(List.of("global", "__global__", "used, global"))
        .allMatch(name -> KernelSource.of("a.hip", attribute.formatted(name)).hasKernel());
    assertThat(KernelSource.of("a.hip", "#include \"k.h\"\n").withHeader("k.h", KERNEL).hasKernel())
        .isTrue();
  }

  private static List<String> texts(KernelSource source) {
    return source.staged().files().stream().map(file -> text(file)).toList();
  }
}
