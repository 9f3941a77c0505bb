// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.probe.HipVersion;
import dev.kcache.toolchain.probe.RocmRelease;
import dev.kcache.toolchain.probe.ToolchainPaths;
import dev.kcache.toolchain.probe.WrapperScripts;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** How to talk to a hipcc of AMD's. */
final class HipccDialect extends HipDialect {
  /**
   * Which every version knows. Without a target hipcc asks the machine for its GPUs, whatever it is
   * to do: five programs, Python among them, that take longer than all the rest of {@code
   * --version}.
   */
  private static final String ANY = "--offload-arch=gfx900";

  private static final List<String> WRAPPERS =
      List.of(
          "hipcc",
          "hipcc.pl",
          "hipcc.bin",
          "hipvars.pm",
          "hipconfig",
          "hipconfig.pl",
          "hipconfig.bin",
          ".hipVersion",
          "../share/hip/version");

  private static final Pattern CLANG = Pattern.compile("clang(\\+\\+)?(-\\d+)?(\\.exe)?");

  private final Path program;
  private final Map<String, String> environment;
  private final RocmRelease release;

  HipccDialect(DialectFacts facts) {
    program = facts.program();
    environment = facts.environment();
    release = RocmRelease.of(program, environment);
  }

  @Override
  public Set<Path> files(CompilerQuery query) {
    Set<Path> directories = new LinkedHashSet<>();
    directories.add(program.getParent());
    directories.add(ToolchainPaths.real(program).getParent());
    for (String variable : List.of("HIP_PATH", "ROCM_PATH")) {
      if (environment.containsKey(variable)) {
        directories.add(Path.of(environment.get(variable), "bin"));
      }
    }
    Set<Path> files = new LinkedHashSet<>(release.files());
    files.add(program);
    for (Path directory : directories) {
      WRAPPERS.forEach(name -> files.add(directory.resolve(name).normalize()));
    }
    files.addAll(WrapperScripts.behind(program));
    for (Path directory : clangDirectories()) {
      // A clang that is added there may be preferred to the one in use.
      files.add(directory);
      for (Path clang : clangs(directory)) {
        files.add(clang);
        files.addAll(WrapperScripts.behind(clang));
      }
    }
    return files;
  }

  /**
   * Returns where hipcc takes its clang from. The commands that it prints name the real one, and
   * not a script in its place.
   */
  private Set<Path> clangDirectories() {
    String named = environment.get("HIP_CLANG_PATH");
    if (named != null) {
      return Set.of(Path.of(named));
    }
    Set<Path> directories = new LinkedHashSet<>();
    String rocm = environment.get("ROCM_PATH");
    if (rocm != null) {
      directories.add(Path.of(rocm, "llvm", "bin"));
    }
    directories.add(part("../llvm/bin").normalize());
    return directories;
  }

  /** Returns what hipcc may run in a directory: its versions differ in the name. */
  private static List<Path> clangs(Path directory) {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "clang*")) {
        for (Path entry : entries) {
          if (CLANG.matcher(entry.getFileName().toString()).matches()) {
            found.add(ToolchainPaths.real(entry));
          }
        }
      } catch (IOException | DirectoryIteratorException e) {
        // hipcc says better than this what it can't run.
        return List.of();
      }
    }
    return found;
  }

  @Override
  public CompilerVersion version(CompilerQuery query) {
    ProgramResult result = query.ask(List.of(program.toString(), "--version", ANY));
    if (!result.succeeded()) {
      throw query.unusable(result, "'--version' failed");
    }
    CompilerVersion own =
        HipVersion.parse(result).orElseThrow(() -> query.unusable(result, noVersion(result)));
    return release.rocm().isPresent() ? release.version(own.text()).orElse(own) : own;
  }

  /** It was told to describe AMD's compiler, so that a wrapper around it must have overruled us. */
  private static String noVersion(ProgramResult outcome) {
    return HipVersion.drivesNvcc(outcome)
        ? "it drives nvcc although HIP_PLATFORM=amd is set for it"
        : "'--version' printed no HIP version of 4.0 or later";
  }

  /**
   * {@inheritDoc}
   *
   * <p>That is AMD's own: a program, or in older versions a Perl script with its parts beside it.
   * Somebody's wrapper around it or around its clang may set variables, or do something to the
   * result.
   */
  @Override
  public boolean runsAsPrinted() {
    boolean wrapped =
        clangDirectories().stream()
            .flatMap(directory -> clangs(directory).stream())
            .anyMatch(clang -> WrapperScripts.interpreter(clang).isPresent());
    return !wrapped && isAmds();
  }

  private boolean isAmds() {
    return WrapperScripts.interpreter(program)
        .map(line -> line.contains("perl") && Files.exists(part("hipvars.pm")))
        .orElse(true);
  }

  private Path part(String name) {
    return ToolchainPaths.real(program).resolveSibling(name);
  }

  /** --genco comes first, or hipcc 5.2 takes what follows for a link. */
  @Override
  List<String> beginning(List<String> options) {
    if (CmdOptions.concern(program)) {
      CmdOptions.objection(options)
          .ifPresent(
              objection -> {
                throw new CompilationException("options", objection, options, -1, "");
              });
    }
    return List.of(program.toString(), "--genco");
  }
}
