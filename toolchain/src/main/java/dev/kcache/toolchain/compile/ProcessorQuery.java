// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/*
 * A compile for each processor would be exact and takes half a minute. What a toolchain refuses, it
 * refuses earlier:
 *
 * - The driver knows the names and the device libraries. It tells all that it refuses for the same
 *   reason at once, before it starts anything.
 * - HIP's header refuses processors with #error, which the preprocessor alone finds. Clang stops at
 *   the first; those that are refused are old ones, so the old are asked apart from the rest.
 * - The code generator refuses generic processors where the code object version is too low, for
 *   code that needs no header.
 *
 * Each refusal names its processor, and all others are asked again. A failure that names none of
 * them says nothing about processors, and a header that is missing nothing about the one that it was
 * missed for: then there is no answer, rather than a wrong one.
 */

/** Asks a HIP compiler which processors it compiles HIP source for. */
public final class ProcessorQuery {
  private static final String HEADER = "#include <hip/hip_runtime.h>\n";
  private static final String KERNEL = "__attribute__((global)) void kernel() {}\n";
  private static final List<String> PREPROCESS = List.of("-E", "-Xclang", "-Eonly");
  private static final List<String> GENERATE = List.of("-S", "-nogpuinc");

  /** As clang words it; 15 and 21 tried, 14, 16 and 22 from its issues and tests. */
  private static final Pattern REFUSAL =
      Pattern.compile(
          "(?:error: invalid target ID '"
              + "|error: unsupported HIP gpu architecture: '?"
              + "|error: cannot find ROCm device library for "
              + "|error in backend: "
              + "|errors? generated when compiling for )"
              + "(gfx[\\w-]+)");

  private static final Pattern MISSING_HEADER = Pattern.compile("fatal error: '.*' file not found");

  private final CompilerQuery query;
  private final Duration limit;
  private final UnaryOperator<List<String>> beginning;
  private Duration spent = Duration.ZERO;

  /**
   * Creates a query.
   *
   * @param limit how long all of it may take
   * @param beginning returns how a command with some options begins
   */
  public ProcessorQuery(
      CompilerQuery query, Duration limit, UnaryOperator<List<String>> beginning) {
    this.query = query;
    this.limit = limit;
    this.beginning = beginning;
  }

  /**
   * Returns the processors, at least one.
   *
   * @throws dev.kcache.toolchain.ToolchainNotFoundException if hipcc can't be run, takes too long,
   *     accepts none, or fails for a reason that is not about processors
   */
  public Set<Processor> ask() {
    Set<Processor> old = EnumSet.range(Processor.GFX600, Processor.GFX810);
    Set<Processor> rest = EnumSet.copyOf(Platform.AMD.processors());
    rest.removeAll(old);
    Set<Processor> generic =
        rest.stream().filter(Processor::isGeneric).collect(toCollection(ProcessorQuery::none));
    rest.removeAll(generic);
    rest.addAll(accepted(generic, GENERATE, KERNEL));
    Set<Processor> accepted = accepted(rest, PREPROCESS, HEADER);
    accepted.addAll(accepted(old, PREPROCESS, HEADER));
    if (accepted.isEmpty()) {
      throw query.unusable("it compiles for none of the processors that are known here");
    }
    return accepted;
  }

  /**
   * Returns whether one processor is among them; takes a second where {@link #ask()} takes many.
   *
   * @throws dev.kcache.toolchain.ToolchainNotFoundException as {@link #ask()}, but not if hipcc
   *     accepts none
   */
  public boolean ask(Processor processor) {
    Set<Processor> asked = EnumSet.of(processor);
    if (processor.isGeneric()) {
      asked = accepted(asked, GENERATE, KERNEL);
    }
    return !accepted(asked, PREPROCESS, HEADER).isEmpty();
  }

  private Set<Processor> accepted(Set<Processor> asked, List<String> question, String source) {
    Set<Processor> left = EnumSet.copyOf(asked);
    while (!left.isEmpty()) {
      ProgramResult outcome = run(left, question, source);
      if (outcome.succeeded()) {
        break;
      }
      left.removeAll(refused(outcome, left));
    }
    return left;
  }

  private Set<Processor> refused(ProgramResult outcome, Set<Processor> asked) {
    Set<String> named =
        REFUSAL.matcher(outcome.log()).results().map(refusal -> refusal.group(1)).collect(toSet());
    Set<Processor> refused =
        asked.stream()
            .filter(processor -> named.contains(processor.toString()))
            .collect(toCollection(ProcessorQuery::none));
    if (refused.isEmpty()
        || outcome.end() != ProgramResult.End.EXITED
        || MISSING_HEADER.matcher(outcome.log()).find()) {
      throw query.unusable(outcome, "it does not tell which processors it compiles for");
    }
    return refused;
  }

  private ProgramResult run(Set<Processor> processors, List<String> question, String source) {
    List<String> command = new ArrayList<>(beginning.apply(DriverProbe.OPTIONS));
    command.add("--no-gpu-bundle-output");
    command.addAll(DriverProbe.OPTIONS);
    command.addAll(question);
    processors.forEach(processor -> command.add("--offload-arch=" + processor));
    command.addAll(List.of("-x", "hip", PlannedCommands.FILE));
    ProgramResult outcome = query.ask(command, source, limit.minus(spent));
    spent = spent.plus(outcome.elapsed());
    return outcome;
  }

  private static EnumSet<Processor> none() {
    return EnumSet.noneOf(Processor.class);
  }
}
