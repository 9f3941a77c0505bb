// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.probe.MakeRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The files that a compile read: those of the source, those of the compiler, and no others.
 *
 * @param outcomes makes the exceptions
 * @param outcome how the compiler ended
 * @param log what it printed
 */
public record ReadFiles(
    Toolchain.Job job, CompileOutcome outcomes, ProgramResult outcome, String log) {

  /**
   * Returns the compiler's own files among those that it has listed.
   *
   * @param rule the make rule that it wrote; empty if it wrote none
   * @param resolve returns the normalised path of a name in the list or the source
   * @param given whether a file is one that the compiler was given with the source
   * @param ownHeaders whether a file is one of the compiler's
   * @param mayRead whether one of the compiler's is for this compiler
   * @throws CompilationException if it read another file, or did not list what it read
   */
  public <P extends Comparable<? super P>> Set<P> own(
      byte[] rule,
      Function<String, P> resolve,
      Predicate<P> given,
      Predicate<P> ownHeaders,
      Predicate<P> mayRead) {
    Set<P> staged =
        job.source().files().stream()
            .map(file -> resolve.apply(file.path()))
            .collect(Collectors.toSet());
    Set<P> own = new TreeSet<>();
    for (String name : listed(rule)) {
      P file = resolve.apply(name);
      if (!staged.contains(file) && !given.test(file)) {
        if (!ownHeaders.test(file)) {
          throw outcomes.failure(outcome, log, undeclared(name));
        }
        if (!mayRead.test(file)) {
          throw outcomes.failure(
              outcome,
              log,
              "the compile read "
                  + name
                  + ", which is for AMD's compiler; include it only where __HIP_PLATFORM_AMD__ is"
                  + " defined");
        }
        own.add(file);
      }
    }
    return own;
  }

  /**
   * Returns files with their contents' digests.
   *
   * @throws CompilationException if one is gone
   */
  public <P> List<Toolchain.File> digested(Set<P> own, Function<P, Optional<Digest>> digest) {
    List<Toolchain.File> files = new ArrayList<>();
    for (P file : own) {
      Digest content =
          digest
              .apply(file)
              .orElseThrow(
                  () -> outcomes.failure(outcome, log, file + ": gone after the compile read it"));
      files.add(new Toolchain.File(file.toString(), content));
    }
    return files;
  }

  private List<String> listed(byte[] rule) {
    List<String> names = MakeRule.prerequisites(new String(rule, UTF_8));
    // No file has a name with a NUL.
    if (names.isEmpty() || names.stream().anyMatch(name -> name.indexOf('\0') >= 0)) {
      throw outcomes.failure(
          outcome, log, "the compiler did not list the files it read, so the result can't be kept");
    }
    return names;
  }

  private String undeclared(String file) {
    return place(file)
        + "the compile read "
        + file
        + ", which is neither declared nor the toolchain's; declare it with --header or withHeader";
  }

  /**
   * Returns the line of a source that names a file, as the beginning of a message; empty if none
   * does.
   */
  private String place(String name) {
    String last = name.substring(name.lastIndexOf('/') + 1);
    for (String wanted : List.of(name, last)) {
      for (Toolchain.SourceFile file : job.source().files()) {
        List<String> lines =
            ISO_8859_1.decode(file.content().duplicate()).toString().lines().toList();
        for (int i = 0; i < lines.size(); i++) {
          if (lines.get(i).contains(wanted) && lines.get(i).contains("#")) {
            String display =
                job.source().displayNames().getOrDefault(file.path(), job.source().name());
            return display + ":" + (i + 1) + ": ";
          }
        }
      }
    }
    return "";
  }
}
