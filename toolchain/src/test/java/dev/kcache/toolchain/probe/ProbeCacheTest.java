// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.toolchain.driver.FakeHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbeCacheTest {
  private static final int MOST = 8;

  @TempDir Path directory;
  private ProbeCache memo;
  private Path temporary;

  @BeforeEach
  void writeHalf() throws IOException {
    FakeHost host = new FakeHost(directory.resolve("host"));
    memo = ProbeCache.in(Optional.of(directory.resolve("memo")), new Host(host.root));
    Path text = memo.text("any.hip", "").orElseThrow();
    temporary = Files.writeString(text.resolveSibling("any.hip123.tmp"), "half");
  }

  @Test
  void sweepAttachments_fileThatIsBeingWrittenWithAnOldTime_stays() throws IOException {
    Files.setLastModifiedTime(temporary, FileTime.from(Instant.EPOCH));

    memo.sweepAttachments(MOST, Instant.now(), answer -> true);

    assertThat(temporary).hasContent("half");
  }

  @Test
  void sweepAttachments_whatAKilledProcessLeftADayAgo_goes() {
    memo.sweepAttachments(MOST, Instant.now().plus(Duration.ofHours(25)), answer -> true);

    assertThat(temporary).doesNotExist();
    assertThat(temporary.resolveSibling("any.hip")).exists();
  }
}
