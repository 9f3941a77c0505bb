// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.sync.EntryPlace;
import dev.kcache.cache.sync.EntrySync;
import dev.kcache.cache.sync.SyncListener;
import dev.kcache.cache.sync.SyncResult;
import dev.kcache.cli.ProgressBar.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** {@code kcache sync}: copies entries between directories and remotes. */
final class SyncCommand extends Verb {
  private static final int MOST_PROBLEMS = 20;

  private final Argument<String> from =
      arguments.option(
          "--from",
          "URL|DIR|PACK.jar",
          Converters::text,
          "Where the entries are: a cache directory, a layer, a pack, or a remote that can list"
              + " what it has, such as redis://HOST.");

  private final Argument<String> to =
      arguments.option(
          "--to",
          "URL|DIR",
          Converters::text,
          "Where to copy them. A directory that does not exist is made, for you alone; one that"
              + " others can read stays a layer.");

  private final TargetsOption targets = new TargetsOption(arguments, TargetsOption.OF_ENTRIES);

  SyncCommand(CliContext context) {
    super(
        context,
        "sync",
        "Copies entries between cache directories, layers, packs and remotes.",
        "Each entry is verified, and keeps its record's exact bytes and signatures. What is there"
            + " already is not written again, and nothing is removed. If it is interrupted, run it"
            + " again: there are whole entries only. Exit code 4 if something is damaged and was"
            + " not copied, 1 if something could not be read or written.");
  }

  @Override
  public Integer call() {
    if (!from.isGiven() || !to.isGiven()) {
      throw new IllegalArgumentException(
          "sync needs --from and --to; name a directory or a URL in each");
    }
    if (namesDirectory() || namesRemote()) {
      throw new IllegalArgumentException(
          "sync takes no --cache-dir and no --remote; name both places in --from and --to");
    }
    try (EntryPlace source = source(from.value());
        EntryPlace target = place(to.value())) {
      if (source.describe().equals(target.describe())) {
        throw new IllegalArgumentException(
            "--from and --to are the same place; name two different ones");
      }
      if (!source.exists()) {
        throw new IllegalArgumentException(doesNotExist(Path.of(from.value())));
      }
      return Stop.during(
          context, "run it again to copy the rest", stop -> copy(source, target, stop));
    } catch (IOException e) {
      throw unchecked(e);
    }
  }

  private EntryPlace source(String text) throws IOException {
    return !text.contains("://") && Files.isRegularFile(Converters.path(text))
        ? EntryPlace.pack(Converters.path(text))
        : place(text);
  }

  /** Makes a place of a URL or of the name of a directory. */
  private EntryPlace place(String text) throws IOException {
    if (text.contains("://")) {
      return EntryPlace.remote(Converters.remote(text), context.environment());
    }
    if (text.isEmpty()) {
      throw new IllegalArgumentException("an empty name; name a directory or a URL");
    }
    Path directory = Converters.path(text).toAbsolutePath();
    if (text.endsWith(".jar") && !Files.isDirectory(directory)) {
      throw new IllegalArgumentException(
          "nothing is copied to a pack; copy to a directory, and pack that with 'kcache pack'");
    }
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new IllegalArgumentException("'" + Text.oneLine(text) + "' is not a directory");
    }
    return EntryPlace.directory(directory, context.environment());
  }

  private int copy(EntryPlace source, EntryPlace target, Stop stop) {
    long begin = context.nanoTime().getAsLong();
    Progressing listener = new Progressing();
    SyncResult result;
    try {
      result = EntrySync.run(source, target, targets.targets(), listener, stop);
    } catch (IOException e) {
      throw unchecked(e);
    } catch (UnsupportedOperationException e) {
      throw new IllegalArgumentException(
          e.getMessage() + "; copy from a directory, or from another kind of remote", e);
    } finally {
      listener.bar.clear();
    }
    listener.end();
    Duration elapsed = Duration.ofNanos(context.nanoTime().getAsLong() - begin);
    show(
        json ->
            json.put("from", source.describe())
                .put("to", target.describe())
                .put("interrupted", stop.getAsBoolean())
                .put("copied", result.copied())
                .put("present", result.present())
                .put("refused", result.refused())
                .put("failed", result.failed())
                .put("skipped", result.skipped())
                .put("notDone", result.notDone())
                .put("size", result.bytes())
                .put("elapsedSeconds", elapsed),
        out -> out.println(line(result, elapsed)));
    if (result.refused() > 0) {
      return ExitCode.DAMAGED;
    }
    return result.failed() > 0 ? ExitCode.FAILED : ExitCode.OK;
  }

  private static String line(SyncResult result, Duration elapsed) {
    String line =
        "%d copied, %d present, %d refused, %d failed"
            .formatted(result.copied(), result.present(), result.refused(), result.failed());
    if (result.skipped() > 0) {
      line += ", " + result.skipped() + " of another version or gone";
    }
    if (result.notDone() > 0) {
      line += ", " + result.notDone() + " not done";
    }
    return line + "; " + Text.bytes(result.bytes()) + ", in " + Text.duration(elapsed);
  }

  private static UncheckedIOException unchecked(IOException e) {
    return new UncheckedIOException(String.valueOf(e.getMessage()), e);
  }

  /** Shows how far it is; each problem once, and not thousands of them. */
  private final class Progressing implements SyncListener {
    final ProgressBar bar = context.progressBar();
    private final Set<String> told = new HashSet<>();

    @Override
    public void progress(long done, long bad, long total) {
      bar.update(new Progress((int) done, (int) bad, (int) total, null, ""));
    }

    @Override
    public void problem(String line) {
      if (told.add(line) && told.size() <= MOST_PROBLEMS) {
        bar.clear();
        context.problem(Text.oneLine(line));
      }
    }

    void end() {
      if (told.size() > MOST_PROBLEMS) {
        context.problem("and " + (told.size() - MOST_PROBLEMS) + " more problems like these");
      }
    }
  }
}
