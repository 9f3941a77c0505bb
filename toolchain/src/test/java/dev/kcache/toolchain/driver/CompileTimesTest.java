// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompileTimesTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");

  @TempDir Path memo;

  @Test
  void expected_afterAnotherProcessLearnt_isTheLatest() {
    learn("a b\tc.hip", Duration.ofMillis(700));
    learn("a b\tc.hip", Duration.ofMillis(90));

    CompileTimes times = times();

    assertThat(times.expected("a b\tc.hip", GFX90A)).contains(Duration.ofMillis(90));
    assertThat(times.expected("a b\tc.hip", TargetId.parse("gfx1030"))).isEmpty();
    assertThat(times.expected("other.hip", GFX90A)).isEmpty();
  }

  @Test
  void save_twoManagers_keepsWhatBothLearnt() {
    CompileTimes first = times();
    CompileTimes second = times();
    first.learn("a.hip", GFX90A, Duration.ofSeconds(1));
    second.learn("b.hip", GFX90A, Duration.ofSeconds(2));
    first.save();
    second.save();

    assertThat(times().expected("a.hip", GFX90A)).contains(Duration.ofSeconds(1));
    assertThat(times().expected("b.hip", GFX90A)).contains(Duration.ofSeconds(2));
  }

  @Test
  void save_tooMany_forgetsTheOldest() {
    CompileTimes times = times();
    for (int i = 0; i < 10_002; i++) {
      times.learn(i + ".hip", GFX90A, Duration.ofMillis(i));
    }
    times.save();

    assertThat(times().expected("1.hip", GFX90A)).isEmpty();
    assertThat(times().expected("2.hip", GFX90A)).contains(Duration.ofMillis(2));
    assertThat(times().expected("10001.hip", GFX90A)).contains(Duration.ofMillis(10_001));
  }

  @Test
  void expected_damagedFile_isUnknownAndReplaced() throws IOException {
    learn("a.hip", Duration.ofSeconds(1));
    try (Stream<Path> files = Files.walk(memo)) {
      Files.writeString(files.filter(Files::isRegularFile).findFirst().orElseThrow(), "junk");
    }

    assertThat(times().expected("a.hip", GFX90A)).isEmpty();
    learn("a.hip", Duration.ofSeconds(2));
    assertThat(times().expected("a.hip", GFX90A)).contains(Duration.ofSeconds(2));
  }

  @Test
  void save_nowhere_isForgotten() {
    CompileTimes times = CompileTimes.in(Optional.empty());
    times.learn("a.hip", GFX90A, Duration.ofSeconds(1));
    times.save();

    assertThat(times.expected("a.hip", GFX90A)).isEmpty();
  }

  private void learn(String source, Duration elapsed) {
    CompileTimes times = times();
    times.learn(source, GFX90A, elapsed);
    times.save();
  }

  private CompileTimes times() {
    return CompileTimes.in(Optional.of(memo));
  }
}
