// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import static dev.kcache.oci.Kernels.GFX1030;
import static dev.kcache.oci.Kernels.GFX90A;
import static dev.kcache.oci.Kernels.GFX942;
import static dev.kcache.oci.RegistryServer.oras;
import static dev.kcache.oci.RegistryServer.skopeo;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images in a real registry, which skopeo and oras read, too. */
@Tag("fleet")
class RegistryTest {
  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");

  @TempDir Path temp;
  private RegistryServer server;
  private Path cache;

  @BeforeEach
  void start() throws IOException {
    server = RegistryServer.start(temp);
    cache = temp.resolve("cache");
    Kernels.fill(cache, Map.of(), GFX90A, GFX1030);
  }

  @AfterEach
  void end() {
    server.close();
  }

  private KernelImage image(String name) {
    return KernelImage.named(server.image(name), Map.of());
  }

  private String inspect(String... more) throws Exception {
    String[] command = new String[more.length + 2];
    command[0] = "inspect";
    command[1] = "--tls-verify=false";
    System.arraycopy(more, 0, command, 2, more.length);
    return skopeo(command);
  }

  private List<String> layers(String name) throws Exception {
    String manifest = inspect("--raw", "docker://" + server.image(name));
    return DIGEST
        .matcher(manifest.substring(manifest.indexOf("layers")))
        .results()
        .map(found -> found.group())
        .toList();
  }

  @Test
  void image_isReadBySkopeoAndPulledBack() throws Exception {
    ImageContents contents = image("team/kernels:1").write(cache, Set.of());
    String manifest = inspect("--raw", "docker://" + server.image("team/kernels:1"));
    assertThat(manifest)
        .contains("\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\"")
        .contains("\"mediaType\":\"application/vnd.oci.image.config.v1+json\"")
        .contains("\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+gzip\"");
    assertThat(inspect("docker://" + server.image("team/kernels:1")))
        .contains("\"Digest\": \"" + contents.digest() + "\"")
        .contains("\"dev.kcache.image/targets\": \"gfx1030,gfx90a\"")
        .contains("\"dev.kcache.image/count\": \"4\"");

    Path layout = temp.resolve("layout");
    skopeo(
        "copy",
        "--src-tls-verify=false",
        "docker://" + server.image("team/kernels:1"),
        "oci:" + layout + ":1");
    skopeo("copy", "oci:" + layout + ":1", "oci-archive:" + temp.resolve("a.tar"));
    assertThat(
            KernelImage.named(temp.resolve("a.tar").toString(), Map.of())
                .pull(temp.resolve("one"), Set.of())
                .copied())
        .isEqualTo(4);
    assertThat(image("team/kernels:1").pull(temp.resolve("two"), Set.of()).copied()).isEqualTo(4);
    assertThat(
            KernelImage.named(server.image("team/kernels@" + contents.digest()), Map.of())
                .pull(temp.resolve("two"), Set.of())
                .present())
        .isEqualTo(4);
  }

  @Test
  void image_isReadByOras() throws Exception {
    ImageContents contents = image("kernels:1").write(cache, Set.of());
    String name = server.image("kernels:1");
    String manifest = oras("manifest", "fetch", "--plain-http", name);
    assertThat("sha256:" + Digest.of(manifest.getBytes(UTF_8))).isEqualTo(contents.digest());
    assertThat(oras("manifest", "fetch-config", "--plain-http", name))
        .contains("\"dev.kcache.image/count\":\"4\"", "\"io.kserve.km/cache-type\":\"kcache\"");

    Path layout = temp.resolve("layout");
    oras("copy", "--from-plain-http", "--to-oci-layout", name, layout + ":1");
    for (String layer : layers("kernels:1")) {
      byte[] blob = Files.readAllBytes(layout.resolve("blobs/sha256").resolve(layer.substring(7)));
      assertThat("sha256:" + Digest.of(blob)).isEqualTo(layer);
    }
  }

  @Test
  void oneMoreTarget_reusesAllOtherLayers() throws Exception {
    image("kernels:1").write(cache, Set.of());
    Kernels.fill(cache, Map.of(), GFX942);
    String before = server.log();
    image("kernels:2").write(cache, Set.of());

    assertThat(layers("kernels:1")).hasSize(2);
    assertThat(layers("kernels:2")).hasSize(3).containsAll(layers("kernels:1"));
    // The new layer and the configuration.
    assertThat(server.log().substring(before.length()).lines())
        .filteredOn(line -> line.contains("\"PUT /v2/kernels/blobs/uploads/"))
        .hasSize(2);
  }

  @Test
  void unknownImage_isAWrongRequest() {
    assertThatThrownBy(() -> image("kernels:none").pull(temp.resolve("copy"), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no image '" + server.image("kernels:none") + "'");
    assertThat(temp.resolve("copy")).doesNotExist();
  }

  @Test
  void base_keepsItsLayers() throws Exception {
    image("base:1").write(cache, Set.of(GFX90A));
    KernelImage base = image("base:1");
    image("app:1").writeOnto(base, cache, Set.of(GFX1030));
    assertThat(layers("app:1")).hasSize(2).containsAll(layers("base:1"));
    assertThat(inspect("--config", "docker://" + server.image("app:1")))
        .contains("KCACHE_PATH=/io.kcache.cache");

    Path docker = temp.resolve("docker.tar");
    skopeo(
        "copy",
        "--src-tls-verify=false",
        "docker://" + server.image("base:1"),
        "docker-archive:" + docker);
    Path app = temp.resolve("app.tar");
    KernelImage.named(app.toString(), Map.of())
        .writeOnto(KernelImage.named(docker.toString(), Map.of()), cache, Set.of(GFX1030));
    assertThat(KernelImage.named(app.toString(), Map.of()).pull(temp.resolve("copy"), Set.of()))
        .extracting(PulledEntries::copied)
        .isEqualTo(4L);
    assertThat(KernelImage.named(docker.toString(), Map.of()).pull(temp.resolve("d"), Set.of()))
        .extracting(PulledEntries::copied)
        .isEqualTo(2L);
    assertThat(Files.exists(app)).isTrue();
  }
}
