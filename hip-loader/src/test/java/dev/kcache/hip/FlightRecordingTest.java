// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightRecordingTest extends LaunchTestBase {
  @TempDir Path directory;

  FlightRecordingTest() {
    super(Version.HIP_5_2);
  }

  @Test
  void loadsAndLaunches_areEventsWhileItRecords() throws IOException {
    Path file = directory.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (HipModule loaded = device.load(module.codeObject())) {
        loaded.function("empty").launch(LaunchConfig.of(3, 32), stream, KernelArguments.of());
      }
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);

    RecordedEvent load = only(events, "kcache.Load");
    assertThat(load.getString("codeObject")).isEqualTo(module.codeObject().digest().toString());
    assertThat(load.getString("target")).isEqualTo(module.codeObject().target().toString());
    RecordedEvent launch = only(events, "kcache.Launch");
    assertThat(launch.getString("kernel")).isEqualTo("empty");
    assertThat(launch.getString("grid")).isEqualTo("3 x 1 x 1");
    assertThat(launch.getString("block")).isEqualTo("32 x 1 x 1");
  }

  private static RecordedEvent only(List<RecordedEvent> events, String name) {
    List<RecordedEvent> found =
        events.stream().filter(each -> each.getEventType().getName().equals(name)).toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }
}
