// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A source with every file that it may include and every name that was followed. {@code undeclared}
 * says why it cannot be compiled until a header is declared.
 */
public record IncludeClosure(
    SourcePath main,
    List<Root> roots,
    Map<SourcePath, File> files,
    List<Lookup> lookups,
    @Nullable SourceProblem undeclared,
    boolean hasKernel) {

  /** Returns the closure of a file that includes nothing, as the snapshot has it. */
  public static IncludeClosure of(
      SourceSnapshot snapshot, SourcePath main, String display, boolean hasKernel) {
    byte[] content = Objects.requireNonNull(snapshot.read(main, display));
    File file = new File(main, content, display, 0, display, 0);
    return new IncludeClosure(main, List.of(), Map.of(main, file), List.of(), null, hasKernel);
  }

  /** A declared directory; staged as {@code name}, unless it lies in another one. */
  public record Root(SourcePath directory, String display, String name) {}

  /** A file of the closure, how many includes lead to it, and where it was first named. */
  @SuppressWarnings("ArrayRecordComponent") // a closure has one of each path, so no two are alike
  record File(
      SourcePath path, byte[] content, String display, int depth, String includer, int line) {}

  /** A name that was looked up, and where it stands. */
  record Lookup(SourcePath.Walk walk, boolean found, String display, int line) {}
}
