// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import static dev.kcache.oci.Kernels.GFX90A;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.codeobject.Digest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are cut, altered or meant to do harm. */
class ImageFileTest {
  private static final String DIGITS = "0".repeat(64);
  private static final String KERNELS = "io.kcache.cache/gfx90a-5.2/";

  @TempDir Path temp;

  /** Adds an entry to a tar. */
  private interface Entry {
    void addTo(TarArchiveOutputStream tar) throws IOException;
  }

  private static byte[] tar(Entry... entries) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
      for (Entry entry : entries) {
        entry.addTo(tar);
      }
    }
    return bytes.toByteArray();
  }

  private static Entry file(String name, byte[] content) {
    return tar -> {
      TarArchiveEntry entry = new TarArchiveEntry(name, true);
      entry.setSize(content.length);
      tar.putArchiveEntry(entry);
      tar.write(content);
      tar.closeArchiveEntry();
    };
  }

  private static Entry special(String name, byte type) {
    return tar -> {
      TarArchiveEntry entry = new TarArchiveEntry(name, type, true);
      entry.setLinkName("/etc/passwd");
      tar.putArchiveEntry(entry);
      tar.closeArchiveEntry();
    };
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  /** Writes an image in OCI's layout with one layer. */
  private Path image(byte[] layer) throws IOException {
    String manifest =
        "{\"layers\":[{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+gzip\","
            + "\"digest\":\"sha256:%s\"}]}".formatted(Digest.of(layer));
    return image(manifest, Map.of("blobs/sha256/" + Digest.of(layer), layer));
  }

  private Path image(String manifest, Map<String, byte[]> blobs) throws IOException {
    Digest digest = Digest.of(manifest.getBytes(US_ASCII));
    Map<String, byte[]> files = new LinkedHashMap<>(blobs);
    files.put("blobs/sha256/" + digest, manifest.getBytes(US_ASCII));
    files.put(
        "index.json",
        ("{\"manifests\":[{\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\","
                + "\"digest\":\"sha256:%s\"}]}")
            .formatted(digest)
            .getBytes(US_ASCII));
    Entry[] entries =
        files.entrySet().stream()
            .map(each -> file(each.getKey(), each.getValue()))
            .toArray(Entry[]::new);
    return Files.write(temp.resolve("image.tar"), tar(entries));
  }

  private String damage(Path file) {
    Path copy = temp.resolve("copy");
    ImageException failure =
        catchThrowableOfType(
            ImageException.class,
            () -> KernelImage.named(file.toString(), Map.of()).pull(copy, Set.of()));
    assertThat(failure).as("nothing was refused").isNotNull();
    assertThat(failure.isDamaged()).as(failure.getMessage()).isTrue();
    assertThat(failure).hasMessageNotContaining("\n").hasMessageStartingWith("'" + file + "'");
    assertThat(copy).doesNotExist();
    return failure.getMessage();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100, 511, 512, 1500, 4000, -3000, -1025})
  void cutFile_isDamaged(int end) throws IOException {
    Path cache = temp.resolve("cache");
    Kernels.fill(cache, Map.of(), GFX90A);
    Path file = temp.resolve("whole.tar");
    KernelImage.named(file.toString(), Map.of()).write(cache, Set.of());
    byte[] whole = Files.readAllBytes(file);
    int length = end < 0 ? whole.length + end : end;
    Path cut = Files.write(temp.resolve("cut.tar"), Arrays.copyOf(whole, length));
    assertThat(damage(cut)).contains("is cut or damaged, or no image");
  }

  @Test
  void alteredLayer_isDamaged() throws IOException {
    byte[] layer = gzip(tar(file(KERNELS + DIGITS + ".co", new byte[100])));
    byte[] other = gzip(tar(file(KERNELS + DIGITS + ".co", new byte[101])));
    String manifest =
        "{\"layers\":[{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+gzip\","
            + "\"digest\":\"sha256:%s\"}]}".formatted(Digest.of(layer));
    assertThat(damage(image(manifest, Map.of("blobs/sha256/" + Digest.of(layer), other))))
        .contains("has other bytes than its name says");
    assertThat(damage(image(manifest, Map.of()))).contains("there is no blobs/sha256/");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../x",
        "io.kcache.cache/../../x",
        "/io.kcache.cache/gfx90a-5.2/x",
        "io.kcache.cache/gfx90a-5.2/../x",
        "a/.."
      })
  void nameThatLeadsOut_isRefused(String name) throws IOException {
    assertThat(damage(image(gzip(tar(file(name, new byte[1]))))))
        .contains("a name that leads out of the layer");
  }

  @ParameterizedTest
  @ValueSource(
      bytes = {
        TarConstants.LF_SYMLINK,
        TarConstants.LF_LINK,
        TarConstants.LF_CHR,
        TarConstants.LF_BLK,
        TarConstants.LF_FIFO
      })
  void linkOrDeviceAmongKernels_isRefused(byte type) throws IOException {
    assertThat(damage(image(gzip(tar(special(KERNELS + DIGITS + ".co", type))))))
        .contains("a link or a device among the kernels");
    // As each image of a system has elsewhere.
    Path system = image(gzip(tar(special("bin/sh", type))));
    assertThatThrownBy(() -> KernelImage.named(system.toString(), Map.of()).pull(temp, Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("'" + system + "' has no kernels of kcache");
  }

  @Test
  void otherNames_arePassedOver() throws IOException {
    Path root = Files.createDirectory(temp.resolve("root"));
    LayerReader reader = new LayerReader(root);
    reader.read(
        new ByteArrayInputStream(
            tar(
                file("etc/passwd", new byte[3]),
                file(KERNELS + ".tmp-x", new byte[3]),
                file(KERNELS + DIGITS, new byte[3]),
                file("io.kcache.cache/lock", new byte[3]),
                file("io.kcache.cache/no-target/" + DIGITS + ".co", new byte[3]),
                file("./" + KERNELS + DIGITS + ".co", new byte[3]),
                file("io.kcache.cache/revocations", new byte[3]))));
    assertThat(reader.files()).isEqualTo(2);
    assertThat(root.resolve("gfx90a-5.2/" + DIGITS + ".co")).hasSize(3);
    assertThat(root.resolve("revocations")).hasSize(3);
    assertThat(root.resolve("lock")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({"2,1000,'more than 2 names'", "10,250,'more than 250 bytes'"})
  void moreThanIsBearable_isRefused(long names, long bytes, String problem) throws IOException {
    Path root = Files.createDirectory(temp.resolve("root"));
    LayerReader reader = new LayerReader(root, new LayerReader.Limits(names, bytes));
    byte[] layer =
        gzip(
            tar(
                file(KERNELS + DIGITS + ".co", new byte[100]),
                file(KERNELS + "1" + DIGITS.substring(1) + ".co", new byte[100]),
                file(KERNELS + "2" + DIGITS.substring(1) + ".co", new byte[100])));
    assertThatThrownBy(() -> reader.read(new ByteArrayInputStream(layer))).hasMessage(problem);
  }

  /** It takes a few kilobytes in the file, and gigabytes where it is kept in memory. */
  @Test
  void endlessName_isRefused() throws IOException {
    byte[] name = new byte[8 << 20];
    byte[] layer =
        gzip(
            tar(
                tar -> {
                  TarArchiveEntry entry =
                      new TarArchiveEntry("././@LongLink", TarConstants.LF_GNUTYPE_LONGNAME, true);
                  entry.setSize(name.length);
                  tar.putArchiveEntry(entry);
                  tar.write(name);
                  tar.closeArchiveEntry();
                },
                file("a", new byte[1])));
    assertThat(layer).hasSizeLessThan(50_000);
    assertThat(damage(image(layer))).contains("a header that is too long");
  }

  @Test
  void whatIsNoImage_isDamaged() throws IOException {
    assertThat(damage(Files.writeString(temp.resolve("text.tar"), "hello\n".repeat(1000))))
        .contains("is cut or damaged, or no image");
    assertThat(damage(Files.write(temp.resolve("other.tar"), tar(file("a", new byte[1])))))
        .contains("there is no manifest.json");
    assertThat(damage(image("{\"layers\":5}", Map.of()))).contains("no list of layers");
    assertThat(damage(image("[".repeat(1000), Map.of()))).contains("no list of layers");
    Path missing = temp.resolve("missing.tar");
    assertThatThrownBy(() -> KernelImage.named(missing.toString(), Map.of()).pull(temp, Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no file '" + missing + "'");
  }
}
