// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CarriedKernels;
import dev.kcache.cache.explain.Difference;
import dev.kcache.cache.explain.NearEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Whether jars and folders carry what is wanted.
 *
 * @param classPath the jars and folders
 * @param proofs of each request
 * @param problems what is damaged: why, by the URL of the resource
 * @param size of the code objects that serve, in bytes
 */
record CarriedProof(
    List<Path> classPath, List<Proof> proofs, Map<String, String> problems, long size) {

  /**
   * Looks for what tasks want; ends the command if a jar can't be read.
   *
   * @param environment names the keys that are trusted, and where what is revoked is listed
   */
  static CarriedProof of(List<Path> classPath, Map<String, String> environment, List<Task> tasks) {
    try (CarriedKernels kernels = CarriedKernels.open(classPath, environment)) {
      List<Proof> proofs = new ArrayList<>();
      Set<Object> counted = new HashSet<>();
      long size = 0;
      for (Task task : tasks) {
        Optional<CarriedKernels.Carried> found = kernels.find(task.source(), task.target());
        if (found.isPresent() && counted.add(found.get().entry().codeObject())) {
          size += found.get().entry().size();
        }
        proofs.add(
            new Proof(
                task,
                CarriedKernels.request(task.source(), task.target()),
                found
                    .map(each -> near(each, classPath, List.of()))
                    .or(() -> refused(kernels, task, classPath))
                    .map(List::of)
                    .orElse(List.of())));
      }
      return new CarriedProof(classPath, proofs, Map.copyOf(kernels.problems()), size);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.UNAVAILABLE,
          List.of("not proven: " + Text.oneLine(String.valueOf(e.getMessage()))));
    }
  }

  private static Optional<NearEntry> refused(
      CarriedKernels kernels, Task task, List<Path> classPath) {
    return kernels
        .refused(task.source(), task.target())
        .map(
            each ->
                near(
                    each.kernel(),
                    classPath,
                    List.of(new Difference(Difference.Kind.TRUST, each.reason()))));
  }

  private static NearEntry near(
      CarriedKernels.Carried found, List<Path> classPath, List<Difference> differences) {
    Path place =
        classPath.stream()
            .filter(each -> found.resource().contains(each.toUri().getRawPath()))
            .findFirst()
            .orElse(classPath.get(0));
    return new NearEntry(place, found.entry(), differences);
  }

  boolean isProven() {
    return problems.isEmpty() && proofs.stream().allMatch(Proof::isHit);
  }

  int exitCode() {
    return !problems.isEmpty() ? ExitCode.DAMAGED : isProven() ? ExitCode.OK : ExitCode.FAILED;
  }

  void writeTo(Json json) {
    json.put("directories", classPath)
        .put("proven", isProven())
        .put("size", size)
        .objects("requests", proofs, Proof::writeTo)
        .objects(
            "damage",
            problems.entrySet().stream().sorted(Map.Entry.comparingByKey()).toList(),
            (problem, each) ->
                each.put("file", problem.getKey()).put("problem", problem.getValue()));
  }

  /** Returns the lines on what is damaged, and the one that sums up. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    problems.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            each -> lines.add("damaged " + Text.oneLine(each.getKey() + ": " + each.getValue())));
    long hits = proofs.stream().filter(Proof::isHit).count();
    lines.add(
        "%s of %s, %d missing, %s of damage in %s"
            .formatted(
                Text.count(hits, "hit"),
                Text.bytes(size),
                proofs.size() - hits,
                Text.count(problems.size(), "finding"),
                Text.quoted(classPath)));
    return lines;
  }
}
