// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.CompiledProcessors;
import dev.kcache.toolchain.probe.CompilerDescription;
import dev.kcache.toolchain.probe.ProbeQuestions;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.ProbeResults;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Finds out which processors a compiler supports: all, or whether it supports one, which is quicker
 * to ask.
 *
 * <p>Safe for use by any number of threads.
 */
final class ProcessorProbe {
  private static final List<List<String>> YES = List.of(List.of("yes"));
  private static final List<List<String>> NO = List.of(List.of("no"));

  private final DriverSession session;
  private final Platform platform;
  private final ProbeResults results;
  private final ProbeQuestions questions;
  private final InstantSource clock;
  private final Function<TargetId, CompilerDescription> described;

  /**
   * Creates a probe; asks nothing.
   *
   * @param described returns the compiler's description for a target
   */
  ProcessorProbe(
      DriverSession session,
      ProbeResults results,
      InstantSource clock,
      Function<TargetId, CompilerDescription> described) {
    this.session = session;
    this.platform = session.facts().platform();
    this.results = results;
    this.questions = session.questions();
    this.clock = clock;
    this.described = described;
  }

  /** Returns whether the compiler is known not to support a processor; asks nothing. */
  boolean isKnownToLack(Processor processor) {
    Optional<Set<Processor>> all = known();
    return all.isPresent()
        ? !all.get().contains(processor)
        : results.ifKnown(question(processor)).filter(one -> one.lines().equals(NO)).isPresent();
  }

  /** Returns whether the compiler supports a processor; asks about this one alone. */
  boolean has(Processor processor) {
    Optional<Set<Processor>> all = known();
    if (all.isPresent()) {
      return all.get().contains(processor);
    }
    ProbeResult result =
        results.get(
            question(processor),
            given -> given.lines().equals(YES) || given.lines().equals(NO),
            () -> ask(processor));
    return result.lines().equals(YES);
  }

  private Digest question(Processor processor) {
    return questions.of("compiles for", List.of(processor.toString()));
  }

  private ProbeResult ask(Processor processor) {
    Instant asked = clock.instant();
    boolean compiles =
        platform.processors().contains(processor)
            && session.dialect().compilesFor(session.query(), processor);
    Set<Path> watched = watched(compiles ? Set.of(processor) : likelyFirst());
    return ProbeResult.dependingOn(watched, compiles ? YES : NO, asked);
  }

  private Optional<Set<Processor>> known() {
    return results
        .ifKnown(question())
        .filter(known -> CompiledProcessors.isAnswer(platform, known))
        .map(known -> CompiledProcessors.ofLines(platform, known.lines()).processors());
  }

  private Digest question() {
    return questions.of("processors", CompiledProcessors.words(platform));
  }

  /** Returns the processors that the compiler supports. */
  Set<Processor> all() {
    ProbeResult result =
        results.get(
            question(), given -> CompiledProcessors.isAnswer(platform, given), this::askForAll);
    return CompiledProcessors.ofLines(platform, result.lines()).processors();
  }

  private ProbeResult askForAll() {
    Instant asked = clock.instant();
    CompiledProcessors compiled =
        new CompiledProcessors(session.dialect().processors(session.query()));
    return ProbeResult.dependingOn(watched(compiled.processors()), compiled.toLines(), asked);
  }

  /**
   * Returns the files whose change may change which processors are supported.
   *
   * @param candidates processors, of which the compiler takes at least one
   */
  private Set<Path> watched(Set<Processor> candidates) {
    Iterator<Processor> left = candidates.iterator();
    while (true) {
      TargetId candidate = TargetId.of(left.next());
      try {
        Set<Path> watched = CompiledProcessors.watched(described.apply(candidate));
        watched.addAll(session.dialect().files(session.query()));
        return watched;
      } catch (CompilationException e) {
        if (!left.hasNext()) {
          ToolchainNotFoundException none =
              session
                  .query()
                  .unusable("it compiles for none of the processors that are known here");
          none.initCause(e);
          throw none;
        }
      }
    }
  }

  /** Returns all processors of the platform, first one that compilers are likely to know. */
  private Set<Processor> likelyFirst() {
    Set<Processor> all = new LinkedHashSet<>();
    if (platform == Platform.AMD) {
      all.add(Processor.GFX900);
    }
    all.addAll(platform.processors());
    return all;
  }
}
