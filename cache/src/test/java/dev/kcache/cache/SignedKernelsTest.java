// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.cache.signing.KeyFileException;
import dev.kcache.cache.signing.PlaceRule;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.cache.signing.SigningKey;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.cache.store.FileOperations;
import dev.kcache.toolchain.Notices;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Managers that sign, and managers that ask for signatures. */
class SignedKernelsTest extends CacheTestBase {
  private final MemoryRemotes.Store remote = MemoryRemotes.create("signed");

  @BeforeEach
  void forgetWarnings() {
    Notices.clear();
  }

  private Path key(String name) {
    Path file = temp.resolve(name);
    if (!Files.exists(file)) {
      try {
        SigningKey.create(file);
      } catch (KeyFileException e) {
        throw new AssertionError(e);
      }
    }
    return file;
  }

  private Path trusted(String name) {
    return Path.of(key(name) + ".pub");
  }

  /** Returns a manager with an own directory, which reads the remote. */
  private CacheManagerBuilder node(String name, String... variables) {
    return builder(variables).directory(temp.resolve(name)).remote(remote.address());
  }

  private CacheManagerBuilder builderOf(String name) {
    return node(name).remoteMode(RemoteMode.READ_WRITE);
  }

  /** Compiles into the directory and the remote, and signs if a key is named. */
  private Path build(String name, String... keys) {
    CacheManagerBuilder builder = builderOf(name);
    for (String each : keys) {
      builder.signKey(key(each));
    }
    assertThat(origin(builder, SOURCE)).isEqualTo(Origin.COMPILED);
    return temp.resolve(name);
  }

  private Path only(Path directory, String suffix) throws IOException {
    List<Path> files = files(directory, suffix);
    assertThat(files).hasSize(1);
    return files.get(0);
  }

  @Test
  void remote_servesWhatATrustedKeySigned() throws IOException {
    Path built = build("builder", "a");
    assertThat(origin(node("node").trustedKeys(trusted("a")), SOURCE)).isEqualTo(Origin.REMOTE);
    assertThat(origin(node("node").trustedKeys(trusted("a")), SOURCE)).isEqualTo(Origin.DISK);
    Path copy = temp.resolve("node");
    for (String suffix : List.of(".json", ".sig")) {
      assertThat(only(copy, suffix)).hasSameBinaryContentAs(only(built, suffix));
    }
    assertThat(origin(node("node").trustedKeys(trusted("b")), SOURCE)).isEqualTo(Origin.COMPILED);
    assertThat(origin(node("other").trustedKeys(trusted("b")), SOURCE)).isEqualTo(Origin.COMPILED);
  }

