// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilationTimeoutException;
import dev.kcache.toolchain.CrateOptions;
import dev.kcache.toolchain.InvalidCrateException;
import dev.kcache.toolchain.PrivateFiles;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.compile.CompileOutcome;
import dev.kcache.toolchain.compile.DriverQuery;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/*
 * Cargo runs in the root directory, with a home of its own: a configuration beside the temporary
 * directory could name programs to run. It is never given a network.
 */

/** Asks the cargo of a rustc about a staged crate, and has it run what the crate may run. */
final class Cargo {
  /** Where it leaves what it compiles for this machine. */
  static final String TARGET = "../target";

  private static final String HOME = "../cargo";

  private static final String UNSTABLE = "-Z` flag is only accepted on the nightly";
  private static final Pattern OUTDATED =
      Pattern.compile(
          "--locked was passed|no matching package named|failed to select a version for");
  private static final String NO_LIBRARY = "no library targets found";
  private static final String TOO_OLD = "unexpected argument '--compile-time-deps'";
  private static final Pattern NO_LINKER = Pattern.compile("linker `([^`]+)` not found");
  private static final Pattern ERROR = Pattern.compile("error(\\[E\\d+])?: ");
  private static final Pattern OF_SCRIPT =
      Pattern.compile(
          "--- stderr\\R\\s*(?:thread '[^']*'[^\\n]* panicked at [^\\n]*\\R)?\\s*(\\S.*)");

  /** A crate of {@code Cargo.lock} from git: where it lies, and what chooses the commit. */
  private static final Pattern GIT =
      Pattern.compile(
          "(?m)^source = \"(git\\+([^\"\\\\#?]+)(?:\\?(branch|tag|rev)=([^\"\\\\#]+))?)#\\p{XDigit}+\"");

  private static final Pattern VERSION_4 = Pattern.compile("(?m)^version = 4$");

  private final Toolchain.Job job;
  private final DriverQuery query;
  private final RustDialect dialect;
  private final Staging staging;

  /** Prepares; runs nothing. */
  Cargo(Toolchain.Job job, DriverQuery query, RustDialect dialect, Staging staging) {
    this.job = job;
    this.query = query;
    this.dialect = dialect;
    this.staging = staging;
  }

  /**
   * Returns what cargo would compile.
   *
   * @throws CompilationException if it refuses the crate
   * @throws ToolchainNotFoundException if there is no cargo
   */
  UnitGraphParser.Graph graph() throws IOException, InterruptedException {
    Path home = staging.resolve(HOME);
    PrivateFiles.createDirectories(home);
    if (!job.source().includeDirectories().isEmpty()) {
      Files.writeString(home.resolve("config.toml"), replacements(), UTF_8);
    }
    Duration limit = query.time().compareTo(job.timeout()) < 0 ? query.time() : job.timeout();
    ProgramResult result;
    try {
      result = run(List.of("build", "--unit-graph"), limit);
    } catch (CompilationTimeoutException e) {
      throw e;
    } catch (CompilationException e) {
      throw new InvalidCrateException(
          e.source(), String.valueOf(e.getMessage()), e.command(), e.exitCode(), e.log());
    }
    try {
      return UnitGraphParser.parse(result.output());
    } catch (IOException e) {
      throw unreadable("what it would compile", e);
    }
  }

  /**
   * Compiles build scripts and procedural macros, and runs the scripts; call {@link #graph} before.
   *
   * @throws CompilationException if one fails
   * @throws ToolchainNotFoundException if this machine can't compile for itself
   */
  HostOutputs runHostCode() throws IOException, InterruptedException {
    ProgramResult result =
        run(
            List.of("check", "--compile-time-deps", "--message-format=json-render-diagnostics"),
            job.timeout());
    try {
      return HostOutputs.parse(result.output());
    } catch (IOException e) {
      throw unreadable("what it compiled", e);
    }
  }

  private ProgramResult run(List<String> verb, Duration limit) throws InterruptedException {
    ProgramResult result = query.compile(List.of(command(verb)), staging, limit);
    if (!result.succeeded()) {
      throw failed(result);
    }
    return result;
  }

