// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.compile.ProcessorQuery;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What hipcc and amdclang++ have in common: both have a clang compile HIP source. */
abstract class HipDialect extends ClangBasedDialect {
  /** As clang words it where there is none at all; of one without a processor it says "for". */
  private static final String NO_LIBRARY = "cannot find ROCm device library;";

  /**
   * Returns how a command begins that has these options: the program, what makes it compile device
   * code only, and the places of its ROCm. More may be put in after two words.
   *
   * @param options decide what is added to them
   */
  abstract List<String> beginning(List<String> options);

  /** Returns the macros to define for a target. */
  List<String> macros(TargetId target) {
    return List.of();
  }

  @Override
  protected final List<String> beginning(TargetId target, List<String> options) {
    List<String> words = new ArrayList<>(beginning(options));
    words.add("--offload-arch=" + target);
    words.add("--no-gpu-bundle-output");
    words.addAll(macros(target));
    words.addAll(ofKernel(options));
    return words;
  }

  /** What clang advises where it has no device library are options that no kernel may have. */
  @Override
  public final PlannedCommands plan(CompilerQuery query, TargetId target, List<String> options) {
    try {
      return super.plan(query, target, options);
    } catch (CompilationException e) {
      if (!String.valueOf(e.getMessage()).contains(NO_LIBRARY)) {
        throw e;
      }
      throw new ToolchainNotFoundException(
          query.facts().program()
              + ": it finds no ROCm device library; install rocm-device-libs, or set"
              + " HIP_DEVICE_LIB_PATH to the directory of its bitcode");
    }
  }

  @Override
  public final Set<Processor> processors(CompilerQuery query) {
    return processorQuery(query).ask();
  }

  @Override
  public final boolean compilesFor(CompilerQuery query, Processor processor) {
    return processorQuery(query).ask(processor);
  }

  private ProcessorQuery processorQuery(CompilerQuery query) {
    // All of it takes 20 s where nothing else runs: HIP's header is read for each processor.
    return new ProcessorQuery(query, query.time().multipliedBy(4), this::beginning);
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
}
