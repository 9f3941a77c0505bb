// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import java.util.List;

/**
 * One crate as cargo would compile it.
 *
 * @param id cargo's name of its package
 * @param host whether it is to run on this machine
 * @param checks what its profile has
 * @param dependencies which units it uses
 */
record CrateUnit(
    String id,
    Target target,
    boolean host,
    Checks checks,
    List<String> features,
    List<Dependency> dependencies) {
  /** The kind of a build script. */
  static final String SCRIPT = "custom-build";

  /** The kind of a procedural macro. */
  static final String MACRO = "proc-macro";

  /** Copies the lists. */
  CrateUnit {
    features = List.copyOf(features);
    dependencies = List.copyOf(dependencies);
  }

  /**
   * What cargo makes of a package.
   *
   * @param kinds such as {@code lib}
   * @param source its main file, absolute
   */
  record Target(List<String> kinds, String name, String source, String edition) {
    /** Copies the list. */
    Target {
      kinds = List.copyOf(kinds);
    }

    /** Returns whether it is of a kind. */
    boolean is(String kind) {
      return kinds.contains(kind);
    }
  }

  /** What is checked when it runs. */
  record Checks(boolean debugAssertions, boolean overflow) {}

  /** Another unit, and what the source calls it. */
  record Dependency(int unit, String name) {}

  /** Returns the package's name and version as in {@code libm 0.2.8}. */
  String display() {
    return packageName() + " " + version();
  }

  String packageName() {
    String end = id.substring(id.lastIndexOf('#') + 1);
    String path = id.substring(0, Math.max(0, id.lastIndexOf('#')));
    return end.contains("@")
        ? end.substring(0, end.indexOf('@'))
        : path.substring(path.lastIndexOf('/') + 1);
  }

  String version() {
    String end = id.substring(id.lastIndexOf('#') + 1);
    return end.substring(end.indexOf('@') + 1);
  }

  /** Returns the crate's name as rustc wants it. */
  String crateName() {
    return target.name.replace('-', '_');
  }

  /** Returns whether to make it means to run code of it: a build script, a procedural macro. */
  boolean runsCode() {
    return host || target.is(SCRIPT) || target.is(MACRO);
  }
}
