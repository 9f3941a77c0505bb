// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.standin;

import java.util.ArrayList;
import java.util.List;

/** Options as the cache hands them to a toolchain: one level and one standard first. */
public final class Options {
  public static final List<String> DEFAULT = of();

  private Options() {}

  public static List<String> of(String... given) {
    String level = "-O3";
    String standard = "-std=c++17";
    List<String> others = new ArrayList<>();
    for (String option : given) {
      if (option.startsWith("-O")) {
        level = option;
      } else if (option.startsWith("-std=")) {
        standard = option;
      } else {
        others.add(option);
      }
    }
    others.addAll(0, List.of(level, standard));
    return List.copyOf(others);
  }
}
