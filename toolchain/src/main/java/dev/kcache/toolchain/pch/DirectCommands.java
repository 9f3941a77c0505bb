// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.pch;

import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ReproducibleOptions;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.probe.CommandLines;
import dev.kcache.toolchain.process.Staging;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The commands of compiler and linker that a driver runs for a file. Running them without the
 * driver saves more time than linking takes.
 *
 * @param compiler compiles {@link PlannedCommands#FILE} to the one temporary file
 * @param linker links that file
 */
record DirectCommands(List<String> compiler, List<String> linker) {
  private static final String COMPILE = "-emit-obj";

  /** With one object, other threads have nothing to do. */
  private static final String ONE_THREAD = "--threads=1";

  DirectCommands {
    compiler = List.copyOf(compiler);
    linker = List.copyOf(linker);
  }

  /** Returns a driver's planned commands; empty unless they are exactly these two. */
  static Optional<DirectCommands> of(PlannedCommands asked) {
    if (asked.commands().size() != 2) {
      return Optional.empty();
    }
    DirectCommands direct = new DirectCommands(asked.commands().get(0), asked.commands().get(1));
    return direct.isUnderstood() ? Optional.of(direct) : Optional.empty();
  }

  private boolean isUnderstood() {
    int end = compiler.size();
    return end > 4
        && compiler.get(1).equals("-cc1")
        && compiler.subList(end - 3, end).equals(List.of("-x", "hip", PlannedCommands.FILE))
        && Collections.frequency(compiler, COMPILE) == 1
        && isOnceAfter("-main-file-name", PlannedCommands.FILE)
        && isOnceAfter("-o", PlannedCommands.TEMPORARY)
        && Collections.frequency(compiler, PlannedCommands.TEMPORARY) == 1
        && Collections.frequency(compiler, ReproducibleOptions.DATE_TIME) == 1
        && Collections.frequency(compiler, ReproducibleOptions.QUERY_CUID) == 1
        && Collections.frequency(linker, PlannedCommands.TEMPORARY) == 1
        && Collections.frequency(linker, OutputNames.CODE_OBJECT) == 1;
  }

  private boolean isOnceAfter(String option, String value) {
    return Collections.frequency(compiler, option) == 1
        && compiler.get(compiler.indexOf(option) + 1).equals(value);
  }

  /**
   * Returns the commands that compile a job.
   *
   * @param header a precompiled header, if one is to be used
   */
  List<List<String>> compile(Toolchain.Job job, Optional<Path> header, Staging staging) {
    String object = staging.temporary().resolve(Staging.OBJECT).toString();
    List<String> first =
        new ArrayList<>(compileTo(object, job.source().mainFile(), ReproducibleOptions.cuid(job)));
    // At the place of the user's options; of include directories only the order matters.
    List<String> more = new ArrayList<>();
    job.source().includeDirectories().forEach(directory -> more.addAll(List.of("-I", directory)));
    header.ifPresent(file -> more.addAll(List.of("-include-pch", file.toString())));
    first.addAll(first.indexOf(ReproducibleOptions.DATE_TIME), more);
    List<String> second = new ArrayList<>(linker);
    Collections.replaceAll(second, PlannedCommands.TEMPORARY, object);
    second.add(ONE_THREAD);
    return List.of(first, second);
  }

  /** Returns the normalised directories in which the compiler looks for its own headers. */
  Set<Path> includeDirectories() {
    return CommandLines.includeDirectories(List.of(compiler));
  }

  /** Returns whether unused functions are removed. */
  boolean isOptimizing() {
    return compiler.stream().anyMatch(word -> word.matches("-O[123sz]"));
  }

  /**
   * Returns the command that compiles a file with a precompiled header to LLVM's text form,
   * unoptimised.
   */
  List<String> translate(Path file, Path header, Path translated) {
    List<String> command =
        new ArrayList<>(
            compileTo(translated.toString(), file.toString(), ReproducibleOptions.QUERY_CUID));
    Collections.replaceAll(command, COMPILE, "-emit-llvm");
    command.addAll(2, List.of("-disable-llvm-passes", "-include-pch", header.toString()));
    return command;
  }

  /**
   * Returns the command that precompiles a header, with the same options.
   *
   * @param base a precompiled header to continue, if there is one
   */
  List<String> precompile(Path header, Optional<Path> base, Path precompiled) {
    List<String> command =
        new ArrayList<>(
            compileTo(precompiled.toString(), header.toString(), ReproducibleOptions.QUERY_CUID));
    Collections.replaceAll(command, COMPILE, "-emit-pch");
    // Instantiates the templates that the header itself uses once, not in each source.
    command.add(2, "-fpch-instantiate-templates");
    base.ifPresent(file -> command.addAll(2, List.of("-include-pch", file.toString())));
    return command;
  }

  private List<String> compileTo(String output, String file, String cuid) {
    List<String> command = new ArrayList<>(compiler);
    command.set(command.indexOf("-main-file-name") + 1, Path.of(file).getFileName().toString());
    command.set(command.size() - 1, file);
    Collections.replaceAll(command, PlannedCommands.TEMPORARY, output);
    Collections.replaceAll(command, ReproducibleOptions.QUERY_CUID, cuid);
    return command;
  }
}
