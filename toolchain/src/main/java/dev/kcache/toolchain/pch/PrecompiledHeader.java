// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.pch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.ToolchainPaths;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A precompiled header for one target and one list of options.
 *
 * @param file where it is
 * @param source the source that it was made from, which must not go
 * @param digest of its content
 * @param base the header that it continues, which must not go either
 * @param definitions the symbols that the header defines in every source that includes it
 * @param names the last parts of the names that the header and what it includes may look for
 */
public record PrecompiledHeader(
    Path file,
    Path source,
    Digest digest,
    Optional<Base> base,
    Set<String> definitions,
    Set<String> names) {
  /**
   * The header that another one continues.
   *
   * @param file where it is
   * @param source what it was made from
   * @param digest of its content
   */
  record Base(Path file, Path source, Digest digest) {
    private List<String> toLine() {
      return List.of(file.toString(), source.toString(), digest.toString());
    }

    private static Base ofLine(List<String> line) {
      return new Base(Path.of(line.get(0)), Path.of(line.get(1)), Digest.parse(line.get(2)));
    }
  }

  public PrecompiledHeader {
    definitions = Set.copyOf(definitions);
    names = Set.copyOf(names);
  }

  /** Returns this header as the base of another one. */
  Base asBase() {
    return new Base(file, source, digest);
  }

  /** Returns our own files that it was made from, normalised. */
  Set<Path> sources() {
    return Stream.concat(Stream.of(source), base.map(Base::source).stream())
        .map(ToolchainPaths::normalise)
        .collect(Collectors.toSet());
  }

  /**
   * Returns whether a precompiled header may be used with these options. Not with debug
   * information, which names the places of declarations, nor with warnings about system headers,
   * which appear only while those are read.
   */
  static boolean maySuit(List<String> options) {
    return options.stream()
        .noneMatch(option -> option.startsWith("-g") || option.contains("system-headers"));
  }

  /** Returns whether the header can include none of the job's own files. */
  boolean isApartFrom(Toolchain.Job job) {
    return job.source().includeDirectories().isEmpty()
        || job.source().files().stream()
            .map(file -> file.path().substring(file.path().lastIndexOf('/') + 1))
            .noneMatch(names::contains);
  }

  /**
   * Returns whether a code object has none of the header's own functions, whose order differs if
   * the header is precompiled. Usually all of them are inlined or removed.
   */
  public boolean isInvisibleIn(byte[] image) {
    String text = new String(image, ISO_8859_1);
    return text.contains("\0.symtab\0")
        && definitions.stream().noneMatch(name -> text.contains("\0" + name + "\0"));
  }

  /** Returns this header as the lines of an answer; the last one is that of its base. */
  List<List<String>> toLines() {
    List<List<String>> lines = new ArrayList<>();
    lines.add(List.of(source.toString(), digest.toString()));
    lines.add(List.copyOf(new TreeSet<>(definitions)));
    lines.add(List.copyOf(new TreeSet<>(names)));
    base.ifPresent(below -> lines.add(below.toLine()));
    return lines;
  }

  /** Returns the digest of the header in an answer's lines. */
  static Digest digest(List<List<String>> lines) {
    return Digest.parse(lines.get(0).get(1));
  }

  /** Returns whether {@link #ofLines} accepts an answer. */
  static boolean isAnswer(ProbeResult answer) {
    try {
      ofLines(Path.of(""), answer.lines());
      return true;
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return false;
    }
  }

  static PrecompiledHeader ofLines(Path file, List<List<String>> lines) {
    return new PrecompiledHeader(
        file,
        Path.of(lines.get(0).get(0)),
        digest(lines),
        lines.stream().skip(3).findFirst().map(Base::ofLine),
        new TreeSet<>(lines.get(1)),
        new TreeSet<>(lines.get(2)));
  }
}
