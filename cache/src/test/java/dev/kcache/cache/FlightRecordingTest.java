// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.kcache.toolchain.CompilationException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;

class FlightRecordingTest extends CacheTestBase {
  @Test
  void lookupsAndCompiles_areEventsWhileItRecords() throws IOException {
    Path file = temp.resolve("events.jfr");
    try (Recording recording = new Recording();
        CacheManager cache = manager()) {
      recording.start();
      cache.getOrCompile(SOURCE, GFX90A);
      cache.getOrCompile(SOURCE, GFX90A);
      cache.getOrCompileAsync(SOURCE, GFX90A).join();
      try (CacheManager other = manager()) {
        other.getOrCompile(SOURCE, GFX90A);
      }
      toolchain.broken = true;
      assertThatThrownBy(() -> cache.getOrCompile(OTHER, GFX90A))
          .isInstanceOf(CompilationException.class);
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = new ArrayList<>(RecordingFile.readAllEvents(file));
    events.sort(Comparator.comparing(RecordedEvent::getStartTime));

    assertThat(events.stream().filter(each -> isNamed(each, "kcache.Lookup")))
        .extracting(
            each ->
                String.join(
                    " ",
                    each.getString("source"),
                    each.getString("result"),
                    each.getString("reason")))
        .containsExactly(
            "k.hip miss absent",
            "k.hip memory ",
            "k.hip memory ",
            "k.hip disk ",
            "other.hip miss absent");
    assertThat(events.stream().filter(each -> isNamed(each, "kcache.Compile")))
        .extracting(
            each -> each.getString("source"),
            each -> each.getString("target"),
            each -> each.getString("compiler"),
            each -> each.getBoolean("succeeded"))
        .containsExactly(
            tuple("k.hip", "gfx90a", "5.2", true), tuple("other.hip", "gfx90a", "5.2", false));
  }

  private static boolean isNamed(RecordedEvent event, String name) {
    return event.getEventType().getName().equals(name);
  }
}
