// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.PrivateFiles;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.compile.CompileOutcome;
import dev.kcache.toolchain.compile.DriverQuery;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/*
 * Cargo only says what it would compile (--unit-graph). It compiles nothing, since its own way has
 * more in it than the key: absolute paths, the hash of a place, a linker that the distribution set,
 * sources of core with dependencies of their own. rustc is run for each crate as for a single file.
 *
 * Cargo runs in the root directory, with a home of its own: a configuration beside the temporary
 * directory could name programs to run.
 */

/** Finds the commands that compile a staged crate with the crates that it depends on. */
final class CrateCompilation {
  /** The directory of the compiled dependencies. */
  private static final String MADE = "../crates";

  private static final String HOME = "../cargo";

  /** Of the variables that cargo sets, what does not depend on the place. */
  static final Set<String> VARIABLES =
      Set.of("CARGO_PKG_NAME", "CARGO_PKG_VERSION", "CARGO_CRATE_NAME");

  private static final String UNSTABLE = "-Z` flag is only accepted on the nightly";
  private static final Pattern OUTDATED =
      Pattern.compile("--locked was passed|no matching package named");
  private static final String NO_LIBRARY = "no library targets found";

  private final Toolchain.Job job;
  private final DriverQuery query;
  private final RustDialect dialect;
  private final Staging staging;

