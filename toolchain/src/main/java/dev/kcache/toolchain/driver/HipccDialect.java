// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Environment;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ReproducibleOptions;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.pch.DirectCommands;
import dev.kcache.toolchain.probe.CommandLines;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.ToolchainPaths;
import dev.kcache.toolchain.probe.WrapperScripts;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One hipcc of AMD's.
 *
 * <p>Safe for use by any number of threads.
 */
@SuppressWarnings("exports") // what the steps of a compile share
public final class HipccDialect extends CompilerDriver {
  /**
   * Which every version knows. Without a target hipcc asks the machine for its GPUs, whatever it is
   * to do: five programs, Python among them, that take longer than all the rest of {@code
   * --version}.
   */
  private static final String ANY = "--offload-arch=gfx900";

  private static final List<String> WRAPPERS =
      List.of(
          "hipcc",
          "hipcc.pl",
          "hipcc.bin",
          "hipvars.pm",
          "hipconfig",
          "hipconfig.pl",
          "hipconfig.bin",
          ".hipVersion",
          "../share/hip/version");

  private static final Pattern CLANG = Pattern.compile("clang(\\+\\+)?(-\\d+)?");

  /** What a shell takes for a part of a word, beside letters and digits. */
  private static final String PLAIN = "/._+:@%=,-";

  /**
   * Describes a hipcc.
   *
   * @throws IllegalArgumentException if its path or a variable's is one that it would have a shell
   *     run: it makes command lines of them, without quotes (HIP 5.2)
   */
  HipccDialect(Path program, Environment variables, Workshop workshop) {
    super(program, environment(variables), workshop);
    check("hipcc", program);
  }

  /**
   * Each process that has hits asks this, and a regular expression of letters takes milliseconds.
   */
  private static boolean isWord(String text) {
    int length;
    for (int i = 0; i < text.length(); i += length) {
      int character = text.codePointAt(i);
      length = Character.charCount(character);
      if (!Character.isLetterOrDigit(character) && PLAIN.indexOf(character) < 0) {
        return false;
      }
    }
    return true;
  }

  private static Path check(String name, Path path) {
    Path real = ToolchainPaths.real(path);
    if (!isWord(real.toString())) {
      throw new IllegalArgumentException(
          name
              + "="
              + path
              + ": hipcc would give it to a shell; use a path of letters, digits and ._+:@%=,-");
    }
    return real;
  }

  @Override
  Platform platform() {
    return Platform.AMD;
  }

  @Override
  Set<Path> wrappers() {
    Set<Path> directories = new LinkedHashSet<>();
    directories.add(program().getParent());
    directories.add(ToolchainPaths.real(program()).getParent());
    for (String variable : List.of("HIP_PATH", "ROCM_PATH")) {
      if (environment().containsKey(variable)) {
        directories.add(Path.of(environment().get(variable), "bin"));
      }
    }
    Set<Path> files = new LinkedHashSet<>();
    files.add(program());
    for (Path directory : directories) {
      WRAPPERS.forEach(name -> files.add(directory.resolve(name).normalize()));
    }
    files.addAll(WrapperScripts.behind(program()));
    for (Path directory : clangDirectories()) {
      // A clang that is added there may be preferred to the one in use.
      files.add(directory);
      for (Path clang : clangs(directory)) {
        files.add(clang);
        files.addAll(WrapperScripts.behind(clang));
      }
    }
    return files;
  }

  /**
   * Returns where hipcc takes its clang from. The commands that it prints name the real one, and
   * not a script in its place.
   */
  private Set<Path> clangDirectories() {
    String named = environment().get("HIP_CLANG_PATH");
    if (named != null) {
      return Set.of(Path.of(named));
    }
    Set<Path> directories = new LinkedHashSet<>();
    String rocm = environment().get("ROCM_PATH");
    if (rocm != null) {
      directories.add(Path.of(rocm, "llvm", "bin"));
    }
    directories.add(part("../llvm/bin").normalize());
    return directories;
  }

