// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.driver.ProbeCacheFiles.Group;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.probe.ProbeResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbeCacheFilesTest {
  private static final Digest QUESTION = Digest.of(new byte[] {1});
  private static final Digest CONTENT = Digest.of(new byte[] {2});

  private final Instant now = Instant.now();

  @TempDir Path directory;
  private Path parent;
  private FakeHost host;
  private ProbeCache memo;

  @BeforeEach
  void makeAMemo() throws IOException {
    parent = directory.resolve("memo");
    host = new FakeHost(directory.resolve("host"));
    memo = ProbeCache.in(Optional.of(parent), new Host(host.root));
  }

  @Test
  void in_missingDirectory_isEmpty() {
    assertThat(groups()).isEmpty();
  }

  @Test
  void in_headers_goAfterTheirAnswersByWhoseTimeTheyWereUsed() throws IOException {
    Path header = attach();
    Path answer = header.resolveSibling(QUESTION.toString());
    age(answer, Duration.ofDays(3));

    assertThat(groups())
        .containsExactly(
            new Group(List.of(answer, header), Files.getLastModifiedTime(answer).toInstant()));
  }

  @Test
  void in_headerWithoutAnswer_wasUsedLongAgo() throws IOException {
    Path header = attach();
    Path answer = header.resolveSibling(QUESTION.toString());
    memo.deleteAnswer(QUESTION);

    assertThat(groups()).containsExactly(new Group(List.of(answer, header), Instant.EPOCH));
  }

  @Test
  void in_stampsAndTheRest_onlyTheStampsMayGoOnTheirOwnHost() {
    memo.writeJobs(List.of("vadd.hip"));
    memo.writeAnswer(QUESTION, answer());
    memo.writeStamps(CONTENT, answer());

    assertThat(groups()).hasSize(1);
    assertThat(groups().get(0).files())
        .singleElement()
        .asString()
        .endsWith(CONTENT + ProbeCache.STAMPS);
  }

  @Test
  void in_anotherHost_allOfTheRestGoesTogetherTheNewestFirst() throws IOException {
    memo.writeJobs(List.of("vadd.hip"));
    memo.writeAnswer(QUESTION, answer());
    Path own = parent.resolve(new Host(host.root).key());
    Path wanted = own.resolve("wanted");
    age(wanted, Duration.ofDays(1));
    age(own.resolve(QUESTION.toString()), Duration.ofDays(2));

    assertThat(ProbeCacheFiles.in(parent, new Host(directory.resolve("another"))))
        .containsExactly(
            new Group(
                List.of(wanted, own.resolve(QUESTION.toString())),
                Files.getLastModifiedTime(wanted).toInstant()));
  }

  @Test
  void in_whatIsNoMemo_isLeftAlone() throws IOException {
    Files.createDirectories(parent.resolve("precious"));
    Files.writeString(parent.resolve("precious").resolve("file"), "kept");
    Files.writeString(parent.resolve("0123456789abcdef"), "a file");

    assertThat(groups()).isEmpty();
  }

  @Test
  void noteUse_answerUsedHoursAgo_getsItsTimeAndTheHeaderKeepsIts() throws IOException {
    Path header = attach();
    FileTime made = Files.getLastModifiedTime(header);
    Path answer = header.resolveSibling(QUESTION.toString());
    age(answer, Duration.ofHours(2));
    memo.noteUse(QUESTION);

    assertThat(Files.getLastModifiedTime(answer).toInstant()).isAfter(now.minusSeconds(60));
    assertThat(Files.getLastModifiedTime(header)).isEqualTo(made);
  }

  @Test
  void noteUse_answerUsedMinutesAgoOrGone_writesNothing() throws IOException {
    Path header = attach();
    Path answer = header.resolveSibling(QUESTION.toString());
    age(answer, Duration.ofMinutes(59));
    FileTime before = Files.getLastModifiedTime(answer);
    memo.noteUse(QUESTION);
    assertThat(Files.getLastModifiedTime(answer)).isEqualTo(before);

    memo.deleteAnswer(QUESTION);
    memo.noteUse(QUESTION);
    assertThat(answer).doesNotExist();
  }

  private Path attach() throws IOException {
    memo.writeAnswer(QUESTION, answer());
    assertThat(memo.attach(QUESTION, CONTENT, Files.write(directory.resolve("made"), new byte[9])))
        .isTrue();
    return memo.attachment(QUESTION, CONTENT).orElseThrow();
  }

  private ProbeResult answer() {
    return ProbeResult.dependingOn(Set.of(), List.of(List.of("line")), now);
  }

  private List<Group> groups() {
    return ProbeCacheFiles.in(parent, new Host(host.root));
  }

  private void age(Path file, Duration age) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(now.minus(age)));
  }
}
