// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.store.RecordingFileOperations.Step;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A disk that loses its power, as the standard lets it: of what was not forced anything may be
 * there, in any order. A name that was not forced leads to what it did before, or to whatever it
 * has led to since. A file that was not forced is empty, cut, full of zeros, or whole.
 */
final class LostPower {
  /** What a name leads to. */
  private sealed interface Node {}

  private record Nothing() implements Node {}

  private record Directory() implements Node {}

  private static final class Content implements Node {
    private byte[] bytes;
    private boolean forced;

    Content(byte[] bytes, boolean forced) {
      this.bytes = bytes;
      this.forced = forced;
    }

    Collection<byte[]> afterwards() {
      return forced
          ? List.of(bytes)
          : List.of(
              new byte[0], Arrays.copyOf(bytes, bytes.length / 2), new byte[bytes.length], bytes);
    }
  }

  /** By its name, what each may lead to: what lasts comes first, and what is now last. */
  private final Map<Path, List<Node>> names = new TreeMap<>();

  private LostPower() {}

  /**
   * Returns every content that a directory may have afterwards: by their paths the bytes of files,
   * and nothing for directories.
   *
   * @param before a directory all of which was on the disk
   * @param steps what was done since
   */
  static Collection<Map<Path, Optional<ByteBuffer>>> outcomes(
      Map<Path, Optional<ByteBuffer>> before, List<Step> steps) {
    LostPower disk = new LostPower();
    before.forEach((path, bytes) -> disk.names.put(path, new ArrayList<>(List.of(node(bytes)))));
    steps.forEach(disk::take);
    return disk.outcomes();
  }

  private static Node node(Optional<ByteBuffer> bytes) {
    return bytes.isPresent() ? new Content(bytes.get().array(), true) : new Directory();
  }

  private void take(Step step) {
    switch (step.operation()) {
      case CREATE_DIRECTORY -> lead(step.path(), new Directory());
      case CREATE_FILE -> lead(step.path(), new Content(new byte[0], false));
      case DELETE -> lead(step.path(), new Nothing());
      case RENAME -> {
        lead(step.to(), now(step.path()));
        lead(step.path(), new Nothing());
      }
      case WRITE -> {
        Content content = (Content) now(step.path());
        content.bytes = step.content().array();
        content.forced = false;
      }
      case FORCE -> ((Content) now(step.path())).forced = true;
      case FORCE_DIRECTORY ->
          names.forEach(
              (path, nodes) -> {
                if (step.path().equals(path.getParent())) {
                  nodes.subList(0, nodes.size() - 1).clear();
                }
              });
    }
  }

  private void lead(Path path, Node node) {
    names.computeIfAbsent(path, any -> new ArrayList<>(List.of(new Nothing()))).add(node);
  }

  private Node now(Path path) {
    List<Node> nodes = names.get(path);
    return nodes.get(nodes.size() - 1);
  }

  private Collection<Map<Path, Optional<ByteBuffer>>> outcomes() {
    List<Map<Path, Optional<ByteBuffer>>> outcomes = new ArrayList<>(List.of(Map.of()));
    names.forEach(
        (path, nodes) -> {
          List<Map<Path, Optional<ByteBuffer>>> more = new ArrayList<>();
          for (Map<Path, Optional<ByteBuffer>> outcome : outcomes) {
            nodes.forEach(node -> add(more, outcome, path, node));
          }
          outcomes.clear();
          outcomes.addAll(more.stream().distinct().toList());
        });
    return outcomes;
  }

  private void add(
      List<Map<Path, Optional<ByteBuffer>>> outcomes,
      Map<Path, Optional<ByteBuffer>> outcome,
      Path path,
      Node node) {
    boolean reachable =
        !names.containsKey(path.getParent()) || outcome.containsKey(path.getParent());
    if (node instanceof Nothing || !reachable) {
      outcomes.add(outcome);
    } else if (node instanceof Content content) {
      content
          .afterwards()
          .forEach(bytes -> outcomes.add(with(outcome, path, Optional.of(ByteBuffer.wrap(bytes)))));
    } else {
      outcomes.add(with(outcome, path, Optional.empty()));
    }
  }

  private static Map<Path, Optional<ByteBuffer>> with(
      Map<Path, Optional<ByteBuffer>> outcome, Path path, Optional<ByteBuffer> bytes) {
    Map<Path, Optional<ByteBuffer>> more = new LinkedHashMap<>(outcome);
    more.put(path, bytes);
    return more;
  }

  /** Returns what a directory has now, itself included; nothing if it is not there. */
  static Map<Path, Optional<ByteBuffer>> read(Path root) throws IOException {
    Map<Path, Optional<ByteBuffer>> content = new LinkedHashMap<>();
    if (Files.exists(root)) {
      try (Stream<Path> files = Files.walk(root)) {
        for (Path path : files.toList()) {
          content.put(
              path,
              Files.isDirectory(path)
                  ? Optional.empty()
                  : Optional.of(ByteBuffer.wrap(Files.readAllBytes(path))));
        }
      }
    }
    return content;
  }

  /** Makes at {@code to} what was, or could have been, at {@code from}. */
  static void make(Map<Path, Optional<ByteBuffer>> content, Path from, Path to) throws IOException {
    FileOperations files = new FileOperations();
    for (Map.Entry<Path, Optional<ByteBuffer>> each : content.entrySet()) {
      Path path = to.resolve(from.relativize(each.getKey()).toString());
      if (each.getValue().isEmpty()) {
        files.createDirectory(path, Access.PRIVATE);
      } else {
        files.createFile(path, Access.PRIVATE);
        files.write(path, each.getValue().get());
      }
    }
  }
}
