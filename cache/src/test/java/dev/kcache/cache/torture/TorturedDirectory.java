// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import dev.kcache.cache.torture.KillStep.Preparation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cache directory to which things are done that are not kcache's doing: users remove parts of it,
 * bits rot, time passes. Only while nobody else uses it.
 *
 * @param root the directory, which may be missing
 * @param damaged what was damaged, with the damaged content
 */
record TorturedDirectory(Path root, Map<Path, byte[]> damaged) {
  TorturedDirectory(Path root) {
    this(root, new HashMap<>());
  }

  void prepare(Preparation preparation) throws IOException {
    switch (preparation) {
      case NOTHING -> {}
      case ROOT_REMOVED -> remove(root);
      case TARGETS_REMOVED -> {
        for (Path target : targets()) {
          remove(target);
        }
      }
      case LISTS_REMOVED -> {
        for (Path list : files(".deps")) {
          Files.delete(list);
        }
      }
      case SWEEP_DUE -> {
        for (Path target : targets()) {
          Files.createFile(target.resolve(".tmp-left"));
        }
        age();
      }
      case RECORDS_OLD -> age(files(".json"), Duration.ofHours(2));
      case CODE_OBJECTS_DAMAGED -> damage();
    }
  }

  private void damage() throws IOException {
    remove(root.resolve("quarantine"));
    for (Path file : files(".co")) {
      byte[] content = Files.readAllBytes(file);
      content[content.length / 2] ^= 1;
      Files.write(file, content);
      damaged.put(file, content);
    }
  }

  /** Removes what was damaged here and has been neither found nor replaced. */
  void mend() throws IOException {
    for (Map.Entry<Path, byte[]> each : damaged.entrySet()) {
      Path file = each.getKey();
      if (Files.exists(file) && Arrays.equals(Files.readAllBytes(file), each.getValue())) {
        Files.delete(file);
      }
    }
    damaged.clear();
  }

  /** Lets a day pass for what processes left that were killed, so that the next sweep takes it. */
  void age() throws IOException {
    age(files(path -> name(path).startsWith(".tmp-")), Judge.LEFTOVER_AGE.plusMinutes(1));
    age(files(path -> name(path.getParent()).equals("beats")), Judge.LEFTOVER_AGE.plusMinutes(1));
    age(files(path -> name(path).equals("swept")), Duration.ofHours(2));
  }

  private static void age(Iterable<Path> files, Duration age) throws IOException {
    for (Path file : files) {
      Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
    }
  }

  /** Returns every record, code object and list. */
  Set<Path> contents() throws IOException {
    return files(path -> name(path).matches("[0-9a-f]{64}[.](json|co|deps)"));
  }

  private Set<Path> files(String suffix) throws IOException {
    return files(
        path -> name(path).endsWith(suffix) && !path.startsWith(root.resolve("quarantine")));
  }

  private Set<Path> files(Predicate<Path> wanted) throws IOException {
    if (!Files.exists(root)) {
      return Set.of();
    }
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile).filter(wanted).collect(Collectors.toSet());
    }
  }

  private List<Path> targets() throws IOException {
    if (!Files.exists(root)) {
      return List.of();
    }
    try (Stream<Path> children = Files.list(root)) {
      return children.filter(child -> name(child).contains("-")).toList();
    }
  }

  private static void remove(Path tree) throws IOException {
    if (Files.exists(tree)) {
      try (Stream<Path> files = Files.walk(tree)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static String name(Path path) {
    return path.getFileName().toString();
  }
}
