// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CrateOptions;
import dev.kcache.toolchain.InvalidCrateException;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.PrivateFiles;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.compile.DriverQuery;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/*
 * Cargo only says what it would compile (--unit-graph). It compiles nothing, since its own way has
 * more in it than the key: absolute paths, the hash of a place, a linker that the distribution set,
 * sources of core with dependencies of their own. rustc is run for each crate as for a single file.
 *
 * What a crate runs on this machine, if it may, cargo compiles and runs itself. rustc is then given
 * what came of it.
 */

/** Finds the commands that compile a staged crate with the crates that it depends on. */
final class CrateCompilation {
  /** The directory of the compiled dependencies. */
  private static final String MADE = "../crates";

  /** Of the variables that cargo sets, what does not depend on the place. */
  private static final Set<String> VARIABLES =
      Set.of("CARGO_PKG_NAME", "CARGO_PKG_VERSION", "CARGO_CRATE_NAME");

  /** By this a build script and its crate know where it writes. */
  private static final String OUTPUTS = "OUT_DIR";

  private final Toolchain.Job job;
  private final RustDialect dialect;
  private final Staging staging;
  private final Cargo cargo;
  private final Set<String> variables = new HashSet<>(VARIABLES);
  private HostOutputs host = HostOutputs.NONE;

  /** Prepares; runs nothing. */
  CrateCompilation(Toolchain.Job job, DriverQuery query, RustDialect dialect, Staging staging) {
    this.job = job;
    this.dialect = dialect;
    this.staging = staging;
    this.cargo = new Cargo(job, query, dialect, staging);
  }

  /** Returns whether a job's source is a crate. */
  static boolean isFor(Toolchain.Job job) {
    String main = job.source().mainFile();
    return main.substring(main.lastIndexOf('/') + 1).equals(Language.CRATE);
  }

  /** Returns where the n-th command lists what it read; the last one does it as for a file. */
  static String list(int number) {
    return MADE + "/" + number + ".d";
  }

  /**
   * Returns the commands, a crate's after those of the crates that it uses.
   *
   * @throws CompilationException if cargo refuses the crate, or it may not be compiled
   * @throws ToolchainNotFoundException if there is no cargo, or it can't run what the crate runs
   */
  List<List<String>> commands() throws IOException, InterruptedException {
    UnitGraphParser.Graph graph = cargo.graph();
    if (graph.roots().size() != 1) {
      throw refused("it is a workspace; name the folder of one of its crates");
    }
    for (CrateUnit unit : graph.units()) {
      check(unit);
    }
    if (graph.units().stream().anyMatch(CrateUnit::runsCode)) {
      host = cargo.runHostCode();
    }
    PrivateFiles.createDirectories(staging.resolve(MADE));
    Set<Integer> order = new LinkedHashSet<>();
    int root = graph.roots().get(0);
    visit(graph.units(), root, order);
    List<List<String>> commands = new ArrayList<>();
    for (int number : order) {
      CrateUnit unit = graph.units().get(number);
      List<String> words = new ArrayList<>(environment(graph.units(), unit));
      words.addAll(
          number == root
              ? dialect.root(job, unit.target().edition())
              : dialect.library(job, unit.target().edition()));
      words.addAll(words(graph.units(), unit));
      words.add(
          number == root
              ? RustDialect.emitting(job)
              : "--emit=link=" + made(number, unit) + ",dep-info=" + list(commands.size()));
      words.add(staging.work().relativize(Path.of(unit.target().source())).toString());
      commands.add(words);
    }
    return commands;
  }

  private static void visit(List<CrateUnit> units, int number, Set<Integer> order) {
    for (CrateUnit.Dependency dependency : units.get(number).dependencies()) {
      if (!order.contains(dependency.unit()) && !units.get(dependency.unit()).runsCode()) {
        visit(units, dependency.unit(), order);
      }
    }
    order.add(number);
  }

  private void check(CrateUnit unit) {
    if (unit.runsCode() && !job.options().contains(CrateOptions.BUILD_SCRIPTS)) {
      throw refused(
          "crate "
              + unit.display()
              + " has a build script or a procedural macro, which would run its code on this"
              + " machine; do without it"
              + (unit.target().is(CrateUnit.SCRIPT) ? " (build = false)" : "")
              + ", or allow it by "
              + CrateOptions.BUILD_SCRIPTS);
    }
    if (!Path.of(unit.target().source()).normalize().startsWith(staging.work())) {
      throw refused(
          "cargo would compile " + unit.target().source() + ", which is no part of the crate");
    }
  }

