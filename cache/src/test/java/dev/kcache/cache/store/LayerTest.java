// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.codeObject;
import static dev.kcache.cache.store.Fixtures.entry;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reader of somebody else's directory gets, and that it leaves no trace there. */
class LayerTest extends StoreTestBase {
  private Path image;
  private Path record;

  @BeforeEach
  void fillALayer() throws IOException {
    image = image(entry);
    record = record(entry);
    DiskStore.open(root, Access.LAYER).put(entry, code, Fixtures.DEPENDENCIES);
  }

  @Test
  void find_entry_isServedAndTheLayerLeftAsItIs() throws IOException {
    Map<String, String> before = snapshot();
    Layer layer = Layer.in(root);

    assertThat(found(layer)).contains(stored);
    assertThat(Fixtures.findNewest(layer, Request.of(entry))).contains(stored);
    assertThat(layer.entries()).containsExactly(entry);
    assertThat(layer.fault()).isEmpty();
    assertThat(snapshot()).isEqualTo(before);
  }

  @Test
  void find_codeObjectAltered_isAMissAndStays() throws IOException {
    byte[] sound = Files.readAllBytes(image);
    for (int offset = 0; offset < sound.length; offset += 501) {
      byte[] altered = sound.clone();
      altered[offset] ^= 1;
      assertPassedOver(image, altered);
    }
    Files.write(image, sound);
    assertThat(found(Layer.in(root))).contains(stored);
  }

  @Test
  void find_recordAltered_isAMissAndStays() throws IOException {
    CodeObject other = codeObject("gfx1030");
    String text = Files.readString(record);
    assertPassedOver(record, new byte[0]);
    assertPassedOver(record, text.substring(0, text.length() / 2).getBytes(UTF_8));
    assertPassedOver(
        record, text.replace(code.digest().toString(), "0".repeat(64)).getBytes(UTF_8));
    Files.write(image.resolveSibling(other.digest() + ".co"), Fixtures.image("gfx1030"));
    assertPassedOver(
        record, text.replace(code.digest().toString(), other.digest().toString()).getBytes(UTF_8));
  }

  @Test
  void dependencies_soundOrDamaged_areServedOrPassedOverAndStay() throws IOException {
    Path list = list(entry);
    Map<String, String> before = snapshot();
    Layer layer = Layer.in(root);

    assertThat(layer.dependencies(entry).orElseThrow().files())
        .isEqualTo(Fixtures.DEPENDENCIES.files());
    assertThat(snapshot()).isEqualTo(before);
    Files.writeString(list, "damaged");
    assertThat(layer.dependencies(entry)).isEmpty();
    assertThat(list).hasContent("damaged");
    Files.delete(list);
    assertThat(layer.dependencies(entry)).isEmpty();
    assertThat(found(layer)).contains(stored);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Stale file handle", "Input/output error", "Device or resource busy"})
  void find_readsThatFail_areAMiss(String error) throws IOException {
    for (String suffix : List.of(".json", ".co")) {
      Layer layer = Layer.in(root, failing(suffix, error));

      assertMissed(layer);
    }
    assertThat(Layer.in(root, failing(".json", error)).entries()).isEmpty();
  }

  @Test
  void root_missing_isNotMadeAndUsedWhenItIsThere() throws IOException {
    Path later = temp.resolve("later");
    Layer layer = Layer.in(later);
    assertThat(layer.fault()).contains("not using layer " + later + ": it does not exist");
    assertServesNothing(layer);
    assertThat(later).doesNotExist();

    Files.move(root, later);
    assertThat(found(layer)).contains(stored);
    assertThat(layer.fault()).isEmpty();
  }

  private void assertPassedOver(Path file, byte[] content) throws IOException {
    Files.write(file, content);
    Map<String, String> before = snapshot();

    assertMissed(Layer.in(root));
    assertThat(snapshot()).isEqualTo(before);
  }

  /** Returns operations of which the reads of such files fail, and no other one may run. */
  private static FileOperations failing(String suffix, String error) {
    return new StepHookFileOperations(
        (step, operation, file) -> {
          assertThat(operation).isEqualTo("read");
          if (file.toString().endsWith(suffix)) {
            throw new IOException(error);
          }
        });
  }

  /** Returns what tells whether anything has changed: names, modes, times and content. */
  private Map<String, String> snapshot() throws IOException {
    Map<String, String> snapshot = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        String content =
            Files.isRegularFile(file) ? Digest.of(Files.readAllBytes(file)).toString() : "";
        snapshot.put(file.toString(), content + " " + FileStatus.at(file).attributes());
      }
    }
    return snapshot;
  }
}
