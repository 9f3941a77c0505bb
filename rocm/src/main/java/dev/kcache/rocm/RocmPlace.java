// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A place where ROCm is looked for. Each answer is that of the moment. */
public sealed interface RocmPlace permits RootPlace, SearchPathPlace {
  /** The {@link #problem} of a place that is not there. */
  String MISSING = "does not exist";

  /** {@return the variable that leads there; empty if the place is a usual one} */
  String origin();

  /** {@return the directory that is looked at} */
  Path path();

  /** {@return the ROCms that are there, in order of preference} */
  List<RocmRoot> roots();

  /** {@return why nothing is there or no compiler is taken from it, and what to do} */
  Optional<String> problem();

  /**
   * {@return the first driver of some kinds, {@code hipcc} and {@code amdclang++}, that is here}
   *
   * @param kinds of {@link RocmFinder#DRIVERS}, the preferred one first
   */
  Optional<RocmProgram> driver(List<String> kinds);

  /**
   * {@return a program that lies here}
   *
   * @param name the name of its file
   */
  Optional<RocmProgram> program(String name);

  /** {@return the place as it stands in a message} */
  default String describe() {
    return origin().isEmpty() ? path().toString() : path() + " (" + origin() + ")";
  }
}
