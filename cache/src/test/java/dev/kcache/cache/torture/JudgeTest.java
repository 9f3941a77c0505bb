// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.torture.KnownCompiler.Kernel;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The judge of the torture finds what is wrong; else it would prove nothing. */
@Tag(Torture.TAG)
class JudgeTest {
  private static final TargetId TARGET = KnownCompiler.TARGETS.get(0);

  @TempDir Path place;
  private Path root;
  private Judge judge;
  private final List<Path> codeObjects = new ArrayList<>();
  private final List<Path> records = new ArrayList<>();

  @BeforeEach
  void fill() throws IOException {
    root = place.resolve("cache");
    judge = new Judge(root, place);
    KnownCompiler.describe(place.resolve("known"));
    Files.createDirectory(place.resolve("served"));
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of("KCACHE_DIR", root.toString()))
            .toolchain(new KnownCompiler())
            .build()) {
      for (int i = 0; i < 2; i++) {
        Kernel kernel = new Kernel(i, 0);
        CodeObject code = cache.getOrCompile(kernel.source(), TARGET);
        Files.writeString(place.resolve("served").resolve("" + i), kernel.served(code));
      }
    }
    try (Stream<Path> files = Files.walk(root)) {
      files
          .sorted()
          .forEach(
              file -> {
                if (file.toString().endsWith(".co")) {
                  codeObjects.add(file);
                } else if (file.toString().endsWith(".json")) {
                  records.add(file);
                }
              });
    }
  }

  private void assertFault(String words) throws Exception {
    assertThat(judge.faults()).anyMatch(line -> line.contains(words));
  }

  @Test
  void soundDirectory_hasNoFault() throws Exception {
    assertThat(judge.faults()).isEmpty();
    Files.delete(codeObjects.get(0));
    assertThat(judge.faults()).as("a record without its code object is a miss").isEmpty();
  }

  @Test
  void codeObjectWithAFlippedBit_isAFault() throws Exception {
    byte[] content = Files.readAllBytes(codeObjects.get(1));
    content[content.length - 1] ^= 1;
    Files.write(codeObjects.get(1), content);
    assertFault("its SHA-256 is");
  }

  @Test
  void fileThatIsNoCodeObject_isAFault() throws Exception {
    byte[] text = "text\n".getBytes(US_ASCII);
    Path directory = codeObjects.get(0).getParent();
    Files.write(directory.resolve(Digest.of(text) + ".co"), text);
    assertFault("no ELF file");
  }

  @Test
  void recordThatIsTorn_isAFault() throws Exception {
    String record = Files.readString(records.get(0));
    Files.writeString(records.get(0), record.substring(0, record.length() / 2));
    assertFault("no record");
  }

  @Test
  void recordInThePlaceOfAnother_isAFault() throws Exception {
    Files.copy(records.get(0), records.get(1), StandardCopyOption.REPLACE_EXISTING);
    assertFault("says (");
  }

  @Test
  void recordOfAnotherKernelsCodeObject_isAFault() throws Exception {
    String wrong = Files.readString(records.get(0)).replaceFirst("\"k\\d.hip\"", "\"k2.hip\"");
    Files.writeString(records.get(0), wrong);
    assertFault("which no compile of k2.hip gave");
  }

  @Test
  void wrongCodeObjectServed_isAFault() throws Exception {
    String first = Files.readString(place.resolve("served/0"));
    String second = Files.readString(place.resolve("served/1"));
    Files.writeString(place.resolve("served/0"), first.substring(0, 64) + second.substring(64));
    assertFault("wrong code object");
  }

  @Test
  void leftoversOlderThanTheSweep_areFaults() throws Exception {
    List<Path> left = new ArrayList<>();
    for (Path parent :
        List.of(
            root,
            codeObjects.get(0).getParent(),
            records.get(0).getParent(),
            root.resolve("beats"))) {
      left.add(Files.createFile(parent.resolve(".tmp-left")));
    }
    assertThat(judge.faults()).as("young").isEmpty();

    Instant old = Instant.now().minus(Judge.LEFTOVER_AGE).minus(Duration.ofMinutes(1));
    for (Path file : left) {
      Files.setLastModifiedTime(file, FileTime.from(old));
    }
    List<String> faults = judge.faults();
    assertThat(left)
        .allSatisfy(
            file -> assertThat(faults).anyMatch(line -> line.startsWith(file + ": left over")));
  }

  @Test
  void nameThatMeansNothing_isAFault() throws Exception {
    Files.createFile(root.resolve("notes"));
    assertFault("a name that means nothing");
  }
}
