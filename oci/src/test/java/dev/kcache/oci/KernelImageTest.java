// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import static dev.kcache.oci.Kernels.GFX1030;
import static dev.kcache.oci.Kernels.GFX90A;
import static dev.kcache.oci.Kernels.GFX942;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CachePolicy;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images in files. */
class KernelImageTest {
  @TempDir Path temp;

  private Path filled(String name, TargetId... targets) {
    Path directory = temp.resolve(name);
    Kernels.fill(directory, Map.of(), targets);
    return directory;
  }

  private KernelImage image(String name) {
    return KernelImage.named(temp.resolve(name).toString(), Map.of());
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void sameEntries_giveTheSameBytesAndDigest() throws IOException {
    Path cache = filled("cache", GFX90A, GFX1030);
    ImageContents one = image("one.tar").write(cache, Set.of());
    PulledEntries pulled = image("one.tar").pull(temp.resolve("copy"), Set.of());
    ImageContents other = image("other.tar").write(temp.resolve("copy"), Set.of());

    assertThat(pulled).isEqualTo(new PulledEntries(4, 0, 0, 0, 0, pulled.bytes(), List.of()));
    assertThat(other).isEqualTo(one);
    assertThat(one.layers()).containsExactly("gfx1030-5.2", "gfx90a-5.2");
    assertThat(one.targets()).containsExactly(GFX1030, GFX90A);
    assertThat(one.entries()).isEqualTo(4);
    assertThat(temp.resolve("other.tar")).hasSameBinaryContentAs(temp.resolve("one.tar"));
    assertThat(names(temp)).containsExactly("cache", "copy", "one.tar", "other.tar");
  }

  @Test
  void pulledEntries_areHitsWithoutACompiler() {
    image("one.tar").write(filled("cache", GFX90A), Set.of());
    image("one.tar").pull(temp.resolve("copy"), Set.of());
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of("KCACHE_DIR", temp.resolve("copy").toString()))
            .policy(CachePolicy.SEALED)
            .build()) {
      assertThat(cache.getIfPresent(Kernels.source("a.hip"), GFX90A)).isPresent();
      assertThat(cache.getIfPresent(Kernels.source("c.hip"), GFX90A)).isEmpty();
    }
  }

  @Test
  void targets_chooseWhatIsWrittenAndPulled() {
    Path cache = filled("cache", GFX90A, GFX1030);
    ImageContents part = image("part.tar").write(cache, Set.of(GFX1030));
    image("all.tar").write(cache, Set.of());

    assertThat(part.layers()).containsExactly("gfx1030-5.2");
    assertThat(image("all.tar").pull(temp.resolve("copy"), Set.of(GFX90A)).copied()).isEqualTo(2);
    assertThat(image("part.tar").pull(temp.resolve("copy"), Set.of()).copied()).isEqualTo(2);
    assertThat(image("all.tar").pull(temp.resolve("copy"), Set.of()).present()).isEqualTo(4);
    assertThatThrownBy(() -> image("none.tar").write(cache, Set.of(GFX942)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("there are no kernels for these targets in '");
    assertThat(temp.resolve("none.tar")).doesNotExist();
  }

  private static List<Path> files(Path directory, String end) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
    }
  }

  @Test
  void damagedEntry_isAReasonToWriteNothing() throws IOException {
    Path cache = filled("cache", GFX90A);
    image("one.tar").write(cache, Set.of());
    byte[] before = Files.readAllBytes(temp.resolve("one.tar"));
    Files.write(files(cache, ".co").get(0), new byte[3464]);

    ImageException failure =
        catchThrowableOfType(ImageException.class, () -> image("one.tar").write(cache, Set.of()));
    assertThat(failure.isDamaged()).isTrue();
    assertThat(failure)
        .hasMessageStartingWith("no image is written, since 2 entries are damaged, as 'kcache ver");
    assertThat(temp.resolve("one.tar")).hasBinaryContent(before);
    assertThat(names(temp)).containsExactly("cache", "one.tar");
  }

  @Test
  void signedRecords_staySigned() throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    Path key = pem("key", "PRIVATE KEY", pair.getPrivate().getEncoded());
    Path trusted = pem("key.pub", "PUBLIC KEY", pair.getPublic().getEncoded());
    Path signed = temp.resolve("signed");
    Kernels.fill(signed, Map.of("KCACHE_SIGN_KEY", key.toString()), GFX90A);
    Files.writeString(signed.resolve("revocations"), "a list");
    image("signed.tar").write(signed, Set.of());
    image("signed.tar").pull(temp.resolve("copy"), Set.of());
    image("bare.tar").write(filled("unsigned", GFX90A), Set.of());
    image("bare.tar").pull(temp.resolve("bare"), Set.of());

    assertThat(files(temp.resolve("copy"), ".sig")).hasSize(2).allMatch(file -> size(file) > 0);
    assertThat(temp.resolve("copy/revocations")).hasContent("a list");
    assertThat(isTrusted(temp.resolve("copy"), trusted)).isTrue();
    assertThat(isTrusted(temp.resolve("bare"), trusted)).isFalse();

    // A list that is there stays.
    Files.writeString(temp.resolve("copy/revocations"), "another");
    image("signed.tar").pull(temp.resolve("copy"), Set.of());
    assertThat(temp.resolve("copy/revocations")).hasContent("another");
  }

  private Path pem(String name, String kind, byte[] key) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key);
    Path file =
        Files.writeString(
            temp.resolve(name),
            "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(kind, text));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private static long size(Path file) {
    return file.toFile().length();
  }

  private static boolean isTrusted(Path directory, Path key) {
    try (CacheManager cache =
        CacheManager.builder()
            .environment(
                Map.of(
                    "KCACHE_DIR", directory.toString(),
                    "KCACHE_POLICY", "sealed",
                    "KCACHE_TRUSTED_KEYS", key.toString()))
            .build()) {
      return cache.getIfPresent(Kernels.source("a.hip"), GFX90A).isPresent();
    }
  }

  /** What docs/format.md says: the digest is that of what sha256sum prints. */
  @Test
  void digestOfContents_isThatOfTheRecordsInTheirOrder() throws Exception {
    Path cache = filled("cache", GFX90A, GFX1030, GFX942);
    ImageContents contents = image("one.tar").write(cache, Set.of());
    Process shell =
        new ProcessBuilder("sh", "-c", "LC_ALL=C sha256sum */*/*.json | sha256sum")
            .directory(cache.toFile())
            .start();
    assertThat(new String(shell.getInputStream().readAllBytes(), UTF_8))
        .isEqualTo(contents.contents() + "  -\n");
    assertThat(files(cache, ".json")).hasSize((int) contents.entries());
  }

  @Test
  void labels_areThoseOfMcvAndOurs() throws IOException {
    ImageContents contents = image("one.tar").write(filled("cache", GFX90A, GFX1030), Set.of());
    assertThat(ImageLabels.of(contents))
        .containsEntry(
            "cache.kcache.image/summary",
            "{\"targets\":[{\"backend\":\"hip\",\"arch\":\"gfx1030\",\"warp_size\":32},"
                + "{\"backend\":\"hip\",\"arch\":\"gfx90a\",\"warp_size\":64}]}")
        .containsEntry("cache.kcache.image/entry-count", "4")
        .containsEntry("cache.kcache.image/cache-size-bytes", "" + contents.bytes())
        .containsEntry("io.kserve.km/cache-mount-subpath", "io.kcache.cache")
        .containsEntry("io.kserve.km/cache-root-env", "KCACHE_PATH")
        .containsEntry("dev.kcache.image/targets", "gfx1030,gfx90a")
        .containsEntry("dev.kcache.image/labels", "5.2")
        .containsEntry("dev.kcache.image/digest", "sha256:" + contents.contents());
  }

  @Test
  void wrongNames_areToldAtOnce() {
    for (String name : List.of("", "Upper/Case:1", "a b", "host/x:tag:tag")) {
      assertThatThrownBy(() -> KernelImage.named(name, Map.of()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("'" + name + "' is no image; write REGISTRY/NAME:TAG");
    }
    assertThatThrownBy(() -> image("no/where.tar").write(filled("cache", GFX90A), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("where.tar' would be in a directory that does not exist");
    assertThatThrownBy(() -> image("x.tar").write(temp.resolve("missing"), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("missing' does not exist");
  }

  @Test
  void baseThatIsNone_isToldAndNothingWritten() throws IOException {
    Path cache = filled("cache", GFX90A);
    assertThatThrownBy(() -> image("x.tar").writeOnto(image("missing.tar"), cache, Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no file '" + temp.resolve("missing.tar") + "'");
    Files.writeString(temp.resolve("text.tar"), "no tar");
    assertThatThrownBy(() -> image("x.tar").writeOnto(image("text.tar"), cache, Set.of()))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("text.tar' is cut, or no image as 'docker save' writes it");
    assertThat(names(temp)).containsExactly("cache", "text.tar");
  }
}
