// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.probe.RocmRelease;
import dev.kcache.toolchain.probe.ToolchainPaths;
import dev.kcache.toolchain.probe.WrapperScripts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How to talk to ROCm's amdclang++, or to a clang++ of LLVM's that finds a HIP. It gets the flags
 * that the hipcc of the same ROCm would give it, so that both give the same bytes.
 */
final class AmdClangDialect extends HipDialect {
  private static final Pattern VERSION =
      Pattern.compile("^.*\\bclang version (\\d+\\.\\d+[\\w.-]*)", Pattern.MULTILINE);

  private final Path program;
  private final Map<String, String> environment;
  private final RocmRelease release;
  private final ClangPlaces places;

  AmdClangDialect(DialectFacts facts) {
    program = facts.program();
    environment = facts.environment();
    release = RocmRelease.of(program, environment);
    places = ClangPlaces.of(program, release);
  }

  /** A configuration file beside clang decides too, and one that is added is read. */
  @Override
  public Set<Path> files(CompilerQuery query) {
    Path real = ToolchainPaths.real(program);
    Set<Path> files = new LinkedHashSet<>(release.files());
    files.addAll(WrapperScripts.behind(program));
    for (Path clang : List.of(program, real)) {
      files.add(clang);
      files.add(clang.getParent());
    }
    return files;
  }

  @Override
  public CompilerVersion version(CompilerQuery query) {
    ProgramResult result = query.ask(List.of(program.toString(), "--version"));
    if (!result.succeeded()) {
      throw query.unusable(result, "'--version' failed");
    }
    Matcher version = VERSION.matcher(result.output());
    if (!version.find()) {
      throw query.unusable(result, "'--version' printed no clang version");
    }
    Optional<CompilerVersion> known = release.version(result.output());
    return known.orElseThrow(
        () ->
            query.unusable(
                "it is clang "
                    + version.group(1)
                    + ", and no HIP was found for it: there is no include/hip/hip_version.h in "
                    + release.describeSearch()));
  }

  /**
   * {@inheritDoc}
   *
   * <p>A script in its place may set variables, or do something to the result.
   */
  @Override
  public boolean runsAsPrinted() {
    return WrapperScripts.interpreter(program).isEmpty();
  }

  @Override
  List<String> beginning(List<String> options) {
    List<String> words = new ArrayList<>(List.of(program.toString(), "--cuda-device-only"));
    words.addAll(places.options(environment));
    words.addAll(places.flagsOfHipcc(options));
    return words;
  }

  @Override
  List<String> macros(TargetId target) {
    return places.macros(target);
  }
}
