// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.PackWriter;
import dev.kcache.cache.PackWriter.Packed;
import dev.kcache.cache.directory.MaintenanceListener;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/** {@code kcache pack}: writes the entries of the cache directory into one jar. */
final class PackCommand extends Verb {
  private static final int MOST_PROBLEMS = 20;

  private final Argument<Path> to =
      arguments.option(
          "--to",
          "FILE",
          Converters::path,
          "The pack, such as kernels.jar. A file of that name is replaced once the pack is whole.");

  private final TargetsOption targets = new TargetsOption(arguments, TargetsOption.OF_ENTRIES);

  PackCommand(CliContext context) {
    super(
        context,
        "pack",
        "Writes what the cache directory holds into one jar.",
        "Name the jar in KCACHE_PATH, or put it on the class path of a program. Each entry is"
            + " verified, and keeps its record's exact bytes and signatures; of several of one"
            + " request, the latest is packed. The same entries give the same bytes. Layers are not"
            + " packed, and what is revoked is left out. Exit code 4 if something is damaged and was"
            + " left out, 1 if there is nothing to pack.");
  }

  @Override
  public Integer call() {
    if (!to.isGiven()) {
      throw new IllegalArgumentException("pack needs --to; name the jar to write");
    }
    return Stop.during(context, "nothing was written; run it again", this::pack);
  }

  private int pack(Stop stop) {
    ProgressBar bar = context.progressBar();
    MaintenanceListener listener =
        (directory, done, total) -> {
          if (stop.getAsBoolean()) {
            throw new CancellationException();
          }
          bar.update(new ProgressBar.Progress((int) done, 0, (int) total, null, ""));
        };
    try (CacheManager cache = existingCache().build()) {
      Optional<String> absence = absence(cache);
      if (absence.isPresent()) {
        throw new IllegalArgumentException(
            absence.get() + "; fill one with 'kcache prewarm', or name another in --cache-dir");
      }
      requireNone(cache.maintenance().readFault());
      Path root = cache.maintenance().directory().orElseThrow();
      Packed packed =
          ReplacedFile.write(
              to.value(), file -> PackWriter.write(cache, file, targets.targets(), listener));
      bar.clear();
      return report(root, packed);
    } catch (CancellationException e) {
      bar.clear();
      if (json()) {
        new Problem(ExitCode.INTERRUPTED, "interrupted", "").print(context.out());
      }
      return ExitCode.INTERRUPTED;
    }
  }

  private int report(Path root, Packed packed) {
    List<String> problems = packed.problems();
    problems.stream().limit(MOST_PROBLEMS).map(Text::oneLine).forEach(context::problem);
    if (problems.size() > MOST_PROBLEMS) {
      context.problem("and " + (problems.size() - MOST_PROBLEMS) + " more problems like these");
    }
    show(
        json ->
            json.put("directory", root)
                .put("file", to.value().toAbsolutePath())
                .put("entries", packed.entries())
                .put("older", packed.older())
                .put("refused", packed.refused())
                .put("damaged", packed.damaged())
                .put("size", packed.bytes()),
        out -> {
          if (packed.entries() > 0) {
            out.println(line(packed));
          }
        });
    if (packed.entries() == 0) {
      context.problem(
          "nothing was written: "
              + ListCommand.nothingIn(List.of(root), targets.targets())
              + " that can be packed; fill it with 'kcache prewarm'");
    }
    if (packed.damaged() > 0) {
      return ExitCode.DAMAGED;
    }
    return packed.entries() == 0 ? ExitCode.FAILED : ExitCode.OK;
  }

  private String line(Packed packed) {
    String line =
        "%s packed into %s, %s"
            .formatted(
                Text.entries(packed.entries()),
                Text.oneLine(to.value().toString()),
                Text.bytes(packed.bytes()));
    if (packed.older() > 0) {
      line += "; " + packed.older() + " left out, since later ones of the same requests are packed";
    }
    if (packed.refused() + packed.damaged() > 0) {
      line += "; %d refused, %d damaged".formatted(packed.refused(), packed.damaged());
    }
    return line;
  }
}
