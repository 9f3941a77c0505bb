// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.executor;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.CompilerFiles;
import dev.kcache.toolchain.probe.LinuxPath;
import dev.kcache.toolchain.probe.ProbeQuestions;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.ProbeResults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of an executor's machines, as far as they were looked at. All of them have the same
 * image, so a look is a question about the compiler like any other, and its answer is remembered.
 *
 * <p>Safe for use by any number of threads.
 */
final class RemoteFiles implements CompilerFiles<LinuxPath> {
  /**
   * A line for what each path is, one for its real path, and then what sha256sum prints of the
   * files: two programs for all, since a farm's machine may be busy.
   */
  private static final String LOOK =
      """
      for f do
        if [ -f "$f" ]; then echo file; elif [ -d "$f" ]; then echo directory; else echo none; fi
      done
      readlink -m -- "$@" || exit
      n=$#
      for f do
        [ -f "$f" ] && set -- "$@" "$f"
      done
      shift "$n"
      [ $# -eq 0 ] || sha256sum -- "$@"
      exit 0
      """;

  private static final Pattern SUM = Pattern.compile("([0-9a-f]{64})  (/.*)");

  /** The words of a remembered answer: a path, what it is, its real path, and a file's digest. */
  private static final int WORDS = 4;

  private static final String NONE = "none";

  /** Of a library of a hundred megabytes, a slow disk reads some in a second. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final String FILE = "file";
  private static final String DIRECTORY = "directory";

  /** What is at a path: a word of the script, the real path, and the content. */
  private record Found(String kind, LinuxPath real, Optional<Digest> digest) {}

  private final RemoteMachine machine;
  private final ProbeResults results;
  private final ProbeQuestions questions;
  private final Map<LinuxPath, Found> known = new ConcurrentHashMap<>();

  RemoteFiles(RemoteMachine machine, ProbeResults results, ProbeQuestions questions) {
    this.machine = machine;
    this.results = results;
    this.questions = questions;
  }

  /**
   * Looks at paths, and at what {@link #normalise} and {@link #canonical} have to know of them.
   *
   * @throws ToolchainNotFoundException if there is no answer
   */
  void look(Collection<LinuxPath> paths) {
    if (!unknown(paths).isEmpty()) {
      lookOnce(paths);
    }
  }

  /** Many compiles read the same headers: those that begin together wait for the first one's. */
  private synchronized void lookOnce(Collection<LinuxPath> paths) {
    List<String> asked = List.copyOf(unknown(paths));
    if (!asked.isEmpty()) {
      ProbeResult answer =
          results.get(
              questions.of("files", asked), given -> isAnswer(asked, given), () -> ask(asked));
      answer.lines().forEach(line -> known.put(LinuxPath.of(line.get(0)), found(line)));
    }
  }

  private Set<String> unknown(Collection<LinuxPath> paths) {
    Set<String> unknown = new TreeSet<>();
    for (LinuxPath path : paths) {
      LinuxPath normal = path.normalize();
      LinuxPath parent = normal.parent();
      for (LinuxPath each :
          parent == null ? List.of(path, normal) : List.of(path, normal, parent)) {
        if (!known.containsKey(each) && each.toString().indexOf('\n') < 0) {
          unknown.add(each.toString());
        }
      }
    }
    return unknown;
  }

  private ProbeResult ask(List<String> paths) {
    List<String> program = new ArrayList<>(List.of("/bin/sh", "-c", LOOK, "kcache"));
    program.addAll(paths);
    RemoteMachine.Run run = machine.ask(program, List.of(), List.of(), LIMIT);
    List<String> printed = run.result().output().lines().toList();
    int count = paths.size();
    Map<String, String> sums = new HashMap<>();
    printed.stream()
        .skip(2L * count)
        .map(SUM::matcher)
        .filter(Matcher::matches)
        .forEach(sum -> sums.put(sum.group(2), sum.group(1)));
    List<List<String>> lines = new ArrayList<>();
    for (int i = 0; 2 * count <= printed.size() && i < count; i++) {
      String path = paths.get(i);
      String sum = sums.getOrDefault(path, NONE);
      lines.add(List.of(path, printed.get(i), printed.get(count + i), sum));
    }
    ProbeResult answer = new ProbeResult(lines, Map.of(), true);
    if (!isAnswer(paths, answer)) {
      throw new ToolchainNotFoundException(
          machine.describe()
              + " does not tell of its files; has it sh, readlink and sha256sum? "
              + run.result().firstWords());
    }
    return answer;
  }

  private static boolean isAnswer(List<String> asked, ProbeResult given) {
    try {
      return given.lines().stream().allMatch(line -> line.size() == WORDS && isSound(found(line)))
          && given.lines().stream().map(line -> line.get(0)).toList().equals(asked);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isSound(Found found) {
    return found.digest().isEmpty() || found.kind().equals(FILE);
  }

  private static Found found(List<String> line) {
    String digest = line.get(3);
    return new Found(
        line.get(1),
        LinuxPath.of(line.get(2)),
        digest.equals(NONE) ? Optional.empty() : Optional.of(Digest.parse(digest)));
  }

  private Optional<Found> at(LinuxPath path) {
    look(List.of(path));
    return Optional.ofNullable(known.get(path));
  }

  private boolean exists(LinuxPath path) {
    return at(path).filter(found -> !found.kind().equals(NONE)).isPresent();
  }

  /** Returns the path with its links followed; the path itself if it leads nowhere. */
  LinuxPath real(LinuxPath path) {
    return exists(path) ? at(path).map(Found::real).orElse(path) : path;
  }

  /** Returns the digest of a file's content; empty if it is no file or can't be read. */
  Optional<Digest> digest(LinuxPath path) {
    return at(path).flatMap(Found::digest);
  }

  @Override
  public LinuxPath path(String text) {
    return LinuxPath.of(text);
  }

  @Override
  public boolean isRegularFile(LinuxPath path) {
    return at(path).filter(found -> found.kind().equals(FILE)).isPresent();
  }

  @Override
  public LinuxPath normalise(LinuxPath path) {
    LinuxPath normal = path.normalize();
    return normal.equals(path) || !exists(path) || real(normal).equals(real(path)) ? normal : path;
  }

  @Override
  public LinuxPath canonical(LinuxPath path) {
    LinuxPath normal = normalise(path);
    LinuxPath parent = normal.parent();
    boolean directory = at(normal).filter(found -> found.kind().equals(DIRECTORY)).isPresent();
    return parent == null || directory ? real(normal) : real(parent).resolve(normal.name());
  }
}
