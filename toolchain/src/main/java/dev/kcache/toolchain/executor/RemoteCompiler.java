// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.executor;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.stream.Collectors.joining;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.Diagnostic;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.DialectFacts.Trait;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.HipVersion;
import dev.kcache.toolchain.probe.LinuxPath;
import dev.kcache.toolchain.probe.RocmRelease;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The hipcc of an executor's machines.
 *
 * @param program its absolute path there
 * @param isAmds whether it is AMD's own, all of whose decisions stand in the commands that it
 *     prints; no script around it or around its clang
 * @param version its version
 */
record RemoteCompiler(LinuxPath program, boolean isAmds, CompilerVersion version) {
  /**
   * Finds hipcc, and copies what tells its release. Prints its path, whether it is AMD's own, the
   * root of its ROCm and its version. AMD's is a program, or in older versions a Perl script with
   * its parts beside it. Without a target it would ask the machine for its GPUs.
   */
  private static final String FIND =
      """
      p=$(command -v hipcc) || for c in /opt/rocm*/bin/hipcc; do
        [ -x "$c" ] && p=$c
      done
      [ -n "$p" ] || exit 127
      r=$(readlink -f -- "$p")
      is_script() { [ "$(head -c 2 <"$1" | tr -d '\\0')" = '#!' ]; }
      own=yes
      if is_script "$r" && ! { head -n 1 "$r" | grep -q perl && [ -e "${r%/*}/hipvars.pm" ]; }; then
        own=no
      fi
      for c in "${r%/*}"/../llvm/bin/clang "${r%/*}"/../llvm/bin/clang++ "${r%/*}"/../llvm/bin/clang-[0-9]*; do
        [ -f "$c" ] && is_script "$c" && own=no
      done
      root=
      for d in "${p%/*}/.." "${r%/*}/.."; do
        [ -z "$root" ] && [ -f "$d/include/hip/hip_version.h" ] && root=$(cd "$d" && pwd -P)
      done
      printf '%s\\n%s\\n%s\\n' "$p" "$own" "$root"
      for f do
        [ -f "$root/$f" ] && mkdir -p "../rocm/${f%/*}" && cp "$root/$f" "../rocm/$f"
      done
      exec "$p" --version --offload-arch=gfx900
      """;

  private static final int LINES = 3;
  private static final int MISSING = 127;
  private static final String COPIES = "rocm/";

  /**
   * Finds it.
   *
   * @throws ToolchainNotFoundException if it is not there, or no machine tells
   */
  static RemoteCompiler find(RemoteMachine machine, Duration limit) {
    String where = machine.describe();
    String repair = machine.repair();
    List<String> program = new ArrayList<>(List.of("/bin/sh", "-c", FIND, "kcache"));
    program.addAll(RocmRelease.names());
    List<String> copies = RocmRelease.names().stream().map(COPIES::concat).toList();
    RemoteMachine.Run run = machine.ask(program, List.of(), copies, limit);
    ProgramResult result = run.result();
    List<String> lines = result.output().lines().toList();
    if (result.exitCode() == MISSING && lines.isEmpty()) {
      throw new ToolchainNotFoundException(
          where + " has no hipcc in its PATH or in /opt/rocm*/bin; " + repair);
    }
    if (lines.size() < LINES || !lines.get(0).startsWith("/")) {
      throw new ToolchainNotFoundException(
          where
              + " does not tell where its hipcc is"
              + result.complaint().map(": "::concat).orElse("")
              + "; "
              + repair);
    }
    LinuxPath compiler = LinuxPath.of(lines.get(0));
    CompilerVersion own =
        HipVersion.parse(withoutLines(result))
            .orElseThrow(
                () ->
                    new ToolchainNotFoundException(
                        "%s: %s printed no HIP version of 4.0 or later%s; %s"
                            .formatted(
                                where,
                                compiler,
                                Diagnostic.firstError(result.log()).map(": "::concat).orElse(""),
                                repair)));
    RocmRelease release = release(lines.get(2), run.files());
    return new RemoteCompiler(
        compiler,
        lines.get(1).equals("yes"),
        release.rocm().isPresent() ? release.version(own.text()).orElse(own) : own);
  }

  private static ProgramResult withoutLines(ProgramResult result) {
    String version = result.output().lines().skip(LINES).collect(joining("\n", "", "\n"));
    return new ProgramResult(
        result.end(),
        result.exitCode(),
        version,
        result.errors(),
        result.elapsed(),
        result.excess());
  }

  private static RocmRelease release(String root, Map<String, byte[]> copies) {
    return RocmRelease.in(
        Optional.of(root).filter(directory -> directory.startsWith("/")),
        name ->
            Optional.ofNullable(copies.get(COPIES + name))
                .map(text -> new String(text, ISO_8859_1)));
  }

  /** Returns this as the lines of an answer. */
  List<List<String>> toLines() {
    List<List<String>> lines = new ArrayList<>();
    lines.add(List.of(program.toString(), Boolean.toString(isAmds)));
    lines.addAll(version.toLines());
    return lines;
  }

  /** Returns what the lines of {@link #toLines} say; empty for other lines. */
  static Optional<RemoteCompiler> ofLines(List<List<String>> lines) {
    if (lines.size() != 2 || lines.get(0).size() != 2 || !lines.get(0).get(0).startsWith("/")) {
      return Optional.empty();
    }
    List<String> words = lines.get(0);
    return CompilerVersion.ofLines(lines.subList(1, 2))
        .map(
            version ->
                new RemoteCompiler(
                    LinuxPath.of(words.get(0)), Boolean.parseBoolean(words.get(1)), version));
  }

  /**
   * Returns the facts about it, whose path is for messages only.
   *
   * @param repair what to do about one that is of no use, as the end of a sentence
   */
  DialectFacts facts(String repair) {
    return new DialectFacts(
        Path.of(program.toString()),
        RemoteMachine.environment(),
        Platform.AMD,
        List.of(),
        repair,
        Optional.empty(),
        Set.of(Trait.HAS_LARGE_PREFIX));
  }
}
