// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.Toolchain;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The commands that a compiler driver runs for a target and options, and the files that they use.
 *
 * @param commands the commands of the driver
 * @param files the programs and their libraries, device bitcode, configuration and wrapper scripts
 */
public record CompilerDescription(PlannedCommands commands, List<String> files) {
  /** Changes whenever the identity is computed from something else. */
  public static final String SCHEMA = "kcache.toolchain/3";

  public CompilerDescription {
    files = List.copyOf(files);
  }

  /**
   * Returns the identity of a compiler here: the digest of the commands, and of the names and
   * contents of the files.
   *
   * @param headers the headers that the compiler lacks and is given
   */
  public Digest identity(
      Function<Path, Optional<Digest>> digest, List<Toolchain.SourceFile> headers) {
    return identity(CompilerFiles.LOCAL, digest, headers);
  }

  /**
   * As {@link #identity(Function, List)}, of a compiler on any machine: the same compiler has the
   * same identity everywhere.
   *
   * @param machine the files of the machine that the compiler runs on
   * @param digest returns the digest of a file's content there; empty if it can't be read
   * @param headers the headers that the compiler lacks and is given
   */
  public <P extends Comparable<? super P>> Digest identity(
      CompilerFiles<P> machine,
      Function<P, Optional<Digest>> digest,
      List<Toolchain.SourceFile> headers) {
    Digest.Builder identity = Digest.builder().text(SCHEMA);
    identity.number(commands.commands().size());
    for (List<String> command : commands.commands()) {
      identity.number(command.size());
      CommandLines.normalised(command, machine).forEach(identity::text);
    }
    Map<P, P> named = new TreeMap<>();
    for (String file : files) {
      P path = machine.path(file);
      named.put(machine.canonical(path), path);
    }
    identity.number(named.size());
    named.forEach(
        (name, file) -> {
          identity.text(name.toString());
          identity.text(digest.apply(file).map(Digest::toString).orElse("absent"));
        });
    for (Toolchain.SourceFile header : headers) {
      identity.text(header.path());
      identity.text(Digest.of(header.content()).toString());
    }
    return identity.build();
  }

  /**
   * Leaves out macros and warnings: they choose no program, library or bitcode, and are part of the
   * request.
   */
  public static List<String> decisive(List<String> options) {
    List<String> decisive = new ArrayList<>();
    for (String option : options) {
      boolean warning = option.startsWith("-W") || option.equals("-w");
      if (!option.startsWith("-D") && !option.startsWith("-U") && !warning) {
        decisive.add(option);
      }
    }
    return decisive;
  }

  /**
   * Returns the files and directories whose change may change this description. Directories are
   * among them because a newer C++ library beside the one in use would be chosen instead.
   */
  public Set<Path> watched() {
    Set<Path> watched = new LinkedHashSet<>();
    files.forEach(file -> watched.add(Path.of(file)));
    for (Path directory : CommandLines.includeDirectories(commands.commands())) {
      watched.add(directory);
      Path parent = directory.getParent();
      if (parent != null && parent.getParent() != null) {
        watched.add(parent);
      }
    }
    watched.add(SharedLibraries.CACHE);
    return watched;
  }

  /** Returns this description as the lines of a {@link ProbeResult}. */
  public List<List<String>> toLines() {
    List<List<String>> lines = new ArrayList<>();
    lines.add(files);
    lines.add(commands.configuration());
    lines.addAll(commands.commands());
    return lines;
  }

  /** Returns whether {@link #ofLines} accepts an answer. */
  public static boolean isDescription(ProbeResult answer) {
    return answer.lines().size() > 2 && answer.lines().stream().skip(2).noneMatch(List::isEmpty);
  }

  /** Returns whether {@link #ofLines} accepts an answer, and its paths are valid here. */
  public static boolean isAnswer(ProbeResult answer) {
    try {
      return isDescription(answer) && !ofLines(answer.lines()).watched().isEmpty();
    } catch (InvalidPathException e) {
      return false;
    }
  }

  /** Returns the identity in an answer. */
  public static Digest identity(ProbeResult answer) {
    return Digest.parse(answer.lines().get(0).get(0));
  }

  /** Returns whether an answer is a digest. */
  public static boolean isIdentity(ProbeResult answer) {
    try {
      return answer.lines().size() == 1
          && answer.lines().get(0).size() == 1
          && !identity(answer).toString().isEmpty();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  public static CompilerDescription ofLines(List<List<String>> lines) {
    return new CompilerDescription(
        new PlannedCommands(lines.subList(2, lines.size()), lines.get(1)), lines.get(0));
  }
}
