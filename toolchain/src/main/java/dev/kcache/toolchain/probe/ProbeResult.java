// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The answer of a toolchain's program, with the stamps of the files that it depends on.
 *
 * @param lines the answer, each line a list of words
 * @param watched the stamp of each file or directory whose change invalidates the answer
 * @param settled whether the stamps would show a change; if not, the answer is used once and not
 *     stored
 */
public record ProbeResult(List<List<String>> lines, Map<String, String> watched, boolean settled) {
  public ProbeResult {
    List<List<String>> copies = new ArrayList<>();
    for (List<String> line : lines) {
      copies.add(List.copyOf(line));
    }
    lines = List.copyOf(copies);
    watched = Map.copyOf(watched);
  }

  /**
   * Returns an answer that depends on these files as they are now.
   *
   * @param asked when the program was started
   */
  public static ProbeResult dependingOn(Set<Path> files, List<List<String>> lines, Instant asked) {
    Map<String, String> watched = new TreeMap<>();
    boolean settled = true;
    for (Path file : files) {
      FileStamp stamp = FileStamp.of(file);
      watched.put(file.toString(), stamp.text());
      settled &= stamp.isSettled(asked);
    }
    return new ProbeResult(lines, watched, settled);
  }

  /**
   * Returns whether every watched file is unchanged now. Not shared with the method below: the
   * lambda that it would take costs a hit 3 ms.
   */
  public boolean holds() {
    for (Map.Entry<String, String> file : watched.entrySet()) {
      if (!FileStamp.of(file.getKey()).text().equals(file.getValue())) {
        return false;
      }
    }
    return settled;
  }

  /** Returns whether every watched file was unchanged in a round. */
  public boolean holds(FileStamps.Round round) {
    for (Map.Entry<String, String> file : watched.entrySet()) {
      if (!round.of(file.getKey()).text().equals(file.getValue())) {
        return false;
      }
    }
    return settled;
  }
}
