// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ReproducibleOptions;
import dev.kcache.toolchain.Toolchain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What hipcc and amdclang++ have in common: both have a clang compile HIP source. */
abstract class HipDialect implements Dialect {
  /**
   * Returns how a command begins that has these options: the program, what makes it compile device
   * code only, and what it has to be told of its ROCm. More may be put in after two words.
   *
   * @param options decide what is added to them
   */
  abstract List<String> beginning(List<String> options);

  @Override
  public final PlannedCommands plan(CompilerQuery query, TargetId target, List<String> options) {
    List<String> command =
        command(target, options, ReproducibleOptions.QUERY_CUID, List.of(), PlannedCommands.FILE);
    command.add(2, "-###");
    return query.printedCommands(command);
  }

  @Override
  public final Set<Processor> processors(CompilerQuery query) {
    return new ProcessorQuery(query, query.time(), this::beginning).ask();
  }

  @Override
  public final List<String> command(Toolchain.Job job) {
    return command(
        job.target(),
        job.options(),
        ReproducibleOptions.cuid(job),
        job.source().includeDirectories(),
        job.source().mainFile());
  }

  /**
   * {@inheritDoc}
   *
   * <p>AMD's own driver is none of it: all that it decides stands in the commands that it prints.
   * So hipcc and amdclang++ of one ROCm share their results. What somebody put around it is.
   */
  @Override
  public final Set<Path> identityFiles(CompilerQuery query) {
    return runsAsPrinted() ? Set.of() : files(query);
  }

  /* -cuid and the compilation directory make the result the same in every staging directory. */
  private List<String> command(
      TargetId target,
      List<String> options,
      String cuid,
      List<String> includeDirectories,
      String mainFile) {
    List<String> words = new ArrayList<>(beginning(options));
    words.add("--offload-arch=" + target);
    words.add("--no-gpu-bundle-output");
    words.addAll(ClangArguments.ofKernel(options));
    words.addAll(ClangArguments.reproducible(cuid));
    includeDirectories.forEach(directory -> words.add("-I" + directory));
    words.addAll(ClangArguments.dependencies());
    words.addAll(ClangArguments.compile("hip", mainFile));
    return words;
  }
}
