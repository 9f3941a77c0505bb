// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.Verification;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** {@code kcache verify}: reads everything in the cache and tells what is wrong. */
final class VerifyCommand extends Verb {
  private final Argument<Boolean> repair =
      arguments.flag(
          "--repair",
          "Mend what is wrong in the cache directory: what is damaged is moved to its"
              + " quarantine, what is incomplete or left over is removed, and what others can"
              + " write is closed to them, and believed from then on. Layers are left as they"
              + " are.");

  VerifyCommand(CliContext context) {
    super(
        context,
        "verify",
        "Checks everything that the cache holds.",
        "Reads every record, code object and list of dependencies in the cache directory and its"
            + " layers. One line for each that is damaged, incomplete, an orphan that no record"
            + " names, left over from a writer that was killed, or open to others. The exit code is"
            + " 4 if anything is wrong that has not been mended, and 3 if a directory is missing or"
            + " cannot be looked at.");
  }

  @Override
  public Integer call() {
    try (CacheManager cache = cache().build()) {
      Verification all = verify(cache);
      List<String> obstacles = new ArrayList<>();
      Verification verification = withoutUnseen(all, optional(cache, all), obstacles);
      show(
          json -> write(verification, obstacles, json),
          out -> {
            verification.findings().forEach(finding -> out.println(line(finding)));
            if (obstacles.isEmpty() || !verification.directories().isEmpty()) {
              out.println(summary(verification));
            }
          });
      obstacles.forEach(obstacle -> context.problem("not verified: " + obstacle));
      if (!verification.isSound()) {
        context.problem(advice(cache, verification));
        return ExitCode.DAMAGED;
      }
      return obstacles.isEmpty() ? ExitCode.OK : ExitCode.UNAVAILABLE;
    }
  }

  /** A cache directory that nobody named is there once something is kept; layers serve without. */
  private Optional<Path> optional(CacheManager cache, Verification all) {
    return all.directories().size() > 1 && !namesDirectory()
        ? cache.maintenance().directory().filter(Files::notExists)
        : Optional.empty();
  }

  /**
   * What cannot be looked at is no finding: nothing is known of it, and no repair helps.
   *
   * @param optional a directory that need not be there, and is not
   */
  private static Verification withoutUnseen(
      Verification all, Optional<Path> optional, List<String> obstacles) {
    List<Path> seen = new ArrayList<>();
    List<Finding> findings = new ArrayList<>(all.findings());
    for (Path directory : all.directories()) {
      if (directory.equals(optional.orElse(null))) {
        continue;
      }
      Optional<String> obstacle = obstacle(directory, findings);
      obstacle.ifPresentOrElse(obstacles::add, () -> seen.add(directory));
      findings.removeIf(finding -> isUnreadable(directory, finding));
    }
    return new Verification(seen, all.records(), all.codeObjects(), all.bytes(), findings);
  }

  private static Optional<String> obstacle(Path directory, List<Finding> findings) {
    return findings.stream()
        .filter(finding -> isUnreadable(directory, finding))
        .map(finding -> Text.oneLine(finding.problem()))
        .findFirst()
        .or(
            () ->
                Files.notExists(directory)
                    ? Optional.of(doesNotExist(directory))
                    : Optional.empty());
  }

  private static boolean isUnreadable(Path directory, Finding finding) {
    return finding.kind() == Finding.Kind.UNREADABLE && finding.file().equals(directory);
  }

  private String advice(CacheManager cache, Verification verification) {
    if (repair.value()) {
      return "not everything could be repaired; layers and what belongs to others never are";
    }
    boolean own =
        cache
            .maintenance()
            .directory()
            .filter(
                root ->
                    verification.findings().stream().anyMatch(one -> one.file().startsWith(root)))
            .isPresent();
    if (verification.findings().stream().allMatch(one -> one.kind() == Finding.Kind.ORPHAN)) {
      return "an interrupted removal left this; 'kcache verify --repair' removes it";
    }
    return own
        ? "'kcache verify --repair' repairs what is in the cache directory and belongs to you"
        : "a layer's owner repairs it, with 'kcache verify --repair --cache-dir'";
  }

  private Verification verify(CacheManager cache) {
    ProgressBar bar = context.progressBar();
    try {
      return cache
          .maintenance()
          .verify(
              repair.value(),
              (directory, done, total) ->
                  bar.update(
                      new ProgressBar.Progress(
                          (int) done, 0, (int) total, null, directory.toString())));
    } finally {
      bar.clear();
    }
  }

  private void write(Verification verification, List<String> obstacles, Json json) {
    json.put("directories", verification.directories())
        .put("repair", repair.value())
        .put("sound", verification.isSound() && obstacles.isEmpty())
        .put("records", verification.records())
        .put("codeObjects", verification.codeObjects())
        .put("size", verification.bytes())
        .objects(
            "findings",
            verification.findings(),
            (finding, row) ->
                row.put("kind", finding.kind().name().toLowerCase(Locale.ROOT))
                    .put("file", finding.file())
                    .put("problem", finding.problem())
                    .put("repaired", finding.repaired()));
    if (!obstacles.isEmpty()) {
      json.put("problem", String.join("; ", obstacles));
    }
  }

  private static String line(Finding finding) {
    return finding.kind().name().toLowerCase(Locale.ROOT)
        + "  "
        + Text.oneLine(finding.file().toString())
        + "  "
        + Text.oneLine(finding.problem())
        + (finding.repaired() ? "; repaired" : "");
  }

  private static String summary(Verification verification) {
    String checked =
        Text.count(verification.records(), "record")
            + " and "
            + Text.count(verification.codeObjects(), "code object")
            + " ("
            + Text.bytes(verification.bytes())
            + ") checked in "
            + (verification.directories().isEmpty()
                ? "no directory"
                : Text.quoted(verification.directories()));
    int findings = verification.findings().size();
    long repaired = verification.findings().stream().filter(Finding::repaired).count();
    return findings == 0
        ? checked + ": all sound"
        : checked + ": " + Text.count(findings, "finding") + ", " + repaired + " repaired";
  }
}
