// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.compile.CompileOutcome;
import dev.kcache.toolchain.compile.CompilerLog;
import dev.kcache.toolchain.compile.DriverQuery;
import dev.kcache.toolchain.language.SourceLanguage;
import dev.kcache.toolchain.probe.MakeRule;
import dev.kcache.toolchain.probe.ToolchainPaths;
import dev.kcache.toolchain.process.BoundedFile;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** One compile of a source in Rust, and the checks of its result. */
final class RustCompilation {
  /** The oldest code object version that is kept: older ones fix every feature of their target. */
  private static final String ADVICE =
      "declare each as #[no_mangle] pub unsafe extern \"gpu-kernel\" fn";

  /** What the linker calls the source. */
  private static final String MEMBER = Pattern.quote(RustDialect.ARCHIVE) + "(\\([^)\\n]*\\))?";

  private static final int MOST_LIST_BYTES = 8 << 20;
  private static final int MOST_MODULE_BYTES = 256 << 20;
  private static final String NO_CRATE = "error[E0463]: can't find crate for `";

  /** A variable of the environment that the source asked for and that was set. */
  private static final Pattern VARIABLE = Pattern.compile("^# env-dep:(\\w+)=", Pattern.MULTILINE);

  /** What rustc says of the features of a target ID, which its back end knows. */
  private static final Pattern KNOWN_FEATURE =
      Pattern.compile(
          "^warning: unknown and unstable feature specified for `-Ctarget-feature`: `\\w+`\\R"
              + "(?: .*\\R)*(?:\\R|\\z)",
          Pattern.MULTILINE);

  private static final Pattern COUNT = Pattern.compile("\\Awarning: \\d+ warnings? emitted\\s*\\z");

  private final Toolchain.Job job;
  private final DriverQuery query;
  private final RustDialect dialect;
  private final Optional<CoreLibrary> library;
  private final Supplier<Digest> identity;
  private Optional<CrateCompilation> crate = Optional.empty();

  /**
   * Prepares the compile; runs nothing.
   *
   * @param library compiles {@code core}, if its sources are there
   * @param identity returns that of rustc for the target
   */
  RustCompilation(
      Toolchain.Job job,
      DriverQuery query,
      RustDialect dialect,
      Optional<CoreLibrary> library,
      Supplier<Digest> identity) {
    this.job = job;
    this.query = query;
    this.dialect = dialect;
    this.library = library;
    this.identity = identity;
  }

  /**
   * Compiles and checks.
   *
   * @throws CompilationException if there is no code object that may be kept
   * @throws ToolchainNotFoundException if the source needs {@code core}, which is not there
   */
  Toolchain.Output run() throws IOException, InterruptedException {
    long start = System.nanoTime();
    try (Staging staging = query.stage()) {
      for (Toolchain.SourceFile file : job.source().files()) {
        staging.put(file);
      }
      crate =
          CrateCompilation.isFor(job)
              ? Optional.of(new CrateCompilation(job, query, dialect, staging))
              : Optional.empty();
      List<List<String>> plain =
          crate.isPresent() ? crate.get().commands() : List.of(dialect.command(job));
      if (library.isPresent() && takesCore()) {
        return withCore(staging, plain, library.get(), start);
      }
      ProgramResult outcome = compile(staging, plain, start);
      if (lacks(outcome, "core")) {
        if (library.isEmpty()) {
          throw new ToolchainNotFoundException(noCore());
        }
        return withCore(staging, plain, library.get(), start);
      }
      return output(staging, plain, outcome, List.of());
    }
  }

  /** Any other source is compiled without core first: it may want std, which is not there. */
  private boolean takesCore() {
    return RustDialect.mentions(job, "no_std") && !RustDialect.mentions(job, "no_core");
  }

  private Toolchain.Output withCore(
      Staging staging, List<List<String>> plain, CoreLibrary core, long start)
      throws IOException, InterruptedException {
    List<Toolchain.File> sources =
        core.provide(staging, job.target(), identity.get(), query::stage, this::buildCore);
    List<List<String>> commands = new ArrayList<>();
    for (List<String> command : plain) {
      List<String> words = new ArrayList<>(command);
      words.addAll(CoreLibrary.externs());
      commands.add(words);
    }
    return output(staging, commands, compile(staging, commands, start), sources);
  }

  private void buildCore(Staging staging) throws IOException, InterruptedException {
    List<List<String>> commands = library.orElseThrow().building(dialect.rustc(), job.target());
    CompileOutcome outcomes = new CompileOutcome(job, dialect.shown(commands.get(0)));
    ProgramResult outcome = query.compile(commands, staging, job.timeout());
    if (!outcome.succeeded()) {
      String reason = outcomes.reason(staging, outcome, outcome.log(), Optional.empty());
      throw outcomes.failure(
          outcome,
          outcome.log(),
          "Rust's core could not be compiled for " + job.target() + ": " + reason);
    }
  }

  private ProgramResult compile(Staging staging, List<List<String>> commands, long start)
      throws InterruptedException {
    Duration left = job.timeout().minusNanos(System.nanoTime() - start);
    List<List<String>> all = new ArrayList<>(commands);
    all.add(dialect.linking());
    return query.compile(all, staging, left);
  }

  private static boolean lacks(ProgramResult outcome, String crate) {
    return !outcome.succeeded() && outcome.errors().contains(NO_CRATE + crate + "`");
  }