  /** Prepares; runs nothing. */
  CrateCompilation(Toolchain.Job job, DriverQuery query, RustDialect dialect, Staging staging) {
    this.job = job;
    this.query = query;
    this.dialect = dialect;
    this.staging = staging;
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
   * @throws ToolchainNotFoundException if there is no cargo
   */
  List<List<String>> commands() throws IOException, InterruptedException {
    UnitGraphParser.Graph graph = graph();
    if (graph.roots().size() != 1) {
      throw refused("it is a workspace; name the folder of one of its crates");
    }
    for (CrateUnit unit : graph.units()) {
      check(unit);
    }
    PrivateFiles.createDirectories(staging.resolve(MADE));
    Set<Integer> order = new LinkedHashSet<>();
    int root = graph.roots().get(0);
    visit(graph.units(), root, order);
    List<List<String>> commands = new ArrayList<>();
    for (int number : order) {
      CrateUnit unit = graph.units().get(number);
      List<String> words =
          number == root
              ? dialect.root(job, unit.target().edition())
              : dialect.library(job, unit.target().edition());
      words.addAll(words(graph.units(), unit));
      words.add(
          number == root
              ? "--emit=link=" + RustDialect.ARCHIVE + ",dep-info=" + OutputNames.DEPENDENCIES
              : "--emit=link=" + made(number, unit) + ",dep-info=" + list(commands.size()));
      words.add(staging.work().relativize(Path.of(unit.target().source())).toString());
      commands.add(words);
    }
    return commands;
  }

  private static void visit(List<CrateUnit> units, int number, Set<Integer> order) {
    for (CrateUnit.Dependency dependency : units.get(number).dependencies()) {
      if (!order.contains(dependency.unit())) {
        visit(units, dependency.unit(), order);
      }
    }
    order.add(number);
  }

  private void check(CrateUnit unit) {
    if (unit.runsCode()) {
      throw refused(
          "crate "
              + unit.display()
              + " has a build script or a procedural macro, which would run its code on this"
              + " machine; do without it"
              + (unit.target().is("custom-build") ? " (build = false)" : ""));
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
      words.add("--extern=" + dependency.name() + "=" + made(dependency.unit(), used));
    }
    words.addAll(List.of("-Ldependency=" + MADE, "-Ldependency=" + CoreLibrary.PLACE));
    words.add("-Zunstable-options");
    words.add("--env-set=CARGO_PKG_NAME=" + unit.packageName());
    words.add("--env-set=CARGO_PKG_VERSION=" + unit.version());
    words.add("--env-set=CARGO_CRATE_NAME=" + unit.crateName());
    return words;
  }

  private static String made(int number, CrateUnit unit) {
    return MADE + "/lib" + unit.crateName() + "-" + number + ".rlib";
  }

  private UnitGraphParser.Graph graph() throws IOException, InterruptedException {
    Path home = staging.resolve(HOME);
    PrivateFiles.createDirectories(home);
    if (!job.source().includeDirectories().isEmpty()) {
      Files.writeString(
          home.resolve("config.toml"),
          "[source.crates-io]\nreplace-with = 'staged'\n[source.staged]\ndirectory = '"
              + staging.work().resolve(job.source().includeDirectories().get(0))
              + "'\n",
          UTF_8);
    }
    ProgramResult result = query.compile(List.of(cargo(home)), staging, limit());
    if (!result.succeeded()) {
      throw failed(result);
    }
    try {
      return UnitGraphParser.parse(result.output());
    } catch (IOException e) {
      throw new ToolchainNotFoundException(
          dialect.cargo()
              + ": what it would compile cannot be read ("
              + e.getMessage()
              + "); use a rustc with a cargo of another release");
    }
  }

  private Duration limit() {
    return query.time().compareTo(job.timeout()) < 0 ? query.time() : job.timeout();
  }

  private List<String> cargo(Path home) {
    List<String> words = new ArrayList<>(List.of("/usr/bin/env"));
    words.add("CARGO_HOME=" + home);
    words.add("RUSTC=" + dialect.rustc());
    words.addAll(List.of("RUSTC_WRAPPER=", "RUSTC_WORKSPACE_WRAPPER=", "CARGO_TERM_COLOR=never"));
    words.add("CARGO_ENCODED_RUSTFLAGS=-Ctarget-cpu=" + job.target().processor());
    words.addAll(List.of(dialect.cargo().toString(), "-Zunstable-options", "-C", "/"));
    words.addAll(List.of("build", "--lib", "--release", "--offline", "--locked", "--unit-graph"));
    words.add("--target=" + RustDialect.TRIPLE);
    words.add("--manifest-path=" + staging.work().resolve(job.source().mainFile()));
    return words;
  }

  private CompilationException failed(ProgramResult result) {
    String said = result.errors();
    Optional<String> known = Optional.empty();
    if (said.contains(UNSTABLE)) {
      throw new ToolchainNotFoundException(
          dialect.cargo()
              + " is a stable one, and a kernel needs what is not stable; use a nightly toolchain,"
              + " or set RUSTC_BOOTSTRAP=1");
    } else if (OUTDATED.matcher(said).find()) {
      known =
          Optional.of(
              "Cargo.lock lacks something that Cargo.toml asks for; run 'cargo fetch' in the"
                  + " crate's folder");
    } else if (said.contains(NO_LIBRARY)) {
      known = Optional.of("it has no library; a kernel's crate has a src/lib.rs");
    } else if (result.end() == ProgramResult.End.EXITED) {
      known = Optional.of("cargo: " + complaint(said));
    }
    CompileOutcome outcomes = new CompileOutcome(job, List.of(dialect.cargo().toString()));
    return outcomes.failure(
        result, here(said), outcomes.reason(staging, result, here(said), known));
  }

  /** Returns the first error with the innermost cause, in one line. */
  private String complaint(String said) {
    List<String> lines =
        here(said).lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    String first =
        lines.stream()
            .filter(line -> line.startsWith("error: "))
            .findFirst()
            .orElse("error: it failed");
    int cause = lines.lastIndexOf("Caused by:");
    String inner = cause < 0 || cause + 1 >= lines.size() ? "" : ": " + lines.get(cause + 1);
    return first.substring("error: ".length()) + inner;
  }

  private String here(String said) {
    String text = said.replace("path+file://" + staging.work() + "/", "");
    text = text.replace(staging.work() + "/", "");
    for (var name : job.source().displayNames().entrySet()) {
      text = text.replace("`" + name.getKey() + "`", "`" + name.getValue() + "`");
    }
    return text;
  }

  private CompilationException refused(String problem) {
    return new CompilationException(
        job.source().name(), problem, List.of(dialect.cargo().toString()), -1, "");
  }
}
