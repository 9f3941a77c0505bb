// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.toolchain.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which files of a crate are in its key; what cargo makes of them, {@code RustCrateTest} shows. */
class CrateTest {
  private static final String REGISTRY = "registry+https://example.org/index";

  @TempDir Path temporary;

  private Path directory;
  private Path crate;

  @BeforeEach
  void begin() throws IOException {
    directory = temporary.toRealPath();
    crate = directory.resolve("p/k");
    write("p/k/Cargo.toml", "[package]\nname = \"my-kernels\"\nversion = \"0.1.0\"\n");
    write("p/k/src/lib.rs", "#[no_mangle] pub unsafe extern \"gpu-kernel\" fn k() {}");
    write("p/k/Cargo.lock", locked("my-kernels", "0.1.0", null));
  }

  private void write(String path, String text) throws IOException {
    Path file = directory.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private void append(String path, String text) throws IOException {
    write(path, Files.readString(directory.resolve(path)) + text);
  }

  private static String locked(String name, String version, String source) {
    return "[[package]]\nname = \"%s\"\nversion = \"%s\"\n".formatted(name, version)
        + (source == null ? "" : "source = \"" + source + "\"\nchecksum = \"00ff\"\n")
        + "\n";
  }

  private void vendor(String place, String name, String version) throws IOException {
    write(
        place + "/Cargo.toml",
        "[package]\nname = \"%s\"\nversion = \"%s\"\n".formatted(name, version));
    write(place + "/src/lib.rs", "");
    write(place + "/.cargo-checksum.json", "{}");
  }

  private List<String> staged() {
    return KernelSource.rust(crate).inputs().stream().map(CacheEntry.Input::path).toList();
  }

  @Test
  void crate_isAllThatIsInItsFolder() throws IOException {
    write("p/k/src/target/mod.rs", "");
    write("p/k/data/table.bin", "\u0000");
    write("p/k/target/debug/build.log", "");
    write("p/k/.git/HEAD", "");
    write("p/k/.env", "");
    write("p/k/.cargo/config.toml", "");
    write("p/k/.cargo/registry", "");
    write("p/beside.rs", "");

    KernelSource source = KernelSource.read(crate);

    assertThat(source.language()).isEqualTo(Language.RUST);
    assertThat(source.name()).isEqualTo("my-kernels");
    assertThat(source.hasKernel()).isTrue();
    assertThat(source.staged().mainFile()).isEqualTo("src/Cargo.toml");
    assertThat(staged())
        .containsExactly(
            "src/.cargo/config.toml",
            "src/Cargo.lock",
            "src/Cargo.toml",
            "src/data/table.bin",
            "src/src/lib.rs",
            "src/src/target/mod.rs");
    assertThat(source.staged().displayNames().get("src/src/lib.rs"))
        .isEqualTo(crate.resolve("src/lib.rs").toString());
    assertThat(KernelSource.read(crate.resolve("Cargo.toml")).digest()).isEqualTo(source.digest());
  }

  @Test
  void foldersThatAPathNames_areStagedWhereTheyLay() throws IOException {
    append("p/k/Cargo.toml", "[dependencies]\na = { path = \"../a\" }\nb.path='../../q/b'\n");
    write("p/a/Cargo.toml", "[package]\nname = \"a\"\n[dependencies]\nc = { path = \"c\" }");
    write("p/a/src/lib.rs", "");
    write("p/a/c/Cargo.toml", "[package]\nname = \"c\"");
    write("q/b/Cargo.toml", "[package]\nname = \"b\"");
    write("q/b/target/x", "");

    assertThat(staged())
        .containsExactly(
            "src/p/a/Cargo.toml",
            "src/p/a/c/Cargo.toml",
            "src/p/a/src/lib.rs",
            "src/p/k/Cargo.lock",
            "src/p/k/Cargo.toml",
            "src/p/k/src/lib.rs",
            "src/q/b/Cargo.toml");
  }

  @Test
  void packageOfAWorkspace_hasAllOfIt() throws IOException {
    Files.delete(crate.resolve("Cargo.lock"));
    write("p/Cargo.toml", "[workspace]\nmembers = [\"*\"]\n");
    write("p/Cargo.lock", locked("my-kernels", "0.1.0", null));
    write("p/other/Cargo.toml", "[package]\nname = \"other\"");

    assertThat(staged())
        .containsExactly(
            "src/Cargo.lock",
            "src/Cargo.toml",
            "src/k/Cargo.toml",
            "src/k/src/lib.rs",
            "src/other/Cargo.toml");
    assertThat(KernelSource.rust(crate).staged().mainFile()).isEqualTo("src/k/Cargo.toml");
  }

  @Test
  void lockedCrates_areStagedAsTheyWereVendored() throws IOException {
    write("p/.cargo/config.toml", "[source.v]\ndirectory = \"../vendored\"\n");
    append("p/k/Cargo.lock", locked("libm", "0.2.8", REGISTRY));
    append("p/k/Cargo.lock", locked("half", "2.1.0", REGISTRY));
    vendor("vendored/libm", "libm", "0.2.7");
    vendor("vendored/libm-0.2.8", "libm", "0.2.8");
    vendor("vendored/half", "half", "2.1.0");
    vendor("vendored/unused", "unused", "1.0.0");

    KernelSource source = KernelSource.rust(crate);

    assertThat(source.staged().includeDirectories()).containsExactly("vendor");
    assertThat(staged())
        .contains("src/Cargo.toml")
        .filteredOn(path -> path.startsWith("vendor/"))
        .containsExactly(
            "vendor/half-2.1.0/.cargo-checksum.json",
            "vendor/half-2.1.0/Cargo.toml",
            "vendor/half-2.1.0/src/lib.rs",
            "vendor/libm-0.2.8/.cargo-checksum.json",
            "vendor/libm-0.2.8/Cargo.toml",
            "vendor/libm-0.2.8/src/lib.rs");
    write("vendored/half/src/lib.rs", "changed");
    assertThat(KernelSource.rust(crate).digest()).isNotEqualTo(source.digest());
  }

  @Test
  void vendoredCrate_ofAnotherVersion_isNotIt() throws IOException {
    write("p/.cargo/config.toml", "[source.v]\ndirectory = \"../vendored\"\n");
    append("p/k/Cargo.lock", locked("libm", "0.2.8", REGISTRY));
    vendor("vendored/libm", "libm", "0.2.7");

    assertThatThrownBy(() -> KernelSource.rust(crate))
        .hasMessageContaining("crate libm 0.2.8 is neither vendored nor fetched");
  }

  @Test
  void vendoredCratesInTheFolder_countOnlyIfTheyAreLocked() throws IOException {
    write("p/k/.cargo/config.toml", "[source.v]\ndirectory = \"vendor\"\n");
    vendor("p/k/vendor/unused", "unused", "1.0.0");

    assertThat(staged())
        .containsExactly(
            "src/.cargo/config.toml", "src/Cargo.lock", "src/Cargo.toml", "src/src/lib.rs");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "libm | registry+https://example.org/index | crate libm 1.0.0 is neither"
            + " vendored nor fetched, and kcache asks no network; run 'cargo fetch --locked' in the"
            + " crate's folder",
        "x | git+https://example.org/x#0123 | crate x 1.0.0 comes from git and is not vendored; run"
            + " 'cargo vendor' in the crate's folder and put what it prints into .cargo/config.toml",
        "../x | registry+https://example.org/index | crate ../x 1.0.0 is neither"
      })
  void lockedCrate_thatIsNotHere_isRefusedWithItsLine(String name, String source, String problem)
      throws IOException {
    append("p/k/Cargo.lock", locked(name, "1.0.0", source));

    assertThatThrownBy(() -> KernelSource.rust(crate))
        .isInstanceOf(InvalidKernelSourceException.class)
        .hasMessageStartingWith(crate.resolve("Cargo.lock") + ":5: " + problem);
  }

