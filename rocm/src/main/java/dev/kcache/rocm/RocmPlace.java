// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A place where ROCm is looked for. Each answer is that of the moment. */
public sealed interface RocmPlace permits RootPlace, SearchPathPlace {
  /** The {@link #problem} of a place that is not there. */
  String MISSING = "does not exist";

  /** Returns the variable that leads there; empty if the place is a usual one. */
  String origin();

  /** Returns the directory that is looked at. */
  Path path();

  /** Returns the ROCms that are there, in order of preference. */
  List<RocmRoot> roots();

  /** Returns why nothing is there or no compiler is taken from it, and what to do. */
  Optional<String> problem();

  /** Returns the first driver of some kinds, {@code hipcc} and {@code amdclang++}, that is here. */
  Optional<RocmProgram> driver(List<String> kinds);

  /** Returns a program that lies here. */
  Optional<RocmProgram> program(String name);

  /** Returns the place as it stands in a message. */
  default String describe() {
    return origin().isEmpty() ? path().toString() : path() + " (" + origin() + ")";
  }
}
