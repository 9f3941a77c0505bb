// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.reapi.proto.Directory;
import dev.kcache.reapi.proto.FileNode;
import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.executor.CommandExecutor.Command;
import dev.kcache.toolchain.executor.CommandExecutor.Platform;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandActionTest {
  private static final Platform PLATFORM =
      new Platform(Map.of("container-image", "docker://a@sha256:00", "OSFamily", "linux"));

  private static SourceFile file(String path, String content) {
    return new SourceFile(path, ByteBuffer.wrap(content.getBytes(UTF_8)));
  }

  private static CommandAction action(List<SourceFile> files, List<String> outputs) {
    return action(files, outputs, Duration.ofMillis(90_500));
  }

  private static CommandAction action(
      List<SourceFile> files, List<String> outputs, Duration limit) {
    return CommandAction.of(
        new Command(
            List.of("/bin/sh", "-c", "true"),
            Map.of("PATH", "/usr/bin", "HIP_PLATFORM", "amd"),
            files,
            outputs,
            limit,
            true),
        PLATFORM);
  }

  /** Reckoned by another program, from the fields and numbers of the API. */
  @Test
  void digest_isTheSameOnAllMachines() {
    List<SourceFile> files =
        List.of(file("work/a.hip", "a\n"), file("work/inc/b.h", "b\n"), file("z", ""));
    CommandAction action = action(files, List.of("out", "dir/list"));
    assertThat(action.digest().getHash())
        .isEqualTo("cf821c228a2db23b66d6c9a932882845418979a1fd653305fd60cb85cc3a9f72");
    List<SourceFile> other = new ArrayList<>(List.of(files.get(2), files.get(0), files.get(1)));
    assertThat(action(other, List.of("dir/list", "out", "out"))).isEqualTo(action);
    assertThat(action(files, List.of("out"))).isNotEqualTo(action);
  }

  @Test
  void limits_areTheSameActionUnlessTheyAreLong() {
    Map<Duration, Duration> limits =
        Map.of(
            Duration.ofMillis(1), Duration.ofMinutes(10),
            Duration.ofMinutes(10), Duration.ofMinutes(10),
            Duration.ofMinutes(11), Duration.ofHours(1),
            Duration.ofHours(1), Duration.ofHours(1),
            Duration.ofMinutes(61), Duration.ofHours(2),
            Duration.ofSeconds(Long.MAX_VALUE), Duration.ofDays(30));
    limits.forEach(
        (limit, sent) ->
            assertThat(action(List.of(), List.of(), limit))
                .isEqualTo(action(List.of(), List.of(), sent)));
    assertThat(limits.values().stream().map(sent -> action(List.of(), List.of(), sent)).distinct())
        .hasSize(4);
  }

  /** UTF-16, and so String, has them the other way round. */
  @Test
  void names_areInTheOrderOfTheirBytes() throws Exception {
    String last = new String(Character.toChars(0x1F600));
    List<Blob> blobs = new ArrayList<>();
    InputTree.of(List.of(file(last, "a"), file("\uFF5E", "a"))).store(blobs::add);
    Directory root = Directory.parseFrom(blobs.get(blobs.size() - 1).data());
    assertThat(root.getFilesList()).extracting(FileNode::getName).containsExactly("\uFF5E", last);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/a", "a/", "a//b", "../a", "a/../b", "./a", "a\0"})
  void pathThatLeavesTheDirectory_isRefused(String path) {
    assertThatThrownBy(() -> action(List.of(file(path, "")), List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no path below a directory");
    assertThatThrownBy(() -> action(List.of(), List.of(path)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void filesAtTheSamePlace_areRefused() {
    for (List<String> paths :
        List.of(List.of("a", "a"), List.of("a", "a/b"), List.of("a/b", "a"))) {
      assertThatThrownBy(
              () -> action(paths.stream().map(path -> file(path, path)).toList(), List.of()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("another file");
    }
  }
}