  private List<String> command(List<String> verb) {
    List<String> words = new ArrayList<>(List.of("/usr/bin/env"));
    words.add("PATH=" + dialect.searchPath());
    words.add("CARGO_HOME=" + staging.resolve(HOME));
    words.add("CARGO_TARGET_DIR=" + staging.resolve(TARGET));
    words.add("RUSTC=" + dialect.rustc());
    words.addAll(List.of("RUSTC_WRAPPER=", "RUSTC_WORKSPACE_WRAPPER=", "CARGO_TERM_COLOR=never"));
    words.add("CARGO_ENCODED_RUSTFLAGS=-Ctarget-cpu=" + job.target().processor());
    words.addAll(List.of(dialect.cargo().toString(), "-Zunstable-options", "-C", "/"));
    words.addAll(verb);
    words.addAll(List.of("--lib", "--release", "--offline", "--locked"));
    job.options().stream().filter(CrateOptions::choosesFeatures).forEach(words::add);
    words.add("--target=" + RustDialect.TRIPLE);
    words.add("--manifest-path=" + staging.work().resolve(job.source().mainFile()));
    return words;
  }

  /** Returns a configuration by which all crates are those that were staged. */
  private String replacements() {
    StringBuilder text = new StringBuilder();
    text.append("[source.crates-io]\nreplace-with = 'staged'\n[source.staged]\ndirectory = '");
    text.append(staging.work().resolve(job.source().includeDirectories().get(0))).append("'\n");
    for (Toolchain.SourceFile file : job.source().files()) {
      if (file.path().endsWith("/Cargo.lock")) {
        addGit(UTF_8.decode(file.content().duplicate()).toString(), text);
      }
    }
    return text.toString();
  }

  private static void addGit(String lock, StringBuilder text) {
    Matcher found = GIT.matcher(lock);
    while (found.find()) {
      String head = "[source.\"" + found.group(1) + "\"]\n";
      if (text.indexOf(head) < 0) {
        text.append(head).append("git = \"").append(found.group(2)).append("\"\n");
        if (found.group(3) != null) {
          String value = VERSION_4.matcher(lock).find() ? decoded(found.group(4)) : found.group(4);
          text.append(found.group(3)).append(" = \"").append(value).append("\"\n");
        }
        text.append("replace-with = 'staged'\n");
      }
    }
  }

  /** A version 4 has names as they stand in the query of an address. */
  private static String decoded(String value) {
    try {
      String text = URLDecoder.decode(value, UTF_8);
      return text.matches("[^\"\\\\\\p{Cntrl}]*") ? text : value;
    } catch (IllegalArgumentException e) {
      return value;
    }
  }

  private ToolchainNotFoundException unreadable(String what, IOException problem) {
    return new ToolchainNotFoundException(
        dialect.cargo()
            + ": "
            + what
            + " cannot be read ("
            + problem.getMessage()
            + "); use a rustc with a cargo of another release");
  }

  private CompilationException failed(ProgramResult result) {
    String said = result.errors();
    checkMachine(said);
    Optional<String> known = Optional.empty();
    if (OUTDATED.matcher(said).find()) {
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

  private void checkMachine(String said) {
    if (said.contains(UNSTABLE)) {
      throw new ToolchainNotFoundException(
          dialect.cargo()
              + " is a stable one, and a kernel needs what is not stable; use a nightly toolchain,"
              + " or set RUSTC_BOOTSTRAP=1");
    }
    if (said.contains(TOO_OLD)) {
      throw new ToolchainNotFoundException(
          dialect.cargo()
              + " cannot run build scripts by themselves, which cargo 1.89 and newer do; use a newer"
              + " rustc with its cargo");
    }
    Matcher linker = NO_LINKER.matcher(said);
    if (linker.find()) {
      throw new ToolchainNotFoundException(
          "rustc links a build script or procedural macro by "
              + linker.group(1)
              + ", which is not in PATH; install a C compiler (Debian: apt install gcc)");
    }
  }

  /** Returns the first error with the innermost cause, in one line. */
  private String complaint(String said) {
    List<String> lines =
        here(said).lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    String first =
        lines.stream()
            .map(ERROR::matcher)
            .filter(Matcher::lookingAt)
            .map(found -> found.replaceFirst(""))
            .findFirst()
            .orElse("it failed");
    int cause = lines.lastIndexOf("Caused by:");
    String inner = cause < 0 || cause + 1 >= lines.size() ? "" : ": " + lines.get(cause + 1);
    Matcher script = OF_SCRIPT.matcher(here(said));
    return first + inner + (script.find() ? ": " + script.group(1).strip() : "");
  }

  private String here(String said) {
    String text = said.replace("path+file://" + staging.work() + "/", "");
    text = text.replace(staging.work() + "/", "");
    text = text.replace(staging.resolve(TARGET) + "/", "");
    for (var name : job.source().displayNames().entrySet()) {
      text = text.replace("`" + name.getKey() + "`", "`" + name.getValue() + "`");
    }
    return text;
  }
}
