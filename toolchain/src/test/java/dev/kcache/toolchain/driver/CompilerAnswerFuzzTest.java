// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static dev.kcache.toolchain.standin.Invariants.require;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.probe.CommandLines;
import dev.kcache.toolchain.probe.CompilerFiles;
import dev.kcache.toolchain.probe.HipVersion;
import dev.kcache.toolchain.probe.MakeRule;
import dev.kcache.toolchain.probe.NvccDryRun;
import dev.kcache.toolchain.probe.WrapperScripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;

/**
 * A compiler, or what stands in for it, may answer anything when it is asked what it is and what it
 * would do; see {@code scripts/fuzz answers}.
 */
class CompilerAnswerFuzzTest {
  private static final String TEMPORARY = "/tmp/kcache-1/tmp";

  @TempDir static Path directory;

  @DictionaryEntries({
    "HIP version: 6.4.43484-9999\\x0a",
    "nvcc: NVIDIA",
    "Cuda compilation tools, release 13.0, V13.0.88\\x0a",
    "Configuration file: /opt/rocm/llvm/bin/clang++.cfg\\x0a",
    "\\x0a \\x22/usr/bin/clang\\x22 \\x22-cc1\\x22",
    " \\x22-resource-dir\\x22 \\x22/usr/lib/clang\\x22",
    " \\x22-I/usr/include\\x22",
    "\\\\\\x22",
    ": warning: ",
    "#$ _HERE_=/usr/local/cuda/bin\\x0a",
    "#$ PATH=/usr/bin:\\x0a",
    "#$ cicc --arch $ARCH \\x22a b\\x22\\x0a",
    "/tmp/kcache-1/tmp/x",
    "#!/bin/sh\\x0aexec /bin/true\\x0a",
    "x: a.hip \\\\\\x0a  b\\\\ c.h $$d.h\\x0a"
  })
  @FuzzTest
  void parse(byte[] bytes) throws IOException {
    String printed = new String(bytes, UTF_8);
    readVersions(printed);
    try {
      readCommands(printed);
      readDryRun(printed);
    } catch (InvalidPathException e) {
      require(printed.indexOf('\0') >= 0, "only NUL is in no path");
    }
    readRule(printed);
    if (printed.startsWith("#!")) {
      readScript(bytes);
    }
  }

  private static void readVersions(String printed) {
    ProgramResult outcome =
        new ProgramResult(
            ProgramResult.End.EXITED, 0, printed, "", Duration.ZERO, Optional.empty());
    HipVersion.parse(outcome)
        .ifPresent(
            version -> {
              require(printed.contains(version.version()), "what is told is printed");
              require(
                  CompilerVersion.ofLines(version.toLines()).filter(version::equals).isPresent(),
                  "a version is remembered as it is");
              require(version.version().startsWith(version.label().text()), "with its label");
            });
    NvccDialect.version(printed)
        .ifPresent(
            version -> {
              require(printed.contains("V" + version.version()), "what is told is printed");
              require(
                  CompilerVersion.ofLines(version.toLines()).filter(version::equals).isPresent(),
                  "a version is remembered as it is");
            });
  }

  private static void readCommands(String printed) {
    PlannedCommands commands = CommandLines.parse(printed, TEMPORARY);
    for (List<String> command : commands.commands()) {
      require(!command.isEmpty(), "a command has a program");
      require(
          command.stream().noneMatch(word -> word.startsWith(TEMPORARY + "/")),
          "no name of a temporary file is kept");
    }
    List<List<String>> quoted = CommandLines.parse(print(commands), TEMPORARY).commands();
    require(quoted.equals(words(commands)), "words are read as the driver prints them");
    CommandLines.programs(commands.commands(), CompilerFiles.LOCAL)
        .forEach(program -> require(program.isAbsolute(), "a place"));
    CommandLines.includeDirectories(commands.commands());
    CommandLines.files(commands, CompilerFiles.LOCAL);
  }

  /** Returns commands as clang prints them. */
  private static String print(PlannedCommands commands) {
    return words(commands).stream()
        .map(
            command ->
                command.stream()
                    .map(word -> " \"" + word.replaceAll("([\"\\\\$])", "\\\\$1") + "\"")
                    .collect(Collectors.joining()))
        .collect(Collectors.joining("\n"));
  }

  private static List<List<String>> words(PlannedCommands commands) {
    return commands.commands().stream()
        .filter(command -> !command.equals(PlannedCommands.WARNING))
        .toList();
  }

  private static void readDryRun(String printed) {
    NvccDryRun dryRun = NvccDryRun.parse(printed);
    dryRun.home();
    require(dryRun.bitcode().size() == 2, "the library has a name");
    dryRun.commands().forEach(command -> require(!command.isEmpty(), "a program"));
    if (!dryRun.commands().isEmpty()) {
      dryRun.hostCompiler();
    }
  }

  private static void readRule(String printed) {
    for (String name : MakeRule.prerequisites(printed)) {
      require(!name.isEmpty(), "a file has a name");
      if (name.chars().noneMatch(c -> c == '\\' || c == '\t')) {
        String escaped = name.replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ");
        require(
            MakeRule.prerequisites("x: a \\\n  " + escaped + "\n").equals(List.of("a", name)),
            () -> "a name is read as the compiler writes it: " + escaped);
      }
    }
  }

  private static void readScript(byte[] bytes) throws IOException {
    Path script = directory.resolve("script");
    Files.write(script, bytes);
    for (Path program : WrapperScripts.behind(script)) {
      require(Environment.isProgram(program), "what is behind a script are programs");
    }
    require(WrapperScripts.interpreter(script).isPresent(), "a script has an interpreter");
  }
}
