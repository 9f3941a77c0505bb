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
 * What {@link HiprtcWorker} says of a library.
 *
 * @param lines a key and a value each; those with other keys mean nothing
 */
record LibraryDescription(List<List<String>> lines) {
  private static final String VERSION = "([4-9]|[1-9]\\d{1,3})\\.(0|[1-9]\\d{0,3})\\.\\d{1,12}";

  private static final Set<String> KEYS =
      Set.of("version", "library", "processor", "candidate", "identifier");

  /** Reads what the program printed. Whatever else a library prints is passed over. */
  static LibraryDescription parse(String printed) {
    return new LibraryDescription(
        printed
            .lines()
            .map(line -> List.of(line.split("\t", 2)))
            .filter(words -> words.size() == 2 && KEYS.contains(words.get(0)))
            .toList());
  }

  /** Returns whether it tells its version, its libraries and for what it compiles. */
  boolean isComplete() {
    return lines.stream().allMatch(words -> words.size() == 2)
        && version().isPresent()
        && !libraries().isEmpty()
        && !processors().isEmpty();
  }

  /** Returns the version of HIP that it belongs to; empty if it tells none. */
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

  /** Returns the files that decide what it makes. */
  List<String> libraries() {
    return values("library");
  }

  /** Returns those that it compiles for and that are known here. */
  Set<Processor> processors() {
    return processors("processor");
  }

  /** Returns those that it may compile for and that are known here. */
  Set<Processor> candidates() {
    return processors("candidate");
  }

  /** Returns what else tells it from others. */
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
