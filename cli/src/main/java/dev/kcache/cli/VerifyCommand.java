// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.Finding;
import dev.kcache.cache.Verification;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** {@code kcache verify}: reads everything in the cache and tells what is wrong. */
final class VerifyCommand implements Verb {
  private final CliContext context;

  private final Argument<Boolean> repair =
      Argument.flag(
          "--repair",
          "Mend what is wrong in the cache directory: what is",
          "damaged is moved to its quarantine, what is",
          "incomplete or left over is removed, and what others",
          "can write is closed to them, and believed from then",
          "on. Layers are left as they are.");

  private final CommonOptions options = new CommonOptions();

  /** Creates the command for the given surroundings. */
  VerifyCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public CommandSpec spec() {
    return Verb.spec(
        "verify",
        this,
        Stream.of(List.of(repair), options.arguments()),
        "Checks everything that the cache holds.",
        "Reads every record, code object and list of dependencies in the cache",
        "directory and its layers. One line for each that is damaged, incomplete, an",
        "orphan that no record names, left over from a writer that was killed, or open",
        "to others. The exit code is 4 if anything is wrong that has not been mended, and 3",
        "if there is no such cache directory.");
  }

  @Override
  public Integer call() {
    try (CacheManager cache = options.cache(context).build()) {
      Verification verification = verify(cache);
      if (options.json()) {
        new JsonReport(context.out()).verify(repair.value(), verification);
      } else {
        verification.findings().forEach(finding -> context.out().println(line(finding)));
        context.out().println(summary(verification));
      }
      if (!verification.isSound()) {
        context.problem(advice(cache, verification));
        return ExitCode.DAMAGED;
      }
      Optional<String> absence = CommonOptions.absence(cache);
      if (absence.isPresent() && cache.directory().isPresent()) {
        context.problem("the cache directory was not verified: " + absence.get());
        return ExitCode.UNAVAILABLE;
      }
      return ExitCode.OK;
    }
  }

  private String advice(CacheManager cache, Verification verification) {
    if (repair.value()) {
      return "not everything could be repaired; layers and what belongs to others never are";
    }
    boolean own =
        cache
            .directory()
            .filter(
                root ->
                    verification.findings().stream().anyMatch(one -> one.file().startsWith(root)))
            .isPresent();
    return own
        ? "'kcache verify --repair' repairs what is in the cache directory and belongs to you"
        : "layers are repaired by those to whom they belong, with 'kcache verify --repair --cache-dir'";
  }

  private Verification verify(CacheManager cache) {
    ProgressBar bar = new ProgressBar(context.err(), context.columns(), context.nanoTime());
    try {
      return cache
          .upkeep()
          .verify(
              repair.value(),
              (directory, done, total) ->
                  bar.update(new Progress((int) done, 0, (int) total, null, directory.toString())));
    } finally {
      bar.clear();
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
            + places(verification.directories());
    int findings = verification.findings().size();
    long repaired = verification.findings().stream().filter(Finding::repaired).count();
    return findings == 0
        ? checked + ": all sound"
        : checked + ": " + Text.count(findings, "finding") + ", " + repaired + " repaired";
  }

  private static String places(List<Path> directories) {
    return directories.isEmpty()
        ? "no directory"
        : directories.stream()
            .map(directory -> "'" + directory + "'")
            .collect(Collectors.joining(", "));
  }
}