  /** Returns what hipcc may run in a directory: its versions differ in the name. */
  private static List<Path> clangs(Path directory) {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "clang*")) {
        for (Path entry : entries) {
          if (CLANG.matcher(entry.getFileName().toString()).matches()) {
            found.add(ToolchainPaths.real(entry));
          }
        }
      } catch (IOException | DirectoryIteratorException e) {
        // hipcc says better than this what it can't run.
        return List.of();
      }
    }
    return found;
  }

  @Override
  CompilerVersion version() {
    try (Staging staging = stage()) {
      List<String> command = List.of(program().toString(), "--version", ANY);
      ProgramResult outcome = query(staging, command);
      if (!outcome.succeeded()) {
        throw unusable(outcome, "'--version' failed");
      }
      return HipVersion.parse(outcome).orElseThrow(() -> unusable(outcome, noVersion(outcome)));
    }
  }

  @Override
  Optional<CompilerVersion> version(ProbeResult answer) {
    return HipVersion.ofLines(answer.lines());
  }

  /** It was told to describe AMD's compiler, so that a wrapper around it must have overruled us. */
  private static String noVersion(ProgramResult outcome) {
    return HipVersion.drivesNvcc(outcome)
        ? "it drives nvcc although HIP_PLATFORM=amd is set for it"
        : "'--version' printed no HIP version of 4.0 or later";
  }

  @Override
  PlannedCommands driverCommands(TargetId target, List<String> options) {
    try (Staging staging = stage()) {
      List<String> command =
          command(target, options, ReproducibleOptions.QUERY_CUID, List.of(), put(staging, ""));
      command.add(2, "-###");
      ProgramResult outcome = query(staging, command);
      PlannedCommands commands = CommandLines.parse(outcome.log(), staging.temporary());
      if (!outcome.succeeded() || commands.commands().isEmpty()) {
        throw refusal(command, outcome);
      }
      return commands;
    }
  }

  @Override
  Set<Processor> processors() {
    return new ProcessorQuery(this, queryTime()).ask();
  }

  /**
   * Runs hipcc for its answer only, on a file with the given text; what it makes is thrown away.
   *
   * @param options its arguments, but for the file
   * @param text the content of the file
   * @throws dev.kcache.toolchain.ToolchainNotFoundException if it can't be run
   */
  ProgramResult probe(List<String> options, String text, Duration timeout) {
    try (Staging staging = stage()) {
      List<String> command = new ArrayList<>();
      command.add(program().toString());
      command.addAll(options);
      command.addAll(List.of("-x", "hip", put(staging, text)));
      return query(staging, command, timeout);
    }
  }

  @Override
  List<String> command(Toolchain.Job job) {
    return command(
        job.target(),
        job.options(),
        ReproducibleOptions.cuid(job),
        job.includeDirectories(),
        job.mainFile());
  }

  /**
   * {@inheritDoc}
   *
   * <p>That is AMD's own: a program, or in older versions a Perl script with its parts beside it.
   * Somebody's wrapper around it or around its clang may set variables, or do something to the
   * result.
   */
  @Override
  public boolean doesWhatItSays() {
    boolean wrapped =
        clangDirectories().stream()
            .flatMap(directory -> clangs(directory).stream())
            .anyMatch(clang -> WrapperScripts.interpreter(clang).isPresent());
    return !wrapped && isAmds();
  }

  private boolean isAmds() {
    return WrapperScripts.interpreter(program())
        .map(line -> line.contains("perl") && Files.exists(part("hipvars.pm")))
        .orElse(true);
  }

  private Path part(String name) {
    return ToolchainPaths.real(program()).resolveSibling(name);
  }

  @Override
  public Optional<DirectCommands> direct(PlannedCommands asked) {
    return DirectCommands.of(asked);
  }

  @Override
  List<Toolchain.SourceFile> headers() {
    return List.of();
  }

  @Override
  String repair() {
    return "repair it, check "
        + (environment().containsKey("HIP_CLANG_PATH")
            ? "HIP_CLANG_PATH, ROCM_PATH and HIP_PATH"
            : "ROCM_PATH and HIP_PATH")
        + ", or set KCACHE_HIPCC to another";
  }

  /*
   * --genco comes first, or hipcc 5.2 takes what follows for a link. -cuid and the compilation
   * directory make the result the same in every staging directory. -Werror=date-time comes after the
   * user's options, so that no -W of theirs undoes it. -MD writes nothing on clang 21, hence the
   * flags of the compiler proper.
   */
  private List<String> command(
      TargetId target,
      List<String> options,
      String cuid,
      List<String> includeDirectories,
      String mainFile) {
    List<String> words = new ArrayList<>();
    words.addAll(List.of(program().toString(), "--genco", "--offload-arch=" + target));
    words.add("--no-gpu-bundle-output");
    words.addAll(ClangOptions.of(options));
    words.addAll(List.of(cuid, "-ffile-compilation-dir=.", ReproducibleOptions.DATE_TIME));
    includeDirectories.forEach(directory -> words.add("-I" + directory));
    Stream.of("-dependency-file", "../" + Staging.DEPENDENCIES, "-sys-header-deps", "-MT", "x")
        .forEach(word -> words.addAll(List.of("-Xclang", word)));
    words.addAll(List.of("-o", "../" + Staging.CODE_OBJECT, "-x", "hip", mainFile));
    return words;
  }

  private static Map<String, String> environment(Environment variables) {
    Map<String, String> reduced = new TreeMap<>();
    reduced.put("PATH", variables.searchPathText());
    reduced.put("HIP_PLATFORM", "amd");
    for (String variable : CompilerVariables.ROCM_DIRECTORIES) {
      variables
          .path(variable)
          .ifPresent(path -> reduced.put(variable, check(variable, path).toString()));
    }
    return reduced;
  }
}