  @Test
  void crateWithoutALockFile_isRefused() throws IOException {
    Files.delete(crate.resolve("Cargo.lock"));

    assertThatThrownBy(() -> KernelSource.read(crate))
        .isInstanceOf(InvalidKernelSourceException.class)
        .hasMessage(
            crate.resolve("Cargo.toml")
                + ": it has no Cargo.lock, which says what to compile; run 'cargo"
                + " generate-lockfile' in its folder");
  }

  @Test
  void folderWithoutAManifest_isNoSource() {
    assertThatThrownBy(() -> KernelSource.read(crate.getParent()))
        .hasMessage(crate.getParent() + ": is a directory, not a source file");
  }

  @Test
  void absolutePathOfADependency_isRefused() throws IOException {
    write("a/Cargo.toml", "[package]\nname = \"a\"");
    append("p/k/Cargo.toml", "[dependencies]\na = { path = \"" + directory + "/a\" }\n");

    assertThatThrownBy(() -> KernelSource.rust(crate))
        .hasMessage(
            "%s: '%s' is an absolute path; name the folder relative to the crate",
            crate.resolve("Cargo.toml"), directory.resolve("a"));
  }

  @Test
  void crateOfTooManyFiles_isRefused() throws IOException {
    for (int i = 0; i < 10_000; i++) {
      Files.createFile(crate.resolve("src/f" + i));
    }

    assertThatThrownBy(() -> KernelSource.rust(crate))
        .hasMessage(
            crate.resolve("Cargo.toml")
                + ": its folder and the crates that it depends on have more than 10000 files or 64"
                + " MiB; move what is not source out of the folder");
  }

