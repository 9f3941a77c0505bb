// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The program of {@code gpu.c}, which describes its figures.
 *
 * @param program its file
 * @param library the driver's library, the one that kcache uses
 * @param image the file of a code object with the empty kernels
 */
record CProgram(Path program, String library, Path image) {
  /** Returns a side of an {@link Alternation}: the program's figures for one measurement. */
  Alternation.Side side(String measurement, long size, int runs) {
    return () -> run(measurement, size, runs).figures();
  }

  /** Runs it once to measure a first launch. */
  Child first() {
    return run("first", 1, 1);
  }

  private Child run(String measurement, long size, int runs) {
    List<String> command = new ArrayList<>();
    command.add(program.toAbsolutePath().toString());
    command.addAll(List.of(library, measurement, Long.toString(size), Integer.toString(runs)));
    command.add(image.toString());
    return Child.run(command, Map.of());
  }
}
