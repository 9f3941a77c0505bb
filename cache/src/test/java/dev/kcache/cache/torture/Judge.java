// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs {@code scripts/judge-cache}, which is not kcache and shares no code with it. */
public final class Judge {
  /** As long as the store leaves alone what may still be in use. */
  static final Duration LEFTOVER_AGE = Duration.ofHours(24);

  private final List<String> command = new ArrayList<>();

  private Judge(List<Path> roots) {
    Path script = Path.of("..", "scripts", "judge-cache").toAbsolutePath().normalize();
    command.add(script.toString());
    roots.forEach(root -> command.add(root.toString()));
  }

  /**
   * Returns a judge of a directory.
   *
   * @param place where {@code known} and {@code served} are directories, as the script has them
   */
  Judge(Path root, Path place) {
    this(List.of(root));
    command.addAll(List.of("--known", place.resolve("known").toString()));
    command.addAll(List.of("--served", place.resolve("served").toString()));
  }

  /** Returns what is wrong with directories that nobody uses, by themselves, a line each. */
  public static List<String> faultsOf(List<Path> roots) throws IOException, InterruptedException {
    return new Judge(roots).faultsButLeftovers();
  }

  /** Returns what is wrong, a line each; none if nothing is. */
  List<String> faults() throws IOException, InterruptedException {
    return run(List.of("--leftover-age", Long.toString(LEFTOVER_AGE.toSeconds())));
  }

  /** As {@link #faults}, but for what is left over, of which time may not tell yet. */
  List<String> faultsButLeftovers() throws IOException, InterruptedException {
    return run(List.of());
  }

  private List<String> run(List<String> options) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(command);
    all.addAll(options);
    Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList();
    return process.waitFor() == 0 ? List.of() : lines;
  }
}