  @Test
  void remote_withoutASignatureIsAMissThatIsToldOnce() {
    build("builder");
    assertThat(origin(node("trusting"), SOURCE)).isEqualTo(Origin.REMOTE);
    try (Warnings warnings = Warnings.of(PlaceRule.class)) {
      assertThat(origin(node("node").trustedKeys(trusted("a")), SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(origin(node("third").trustedKeys(trusted("a")), SOURCE))
          .isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines()).hasSize(1);
      assertThat(warnings.lines().get(0))
          .startsWith("not using kernels of remote memory://signed that no trusted key has signed")
          .contains("KCACHE_SIGN_KEY");
    }
  }

  @Test
  void copyWithoutASignature_servesOnlyWhileNoKeysAreSet() throws IOException {
    build("builder");
    assertThat(origin(node("node"), SOURCE)).isEqualTo(Origin.REMOTE);
    assertThat(origin(node("node"), SOURCE)).isEqualTo(Origin.DISK);
    assertThat(only(temp.resolve("node"), ".sig")).isEmptyFile();
    remote.values.clear();
    assertThat(origin(node("node").trustedKeys(trusted("a")), SOURCE)).isEqualTo(Origin.COMPILED);
    assertThat(files(temp.resolve("node"), ".sig")).isEmpty();
    assertThat(origin(node("node").trustedKeys(trusted("a")), SOURCE)).isEqualTo(Origin.DISK);
  }

  @Test
  void ownCompile_needsNoSignature() throws IOException {
    assertThat(origin(node("node").trustedKeys(trusted("a")), SOURCE)).isEqualTo(Origin.COMPILED);
    assertThat(files(temp.resolve("node"), ".sig")).isEmpty();
    try (CacheManager cache = node("node").trustedKeys(trusted("a")).build()) {
      assertThat(origin(cache, SOURCE)).isEqualTo(Origin.DISK);
      assertThat(cache.explain(SOURCE, GFX90A).isHit()).isTrue();
    }
  }

  @Test
  void layer_servesWhatATrustedKeySigned() {
    Path layer = build("layer", "a");
    CacheManagerBuilder node = builder().directory(temp.resolve("node"));
    assertThat(origin(node.layers(List.of(layer)).trustedKeys(trusted("a")), SOURCE))
        .isEqualTo(Origin.LAYER);
    assertThat(origin(node.trustedKeys(trusted("b")), SOURCE)).isEqualTo(Origin.COMPILED);
  }

  @Test
  void layer_withoutASignatureIsAHitUntilKeysAreSet() {
    Path layer = build("layer");
    CacheManagerBuilder node = builder().directory(temp.resolve("node"));
    assertThat(origin(node.layers(List.of(layer)), SOURCE)).isEqualTo(Origin.LAYER);
    try (Warnings warnings = Warnings.of(PlaceRule.class)) {
      assertThat(origin(node.trustedKeys(trusted("a")), SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines()).hasSize(1);
      assertThat(warnings.lines().get(0)).contains("layer " + layer);
    }
  }

  @Test
  void rotation_takesSeveralKeysFromOneFileOrTwo() throws IOException {
    Path layer = build("layer", "a");
    Path both = temp.resolve("both.pem");
    Files.writeString(
        both, Files.readString(trusted("b")) + "a note\n" + Files.readString(trusted("a")));
    String two = trusted("b") + File.pathSeparator + trusted("a");
    for (String keys : List.of(both.toString(), two)) {
      assertThat(
              origin(
                  builder("KCACHE_TRUSTED_KEYS", keys, "KCACHE_PATH", layer.toString())
                      .toolchain(toolchain),
                  SOURCE))
          .isEqualTo(Origin.LAYER);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cut", "swapped", "empty", "removed", "altered record"})
  void signatureThatDoesNotFit_isAMiss(String damage) throws IOException {
    Path layer = build("layer", "a");
    Path signature = only(layer, ".sig");
    switch (damage) {
      case "cut" -> {
        byte[] text = Files.readAllBytes(signature);
        Files.write(signature, Arrays.copyOf(text, text.length - 3));
      }
      case "swapped" -> {
        toolchain.content = "another compiler";
        Files.copy(
            only(build("other layer", "a"), ".sig"),
            signature,
            StandardCopyOption.REPLACE_EXISTING);
        toolchain.content = new FakeToolchain().content;
      }
      case "empty" -> Files.write(signature, new byte[0]);
      case "removed" -> Files.delete(signature);
      default -> {
        Path record = only(layer, ".json");
        Files.writeString(record, Files.readString(record).replaceFirst("\n", " \n"));
      }
    }
    CacheManagerBuilder node = builder().directory(temp.resolve("node")).layers(List.of(layer));
    assertThat(origin(node.trustedKeys(trusted("a")), SOURCE)).isEqualTo(Origin.COMPILED);
    if (!damage.equals("swapped")) {
      assertThat(origin(builder().directory(temp.resolve("blind")).layers(List.of(layer)), SOURCE))
          .isEqualTo(Origin.LAYER);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"missing", "garbage", "private", "empty"})
  void trustedKeysThatCannotBeRead_letNothingFromElsewhereServe(String kind) throws IOException {
    Path layer = build("layer", "a");
    Path keys = temp.resolve("keys");
    switch (kind) {
      case "garbage" ->
          Files.writeString(keys, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n");
      case "private" -> Files.copy(key("a"), keys);
      case "empty" -> Files.writeString(keys, "no key\n");
      default -> assertThat(keys).doesNotExist();
    }
    CacheManagerBuilder node = builder().directory(temp.resolve("node")).layers(List.of(layer));
    try (Warnings warnings = Warnings.of(SignaturePolicy.class)) {
      assertThat(origin(node.trustedKeys(trusted("a"), keys), SOURCE)).isEqualTo(Origin.COMPILED);
      assertThat(origin(node, SOURCE)).isEqualTo(Origin.DISK);
      assertThat(warnings.lines()).hasSize(1);
      assertThat(warnings.lines().get(0))
          .contains("nothing from elsewhere serves")
          .contains("keys");
    }
  }

  @Test
  void signKeyThatOthersCanRead_isNotUsed() throws IOException {
    Files.setPosixFilePermissions(key("a"), PosixFilePermissions.fromString("rw-r-----"));
    try (Warnings warnings = Warnings.of(SignaturePolicy.class)) {
      Path built = build("builder", "a");
      assertThat(warnings.lines()).hasSize(1);
      assertThat(warnings.lines().get(0)).contains("not signed").contains("chmod 600");
      assertThat(files(built, ".sig")).isEmpty();
    }
    assertThat(origin(node("builder").signKey(key("a")), SOURCE)).isEqualTo(Origin.DISK);
  }

  @Test
  void classPath_servesWhatATrustedKeySigned() throws IOException {
    for (boolean signed : new boolean[] {true, false}) {
      Path classes = temp.resolve("classes" + signed);
      CacheManagerBuilder builder = node("builder" + signed).withoutClassPath();
      try (CacheManager cache = (signed ? builder.signKey(key("a")) : builder).build()) {
        ResourceWriter writer = ResourceWriter.into(cache, classes);
        writer.write(SOURCE, GFX90A).join();
        writer.removeOthers();
        assertThat(writer.files()).isEqualTo(signed ? 3 : 2);
      }
      assertThat(files(classes, ".sig")).hasSize(signed ? 1 : 0);
      try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, null)) {
        CacheManagerBuilder node =
            builder().directory(temp.resolve("node" + signed)).classLoader(loader);
        assertThat(origin(node, SOURCE)).isEqualTo(Origin.CLASS_PATH);
        assertThat(origin(node.trustedKeys(trusted("a")), SOURCE))
            .isEqualTo(signed ? Origin.CLASS_PATH : Origin.COMPILED);
      }
    }
  }

  @Test
  void hitWithoutKeys_opensNoSignature() {
    Path layer = build("layer", "a");
    List<Path> read = new CopyOnWriteArrayList<>();
    CacheManagerBuilder node = builder("KCACHE_DIR", layer.toString());
    node.files =
        root ->
            new FileOperations() {
              @Override
              public byte[] read(Path file, int limit) throws IOException {
                read.add(file);
                return super.read(file, limit);
              }
            };
    assertThat(origin(node, SOURCE)).isEqualTo(Origin.DISK);
    assertThat(read).isNotEmpty().noneMatch(file -> file.toString().endsWith(".sig"));
    read.clear();
    assertThat(origin(node.trustedKeys(trusted("a")), SOURCE)).isEqualTo(Origin.DISK);
    assertThat(read).anyMatch(file -> file.toString().endsWith(".sig"));
  }
}
