// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheMaintenance;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.directory.Verification;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/** {@code kcache verify}: checks everything in the cache. */
final class VerifyCommand extends Verb {
  private final Argument<Boolean> repair =
      arguments.flag(
          "--repair",
          "Repair the cache directory: move what is damaged to its quarantine, remove what is"
              + " incomplete or left over, and close what other users can write to them, trusting"
              + " it from then on. Layers stay as they are.");

  private final RecompileCheck recompiling = new RecompileCheck(arguments);

  VerifyCommand(CliContext context) {
    super(
        context,
        "verify",
        "Checks everything that the cache holds.",
        "Reads every record, code object and list of dependencies in the cache directory and its"
            + " layers. Prints a line for each that is damaged, incomplete, an orphan that no"
            + " record names, left over from a killed writer, or open to other users. Exit code 4"
            + " if something is wrong and not repaired, 3 if a directory is missing or cannot be"
            + " read and nothing was found damaged, or nothing that was to be compiled again could"
            + " be compared.");
  }

  @Override
  public Integer call() {
    recompiling.readSources();
    return Stop.during(context, "run it again to verify the rest", this::verify);
  }

  private int verify(Stop stop) {
    try (CacheManager cache = cache().parallelism(Parallelism.ofThisMachine()).build()) {
      if (recompiling.isWanted()) {
        requireNone(cache.maintenance().readFault());
      }
      List<String> obstacles = new ArrayList<>();
      Verification verification = verify(this, cache, repair.value(), stop, obstacles);
      if (recompiling.isWanted()) {
        recompiling.run(cache, context.progressBar(), stop);
      }
      return report(cache, verification, obstacles);
    } catch (CancellationException e) {
      if (json()) {
        new Problem(ExitCode.INTERRUPTED, "interrupted", "").print(context.out());
      }
      return ExitCode.INTERRUPTED;
    }
  }

  private int report(CacheManager cache, Verification verification, List<String> obstacles) {
    show(
        json -> write(verification, obstacles, json),
        out -> {
          verification.findings().forEach(finding -> out.println(line(finding)));
          if (obstacles.isEmpty() || !verification.directories().isEmpty()) {
            out.println(summary(verification));
          }
          if (recompiling.isWanted()) {
            recompiling.print(out);
          }
        });
    recompiling.problems().forEach(context::problem);
    obstacles.forEach(obstacle -> context.problem("not verified: " + obstacle));
    if (!verification.isSound()) {
      context.problem(advice(cache, verification));
    }
    return ExitCode.worse(recompiling.exitCode(), exitCode(verification, obstacles));
  }

  /** Damage comes first; a directory that nobody could look into comes before open permissions. */
  private static int exitCode(Verification verification, List<String> obstacles) {
    boolean damaged = verification.findings().stream().anyMatch(VerifyCommand::isDamage);
    if (!obstacles.isEmpty() && !damaged) {
      return ExitCode.UNAVAILABLE;
    }
    return verification.isSound() ? ExitCode.OK : ExitCode.DAMAGED;
  }

  private static boolean isDamage(Finding finding) {
    return !finding.repaired()
        && (finding.kind() == Finding.Kind.DAMAGED || finding.kind() == Finding.Kind.INCOMPLETE);
  }

  /**
   * Verifies all directories of a cache.
   *
   * @param stopped whether to stop; asked before each file
   * @param obstacles takes a line for each directory that cannot be read
   * @throws CancellationException if it was stopped
   */
  static Verification verify(
      Verb verb,
      CacheManager cache,
      boolean repair,
      BooleanSupplier stopped,
      List<String> obstacles) {
    Verification all = verify(verb.context, cache, repair, stopped);
    return withoutUnseen(all, optional(verb, cache, all), obstacles);
  }

  /** Beside layers, the default cache directory may be missing until something is kept in it. */
  private static Optional<Path> optional(Verb verb, CacheManager cache, Verification all) {
    return all.directories().size() > 1 && !verb.namesDirectory()
        ? cache.maintenance().directory().filter(Files::notExists)
        : Optional.empty();
  }

  /**
   * Turns directories that cannot be read into obstacles: they are no findings, and no repair
   * helps.
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
      return "layers, files of other users and directories with a sticky bit are not repaired;"
          + " do what their lines say";
    }
    List<Finding> findings = verification.findings();
    if (findings.stream().allMatch(one -> one.kind() == Finding.Kind.ORPHAN)) {
      return "an interrupted removal left this; 'kcache verify --repair' removes it";
    }
    Optional<Path> directory = cache.maintenance().directory();
    if (directory.stream()
        .anyMatch(root -> findings.stream().anyMatch(one -> one.file().startsWith(root)))) {
      return "'kcache verify --repair' repairs what is yours in the cache directory; do what the"
          + " other lines say";
    }
    return "a layer's owner repairs it, with 'kcache verify --repair --cache-dir'"
        + (verification.directories().stream().anyMatch(Files::isRegularFile)
            ? ", or makes a pack anew, with 'kcache pack'"
            : "");
  }

  private static Verification verify(
      CliContext context, CacheManager cache, boolean repair, BooleanSupplier stopped) {
    ProgressBar bar = context.progressBar();
    MaintenanceListener listener =
        (directory, done, total) -> {
          if (stopped.getAsBoolean()) {
            throw new CancellationException();
          }
          bar.update(
              new ProgressBar.Progress((int) done, 0, (int) total, null, directory.toString()));
        };
    CacheMaintenance maintenance = cache.maintenance();
    try {
      return repair ? maintenance.repair(listener) : maintenance.verify(listener);
    } finally {
      bar.clear();
    }
  }

  private void write(Verification verification, List<String> obstacles, Json json) {
    json.put("directories", verification.directories())
        .put("repair", repair.value())
        .put(
            "sound",
            verification.isSound() && obstacles.isEmpty() && recompiling.exitCode() == ExitCode.OK)
        .put("records", verification.records())
        .put("codeObjects", verification.codeObjects())
        .put("size", verification.bytes())
        .objects("findings", verification.findings(), VerifyCommand::write);
    if (!obstacles.isEmpty()) {
      json.put("problem", String.join("; ", obstacles));
    }
    recompiling.writeTo(json);
  }

  /** Writes the fields of a finding. */
  static void write(Finding finding, Json json) {
    json.put("kind", Text.lower(finding.kind()))
        .put("file", finding.file())
        .put("problem", finding.problem())
        .put("repaired", finding.repaired());
  }

  static String line(Finding finding) {
    String file = Text.oneLine(finding.file().toString());
    String problem = Text.oneLine(finding.problem()) + (finding.repaired() ? "; repaired" : "");
    return Text.lower(finding.kind()) + "  " + file + "  " + problem;
  }

  private static String summary(Verification verification) {
    List<Path> directories = verification.directories();
    String checked =
        "%s and %s (%s) checked in %s"
            .formatted(
                Text.count(verification.records(), "record"),
                Text.count(verification.codeObjects(), "code object"),
                Text.bytes(verification.bytes()),
                directories.isEmpty() ? "no directory" : Text.quoted(directories));
    int findings = verification.findings().size();
    long repaired = verification.findings().stream().filter(Finding::repaired).count();
    return findings == 0
        ? checked + ": all sound"
        : checked + ": " + Text.count(findings, "finding") + ", " + repaired + " repaired";
  }
}