  @Test
  void linkThatLeadsBack_isRefused() throws IOException {
    Files.createSymbolicLink(crate.resolve("src/loop"), Path.of("."));

    assertThatThrownBy(() -> KernelSource.rust(crate))
        .isInstanceOf(InvalidKernelSourceException.class)
        .hasMessage(
            crate.resolve("src/loop") + ": is a link to a folder that it lies in; remove it");
  }

  @Test
  void headersOfACrate_areRefused() {
    KernelSource source = KernelSource.rust(crate);

    assertThatThrownBy(() -> source.withHeader("a.rs", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            crate.resolve("Cargo.toml")
                + ": a crate has all of its files in its folder; leave headers and include"
                + " directories out");
    assertThatThrownBy(() -> KernelSource.rust("Cargo.toml", "[package]"))
        .hasMessage(
            "Cargo.toml: a crate is read from a folder; pass its path to KernelSource.rust");
  }

  /** The key is of the bytes and names, wherever the crate lies. */
  @Test
  void generatedCrates_areToldApart() throws IOException {
    Set<Object> digests = new HashSet<>();
    for (int seed = 0; seed < 300; seed++) {
      List<Path> files = generate("first/" + seed, seed);
      generate("second/longer/" + seed, seed);
      KernelSource source = KernelSource.rust(directory.resolve("first/" + seed + "/k"));

      assertThat(KernelSource.rust(directory.resolve("second/longer/" + seed + "/k")).digest())
          .isEqualTo(source.digest());
      assertThat(source.inputs()).hasSizeGreaterThanOrEqualTo(files.size());
      assertThat(digests.add(source.digest())).isTrue();
      Path changed = files.get(seed % files.size());
      Files.writeString(changed, Files.readString(changed) + "\n# changed");
      assertThat(KernelSource.rust(directory.resolve("first/" + seed + "/k")).digest())
          .isNotEqualTo(source.digest());
      Path added = directory.resolve("second/longer/" + seed + "/k/src/added.rs");
      Files.writeString(added, "");
      assertThat(KernelSource.rust(directory.resolve("second/longer/" + seed + "/k")).digest())
          .isNotEqualTo(source.digest());
    }
  }

  private List<Path> generate(String place, int seed) throws IOException {
    Random random = new Random(seed);
    StringBuilder manifest = new StringBuilder("[package]\nname = \"k\"\n# " + seed + "\n");
    StringBuilder lock = new StringBuilder(locked("k", "0.1.0", null));
    List<Path> files = new ArrayList<>();
    manifest.append("[dependencies]\n");
    for (int i = 0; i < random.nextInt(4); i++) {
      String name = "d" + i;
      if (random.nextBoolean()) {
        manifest.append(name).append(" = { path = \"../").append(name).append("\" }\n");
        write(place + "/" + name + "/Cargo.toml", "[package]\nname = \"" + name + "\"\n");
        write(place + "/" + name + "/src/lib.rs", "// " + random.nextInt());
        files.add(directory.resolve(place + "/" + name + "/src/lib.rs"));
      } else {
        lock.append(locked(name, "1.0." + i, REGISTRY));
        vendor(place + "/k/vendor/" + name, name, "1.0." + i);
        write(place + "/k/vendor/" + name + "/src/lib.rs", "// " + random.nextInt());
        files.add(directory.resolve(place + "/k/vendor/" + name + "/src/lib.rs"));
      }
    }
    write(place + "/k/.cargo/config.toml", "[source.v]\ndirectory = \"vendor\"\n");
    for (int i = 0; i < random.nextInt(5); i++) {
      String file = place + "/k/src/" + (random.nextBoolean() ? "sub/" : "") + "m" + i + ".rs";
      write(file, "// " + random.nextInt());
      files.add(directory.resolve(file));
    }
    write(place + "/k/Cargo.toml", manifest.toString());
    write(place + "/k/Cargo.lock", lock.toString());
    write(place + "/k/src/lib.rs", "// " + random.nextInt());
    for (String file : List.of("Cargo.toml", "Cargo.lock", "src/lib.rs")) {
      files.add(directory.resolve(place + "/k/" + file));
    }
    return files;
  }
}
