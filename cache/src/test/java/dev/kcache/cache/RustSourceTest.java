// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sources in Rust by the ways in which they come; {@code CrateTest} has crates. */
class RustSourceTest extends CacheTestBase {
  private static final String KERNEL = "extern \"gpu-kernel\" fn k() {}\n";

  @BeforeEach
  void compileRust() {
    toolchain.languages = EnumSet.allOf(Language.class);
  }

  private static List<String> staged(KernelSource source) {
    return source.inputs().stream().map(CacheEntry.Input::path).toList();
  }

  @Test
  void declaredFiles_lieBesideTheSource() {
    KernelSource source =
        KernelSource.rust("k.rs", "mod a; const T: &str = include_str!(\"t/t.txt\");" + KERNEL)
            .withHeader("a/mod.rs", "mod b;")
            .withHeader("a/b.rs", "")
            .withHeader("t/t.txt", "mod c;");

    assertThat(source.language()).isEqualTo(Language.RUST);
    assertThat(source.hasKernel()).isTrue();
    assertThat(staged(source))
        .containsExactly("src/a/b.rs", "src/a/mod.rs", "src/k.rs", "src/t/t.txt");
    assertThat(source.staged().includeDirectories()).isEmpty();
  }

  @Test
  void declaredFile_takesThePlaceOfOneOnDisk() throws IOException {
    Path main = Files.writeString(temp.resolve("k.rs"), "mod a; " + KERNEL);
    Files.writeString(temp.resolve("a.rs"), "mod b;");
    Files.createDirectory(temp.resolve("a"));
    Files.writeString(temp.resolve("a/b.rs"), "");
    Files.writeString(temp.resolve("a/c.rs"), "");

    KernelSource source = KernelSource.rust(main);

    assertThat(staged(source)).containsExactly("src/a.rs", "src/a/b.rs", "src/k.rs");
    KernelSource declared = source.withHeader("a.rs", "mod c;");
    assertThat(staged(declared)).containsExactly("src/a.rs", "src/a/c.rs", "src/k.rs");
    assertThat(declared.inputs().get(0).digest()).isEqualTo(Digest.of("mod c;".getBytes(UTF_8)));
  }

  @Test
  void nameThatOnlyMacrosTell_isCuredByADeclaredFile() {
    KernelSource source =
        KernelSource.rust("k.rs", KERNEL + "include!(concat!(env!(\"X\"), \"/a.rs\"));");

    assertThatThrownBy(source::digest)
        .isInstanceOf(InvalidKernelSourceException.class)
        .hasMessageStartingWith("k.rs:2: include! takes the name of its file from a macro");
    assertThat(staged(source.withHeader("a.rs", ""))).containsExactly("src/a.rs", "src/k.rs");
  }

  @Test
  void whatRustHasNot_isRefused() {
    KernelSource source = KernelSource.rust("k.rs", KERNEL);

    assertThatThrownBy(() -> source.withIncludeDirectory(temp))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("k.rs: Rust has no include directories; declare the files as headers");
    assertThatThrownBy(() -> source.withHeader("k.rs", ""))
        .isInstanceOf(InvalidKernelSourceException.class)
        .hasMessage("header 'k.rs': has the name of the source; rename it");
    assertThatThrownBy(() -> source.withInstantiation("k<1>"))
        .hasMessage("k.rs: Rust has no templates; leave the instance out");
    assertThatThrownBy(() -> KernelSource.rust("k.rs", " "))
        .hasMessage("k.rs: is empty; a source needs an extern \"gpu-kernel\" function");
  }

  @Test
  void resource_hasItsModulesAmongTheResources() {
    KernelSource source = KernelSource.resource(RustSourceTest.class, "resource.rs");

    assertThat(source.language()).isEqualTo(Language.RUST);
    assertThat(staged(source))
        .containsExactly("src/parts/mod.rs", "src/resource.rs", "src/rust/table.txt");
  }

  @Test
  void trace_givesTheSameRequestsBack() throws IOException {
    Path deep = Files.createDirectories(temp.resolve("p/deep"));
    Files.writeString(deep.resolve("k.rs"), "#[path = \"../a.rs\"] mod a;" + KERNEL);
    Files.writeString(temp.resolve("p/a.rs"), "include!(\"../../../gone.rs\");");
    Path crate = Files.createDirectories(temp.resolve("crate"));
    Files.createDirectories(crate.resolve("src"));
    Files.createDirectories(crate.resolve(".cargo"));
    Files.createDirectories(crate.resolve("v/d"));
    Files.writeString(crate.resolve("Cargo.toml"), "[package]\nname = \"k\"\n");
    Files.writeString(crate.resolve(".cargo/config.toml"), "directory = \"v\"");
    Files.writeString(crate.resolve("v/d/Cargo.toml"), "[package]\nversion = \"1.0.0\"\n");
    Files.writeString(
        crate.resolve("Cargo.lock"),
        """
        [[package]]
        name = "d"
        version = "1.0.0"
        source = "registry+https://example.org/index"
        """);
    List<KernelSource> sources =
        List.of(
            KernelSource.read(deep.resolve("k.rs")),
            KernelSource.rust("k.rs", KERNEL).withHeader("never/named.rs", ""),
            KernelSource.read(crate));
    Path trace = temp.resolve("trace");
    try (CacheManager cache = manager("KCACHE_TRACE", trace.toString())) {
      sources.forEach(source -> cache.getOrCompile(source, GFX90A));
    }

    assertThat(staged(sources.get(2))).contains("vendor/d-1.0.0/Cargo.toml");
    assertThat(Trace.read(trace))
        .extracting(request -> request.source().digest())
        .containsExactlyInAnyOrderElementsOf(sources.stream().map(KernelSource::digest).toList());
  }

  /** The key has names and bytes of the closure, and nothing of the place. */
  @Test
  void generatedSources_areToldApart() throws IOException {
    Set<Digest> digests = new HashSet<>();
    for (int seed = 0; seed < 300; seed++) {
      Map<String, String> files = new LinkedHashMap<>(new RandomRust(new Random(seed)).files());
      String main = files.keySet().iterator().next();
      files.put(main, files.get(main) + "// " + seed);
      KernelSource source = read(temp.resolve("a/" + seed), main, files);
      assertThat(read(temp.resolve("b/c/" + seed), main, files).digest())
          .isEqualTo(source.digest());
      assertThat(digests.add(source.digest())).isTrue();

      String changed = List.copyOf(files.keySet()).get(seed % files.size());
      files.put(changed, files.get(changed) + "\n// changed");
      assertThat(read(temp.resolve("c/" + seed), main, files).digest())
          .isNotEqualTo(source.digest());
      files.put(main, files.get(main) + "\nmod later;");
      Digest before = read(temp.resolve("c/" + seed), main, files).digest();
      files.put("src dir/later.rs", "");
      assertThat(read(temp.resolve("c/" + seed), main, files).digest()).isNotEqualTo(before);
    }
  }

  private static KernelSource read(Path root, String main, Map<String, String> files)
      throws IOException {
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = root.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
    return KernelSource.read(root.resolve(main));
  }
}