  private List<String> words(List<CrateUnit> units, CrateUnit unit) {
    List<String> words = new ArrayList<>();
    words.add("--crate-name=" + unit.crateName());
    words.add("-Cmetadata=" + unit.packageName() + "-" + unit.version());
    unit.features().forEach(feature -> words.add("--cfg=feature=\"" + feature + '"'));
    if (unit.checks().debugAssertions()) {
      words.add("-Cdebug-assertions=on");
    }
    if (unit.checks().overflow()) {
      words.add("-Coverflow-checks=on");
    }
    for (CrateUnit.Dependency dependency : unit.dependencies()) {
      CrateUnit used = units.get(dependency.unit());
      if (used.target().is(CrateUnit.SCRIPT)) {
        words.addAll(ofScript(used));
      } else if (used.target().is(CrateUnit.MACRO)) {
        words.add("--extern=" + dependency.name() + "=" + macro(used));
      } else {
        words.add("--extern=" + dependency.name() + "=" + made(dependency.unit(), used));
      }
    }
    if (host != HostOutputs.NONE) {
      words.add("-Ldependency=" + Cargo.TARGET + "/release/deps");
      // Files that a script has written have the place in their names.
      words.add("--remap-path-prefix=" + staging.work().getParent() + "=/crate");
    }
    words.addAll(List.of("-Ldependency=" + MADE, "-Ldependency=" + CoreLibrary.PLACE));
    words.add("-Zunstable-options");
    words.add("--env-set=CARGO_PKG_NAME=" + unit.packageName());
    words.add("--env-set=CARGO_PKG_VERSION=" + unit.version());
    words.add("--env-set=CARGO_CRATE_NAME=" + unit.crateName());
    return words;
  }

  /** Returns what a build script asked for, as words for rustc. */
  private List<String> ofScript(CrateUnit unit) {
    HostOutputs.Script script =
        host.script(unit).orElseThrow(() -> refused("cargo did not run its build script"));
    if (!script.libraries().isEmpty()) {
      throw refused(
          "the build script of crate "
              + unit.display()
              + " links "
              + String.join(", ", script.libraries())
              + ", a library of this machine, which no kernel can use");
    }
    List<String> words = new ArrayList<>();
    script.conditions().forEach(condition -> words.add("--cfg=" + condition));
    words.add("--env-set=" + OUTPUTS + "=" + script.directory());
    variables.add(OUTPUTS);
    script
        .variables()
        .forEach(
            (name, value) -> {
              words.add("--env-set=" + name + "=" + value);
              variables.add(name);
            });
    return words;
  }

  private Path macro(CrateUnit unit) {
    return staging
        .work()
        .relativize(
            Path.of(
                host.macro(unit)
                    .orElseThrow(() -> refused("cargo did not make crate " + unit.display()))));
  }

  /** Returns the words that set what procedural macros ask for while they run. */
  private static List<String> environment(List<CrateUnit> units, CrateUnit unit) {
    boolean hasMacros =
        unit.dependencies().stream()
            .anyMatch(dependency -> units.get(dependency.unit()).target().is(CrateUnit.MACRO));
    if (!hasMacros) {
      return List.of();
    }
    Path directory = Path.of(unit.target().source()).getParent();
    while (directory != null && !Files.exists(directory.resolve(Language.CRATE))) {
      directory = directory.getParent();
    }
    return List.of(
        "/usr/bin/env",
        "CARGO_MANIFEST_DIR=" + directory,
        "CARGO_PKG_NAME=" + unit.packageName(),
        "CARGO_PKG_VERSION=" + unit.version(),
        "CARGO_CRATE_NAME=" + unit.crateName());
  }

  /** Returns whether a variable may be read by {@code env!}. */
  boolean sets(String variable) {
    return variables.contains(variable);
  }

  /** Returns whether a file is one that a build script has written where it should. */
  boolean isGenerated(Path file) {
    return host != HostOutputs.NONE && file.startsWith(staging.resolve(Cargo.TARGET));
  }

  private static String made(int number, CrateUnit unit) {
    return MADE + "/lib" + unit.crateName() + "-" + number + ".rlib";
  }

  private CompilationException refused(String problem) {
    return new InvalidCrateException(
        job.source().name(), problem, List.of(dialect.cargo().toString()), -1, "");
  }
}
