// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A target and options for it, of every family that is allowed. */
final class GeneratedOptions {
  private static final List<String> TARGETS =
      List.of("gfx90a", "gfx90a", "gfx1030", "gfx90a:xnack+", "gfx906");
  private static final List<String> LEVELS = List.of("-O3", "-O2", "-O1", "-Os", "-O", "-O0");
  private static final List<String> STANDARDS =
      List.of("-std=c++17", "-std=c++11", "-std=c++14", "-std=gnu++17", "-std=c++20");
  private static final String[] OTHERS = {
    "-ffast-math", "-fno-exceptions", "-ffp-contract=off",
    "-fno-unroll-loops", "-fgpu-flush-denormals-to-zero", "-fno-strict-aliasing",
    "-funsigned-char", "-munsafe-fp-atomics", "-mno-unsafe-fp-atomics",
    "-mcode-object-version=4", "-Wall", "-Wextra",
    "-Wno-everything", "-Wshadow", "-DN=3",
    "-DTWICE(x)=x+x", "-DTEXT=\"two words\"", "-DFLAG",
    "-D__DATE__=\"then\"", "-DNAMED=<a.h>", "-DNAMED=\"sub/b.h\"",
    "-UFLAG", "-UNDEBUG", "-DNDEBUG",
  };
  private static final List<String> DEBUGGING = List.of("-g", "-gline-tables-only", "-g1");

  private final List<String> arguments = new ArrayList<>();
  private final String target;
  private final boolean showNames;

  GeneratedOptions(Random random) {
    target = TARGETS.get(random.nextInt(TARGETS.size()));
    arguments.add(LEVELS.get(Math.min(random.nextInt(9), random.nextInt(LEVELS.size()))));
    arguments.add(STANDARDS.get(random.nextInt(STANDARDS.size())));
    for (int i = random.nextInt(5); i > 0; i--) {
      arguments.add(OTHERS[random.nextInt(OTHERS.length)]);
    }
    showNames = random.nextInt(6) == 0;
    if (showNames) {
      arguments.add(DEBUGGING.get(random.nextInt(DEBUGGING.size())));
    }
  }

  List<String> arguments() {
    return arguments;
  }

  String target() {
    return target;
  }

  /** Returns whether {@code __DATE__} is defined as something else. */
  boolean fixDate() {
    return arguments.stream().anyMatch(argument -> argument.startsWith("-D__DATE__="));
  }

  /** Returns whether names of files show in what the compiler makes. */
  boolean showNames() {
    return showNames;
  }
}
