// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static java.util.stream.Collectors.toCollection;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The description of a library by {@link HiprtcWorker}.
 *
 * @param lines a key and a value each; unknown keys are ignored
 */
record LibraryDescription(List<List<String>> lines) {
  private static final String VERSION = "([4-9]|[1-9]\\d{1,3})\\.(0|[1-9]\\d{0,3})\\.\\d{1,12}";

  private static final Set<String> KEYS =
      Set.of("version", "library", "processor", "candidate", "identifier");

  /** Parses the output of the program; ignores what a library prints. */
  static LibraryDescription parse(String printed) {
    return new LibraryDescription(
        printed
            .lines()
            .map(line -> List.of(line.split("\t", 2)))
            .filter(words -> words.size() == 2 && KEYS.contains(words.get(0)))
            .toList());
  }

  /** Returns whether it has a version, libraries and processors. */
  boolean isComplete() {
    return lines.stream().allMatch(words -> words.size() == 2)
        && version().isPresent()
        && !libraries().isEmpty()
        && !processors().isEmpty();
  }

  /** Returns its version of HIP; empty if there is none. */
  Optional<CompilerVersion> version() {
    return values("version").stream()
        .findFirst()
        .filter(text -> text.matches(VERSION))
        .map(
            text -> {
              String label = HiprtcLibrary.NAME + text.substring(0, text.lastIndexOf('.'));
              return new CompilerVersion(HiprtcLibrary.NAME, text, text, new ToolchainLabel(label));
            });
  }

  /** Returns the files that decide its results. */
  List<String> libraries() {
    return values("library");
  }

  /** Returns the known processors that it compiles for. */
  Set<Processor> processors() {
    return processors("processor");
  }

  /** Returns the known processors that it may compile for. */
  Set<Processor> candidates() {
    return processors("candidate");
  }

  /** Returns its other identifiers. */
  List<String> identifiers() {
    return values("identifier");
  }

  private Set<Processor> processors(String key) {
    Set<String> names = Set.copyOf(values(key));
    return Platform.AMD.processors().stream()
        .filter(processor -> names.contains(processor.toString()))
        .collect(toCollection(() -> EnumSet.noneOf(Processor.class)));
  }

  private List<String> values(String key) {
    return lines.stream()
        .filter(words -> words.get(0).equals(key))
        .map(words -> words.get(1))
        .toList();
  }
}
