// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.standin.TickingClock;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What files were like in one interval, and the one form of their names. */
final class FileStampsTest {

  @TempDir private Path directory;
  private final TickingClock clock = new TickingClock();
  private final FileStamps stamps = new FileStamps(clock);
  private Path file;

  @BeforeEach
  void create() throws IOException {
    file = Files.writeString(directory.resolve("file"), "1");
  }

  @Test
  void round_withinTheInterval_staysTheSameAndSoDoItsStamps() throws IOException {
    FileStamps.Round round = stamps.round();
    FileStamp before = round.of(file.toString());
    Files.writeString(file, "longer");
    clock.pass(FileStamps.INTERVAL.minusNanos(1));

    assertThat(stamps.round()).isSameAs(round);
    assertThat(stamps.round().of(file.toString())).isEqualTo(before);
  }

  @Test
  void round_afterTheInterval_looksAgain() throws IOException {
    FileStamp before = stamps.round().of(file.toString());
    Files.writeString(file, "longer");
    clock.pass(FileStamps.INTERVAL);

    assertThat(stamps.round().began()).isEqualTo(clock.instant());
    assertThat(stamps.round().of(file.toString())).isNotEqualTo(before);
  }

  @Test
  void round_clockThatWentBack_looksAgain() {
    FileStamps.Round round = stamps.round();
    clock.pass(FileStamps.INTERVAL.negated());

    assertThat(stamps.round()).isNotSameAs(round);
  }

  @Test
  void forget_file_looksAgainInTheSameRound() throws IOException {
    FileStamp before = stamps.round().of(file.toString());
    Files.writeString(file, "longer");
    stamps.forget(file);

    assertThat(stamps.round().of(file.toString())).isNotEqualTo(before);
  }

  @Test
  void digest_linkThatLedElsewhereForAMoment_isOfWhatItLeadsTo() throws IOException {
    Path other = Files.writeString(directory.resolve("other"), "2");
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);
    FileDigests digests =
        new FileDigests(
            ProbeCache.in(Optional.of(directory.resolve("memo")), Host.local()), stamps);
    FileStamp unused = stamps.round().of(link.toString());
    Files.delete(link);
    Files.createSymbolicLink(link, other);
    assertThat(digests.digest(link)).contains(Digest.of(Files.readAllBytes(other)));
    Files.delete(link);
    Files.createSymbolicLink(link, file);
    clock.pass(FileStamps.INTERVAL);

    assertThat(digests.digest(link)).contains(Digest.of(Files.readAllBytes(file)));
  }

  @Test
  void readAhead_linkThatLeadsElsewhereNow_looksAgainInTheSameRound() throws IOException {
    Path other = Files.writeString(directory.resolve("other"), "2");
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);
    FileDigests digests = new FileDigests(ProbeCache.in(Optional.empty(), Host.local()), stamps);
    assertThat(digests.digest(link)).contains(Digest.of(Files.readAllBytes(file)));
    Files.delete(link);
    Files.createSymbolicLink(link, other);

    digests.readAhead(List.of(link.toString()));

    assertThat(digests.digest(link)).contains(Digest.of(Files.readAllBytes(other)));
  }

  @Test
  void normalise_dotsBehindALink_areKept() throws IOException {
    Path deep = Files.createDirectories(directory.resolve("a/b"));
    Files.createFile(directory.resolve("a/h"));
    Files.createSymbolicLink(directory.resolve("link"), deep);
    Files.createFile(directory.resolve("h"));

    assertThat(ToolchainPaths.normalise(directory.resolve("a/b/../h")))
        .isEqualTo(directory.resolve("a/h"));
    assertThat(ToolchainPaths.normalise(directory.resolve("link/../h")))
        .isEqualTo(directory.resolve("link/../h"));
    assertThat(ToolchainPaths.normalise(directory.resolve("gone/../h")))
        .isEqualTo(directory.resolve("h"));
  }

  /** A jar's file system has no "unix" view, as Windows has none. */
  @Test
  void stamp_onASystemWithoutChangeTimes_tellsAnotherContent() throws IOException {
    try (FileSystem zip =
        FileSystems.newFileSystem(directory.resolve("a.zip"), Map.of("create", "true"))) {
      Path inside = Files.writeString(zip.getPath("/file"), "1");
      FileStamp before = FileStamp.of(inside);
      assertThat(before.regular()).isTrue();
      assertThat(FileStamp.of(inside)).isEqualTo(before);

      Files.writeString(inside, "longer");

      assertThat(FileStamp.of(inside)).isNotEqualTo(before);
      assertThat(FileStamp.of(zip.getPath("/none")).text()).isEqualTo("absent");
    }
  }
}
