// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static java.util.stream.Collectors.toCollection;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The processors that a compiler makes code for, as the probe cache stores them.
 *
 * @param processors at least one, in the order of the enum
 */
public record CompiledProcessors(Set<Processor> processors) {
  public CompiledProcessors {
    processors = Collections.unmodifiableSet(EnumSet.copyOf(processors));
  }

  /** Returns the words of the question, which differ between versions of this library. */
  public static List<String> words(Platform platform) {
    return platform.processors().stream().map(Processor::toString).toList();
  }

  /**
   * Returns the files whose change may change the set: the compiler, HIP's header, and the
   * directories of device libraries, to which one for another processor may be added.
   *
   * @param compiler the compiler's description for one of the processors
   */
  public static Set<Path> watched(CompilerDescription compiler) {
    Set<Path> watched = compiler.watched();
    compiler.files().stream()
        .filter(file -> file.endsWith(".bc"))
        .forEach(file -> watched.add(Path.of(file).resolveSibling("")));
    CommandLines.includeDirectories(compiler.commands().commands()).stream()
        .map(directory -> directory.resolve("hip/hip_runtime.h"))
        .forEach(watched::add);
    return watched;
  }

  /** Returns this as the lines of a {@link ProbeResult}. */
  public List<List<String>> toLines() {
    return List.of(processors.stream().map(Processor::toString).toList());
  }

  /** Returns whether {@link #ofLines} accepts an answer. */
  public static boolean isAnswer(Platform platform, ProbeResult answer) {
    return answer.lines().size() == 1
        && !answer.lines().get(0).isEmpty()
        && words(platform).containsAll(answer.lines().get(0));
  }

  public static CompiledProcessors ofLines(Platform platform, List<List<String>> lines) {
    return new CompiledProcessors(
        platform.processors().stream()
            .filter(processor -> lines.get(0).contains(processor.toString()))
            .collect(toCollection(() -> EnumSet.noneOf(Processor.class))));
  }
}