  private String noCore() {
    return job.source().name()
        + ": it needs Rust's core, of which "
        + dialect.rustc()
        + " has neither sources nor a compiled form for "
        + RustDialect.TRIPLE
        + "; install them (rustup component add rust-src, or Debian: apt install rust-src), or"
        + " write the kernel with #![no_core]";
  }

  private Toolchain.Output output(
      Staging staging,
      List<List<String>> commands,
      ProgramResult outcome,
      List<Toolchain.File> sources)
      throws IOException {
    String place = staging.work().getParent() + "";
    List<String> shown =
        dialect.shown(commands.get(commands.size() - 1)).stream()
            .map(word -> word.replace(place, ".."))
            .toList();
    CompileOutcome outcomes = new CompileOutcome(job, shown);
    String display =
        job.source().displayNames().getOrDefault(job.source().mainFile(), job.source().name());
    String log =
        CompilerLog.of(
                withoutKnownFeatures(outcome.log()), job, List.of(), staging.temporary().toString())
            .replaceAll(MEMBER, Matcher.quoteReplacement(display));
    if (!outcome.succeeded()) {
      throw outcomes.failure(
          outcome, log, outcomes.reason(staging, outcome, log, problem(outcome)));
    }
    for (int i = 0; i < commands.size(); i++) {
      boolean last = i + 1 == commands.size();
      String list = last ? OutputNames.DEPENDENCIES : CrateCompilation.list(i);
      Optional<String> problem = undeclared(staging, list);
      if (problem.isPresent()) {
        throw outcomes.failure(outcome, log, problem.get());
      }
    }
    Optional<String> reading = readingAssembler(staging);
    if (reading.isPresent()) {
      throw outcomes.failure(outcome, log, reading.get());
    }
    CodeObject code = outcomes.codeObject(staging, outcome, log, "");
    SourceLanguage.unusable(code, ADVICE)
        .ifPresent(
            problem -> {
              throw outcomes.failure(outcome, log, problem);
            });
    return new Toolchain.Output(code, shown, log, outcome.elapsed(), sources);
  }

  private static String withoutKnownFeatures(String log) {
    return COUNT.matcher(KNOWN_FEATURE.matcher(log).replaceAll("")).replaceAll("");
  }

  private static Optional<String> problem(ProgramResult outcome) {
    return lacks(outcome, "std")
        ? Optional.of("a kernel has no std; begin the source with #![no_std]")
        : Optional.empty();
  }

  /** Returns why what rustc read is more than the key has. */
  private Optional<String> undeclared(Staging staging, String made) throws IOException {
    Path rules = staging.resolve(made);
    String list =
        Files.exists(rules) ? new String(BoundedFile.read(rules, MOST_LIST_BYTES), UTF_8) : "";
    List<String> read = MakeRule.prerequisites(list);
    if (read.isEmpty()) {
      return Optional.of(
          "the compiler did not list the files it read, so the result can't be kept");
    }
    Matcher variable = VARIABLE.matcher(list);
    while (variable.find()) {
      String name = variable.group(1);
      if (crate.filter(known -> known.sets(name)).isPresent()) {
        continue;
      }
      return Optional.of(
          place(name)
              + "the source asks for the variable "
              + name
              + " of the environment, which is no part of it; write the value into the source, or"
              + " give it by -DNAME=VALUE as a cfg");
    }
    Set<Path> staged =
        job.source().files().stream()
            .map(file -> staging.work().resolve(file.path()).normalize())
            .collect(Collectors.toSet());
    for (String name : read) {
      Path file = ToolchainPaths.normalise(staging.work().resolve(name));
      if (!staged.contains(file) && crate.filter(known -> known.isGenerated(file)).isEmpty()) {
        return Optional.of(
            place(name.substring(name.lastIndexOf('/') + 1))
                + "the compile read "
                + name
                + ", which is no part of the source; put it beside the source and name it by a"
                + " relative path");
      }
    }
    return Optional.empty();
  }

  /**
   * Returns why inline assembly may have read what the key has not. The module has that of every
   * crate, with all macros expanded. Until 1.97, rustc refuses any for the target.
   */
  private Optional<String> readingAssembler(Staging staging) throws IOException {
    if (!RustDialect.mentions(job, RustDialect.ASSEMBLY)) {
      return Optional.empty();
    }
    Path module = staging.resolve(RustDialect.MODULE);
    if (!Files.exists(module)) {
      return Optional.of(
          "the compiler did not print its module, whose inline assembly may read files, so the"
              + " result can't be kept");
    }
    String printed = new String(BoundedFile.read(module, MOST_MODULE_BYTES), UTF_8);
    return SourceLanguage.readingAssembler(printed)
        .map(
            found ->
                "inline assembly "
                    + found
                    + ", and so may read files; take the data in with include_bytes!");
  }

  /** Returns the first line that has a word, as the beginning of a message; empty if none has. */
  private String place(String word) {
    for (Toolchain.SourceFile file : job.source().files()) {
      List<String> lines = text(file).lines().toList();
      for (int i = 0; i < lines.size(); i++) {
        if (lines.get(i).contains(word)) {
          return job.source().displayNames().getOrDefault(file.path(), job.source().name())
              + ":"
              + (i + 1)
              + ": ";
        }
      }
    }
    return "";
  }

  private static String text(Toolchain.SourceFile file) {
    return ISO_8859_1.decode(file.content().duplicate()).toString();
  }
}
