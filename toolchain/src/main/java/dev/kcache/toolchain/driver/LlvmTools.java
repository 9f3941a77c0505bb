// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.RocmFinder;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.process.ProgramRunner;
import dev.kcache.toolchain.process.RunLimits;
import dev.kcache.toolchain.process.Staging;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The programs of LLVM's that read code objects: {@code llvm-objdump} and {@code llvm-cxxfilt},
 * those of the compiler in use before any other. Older ones don't know each processor, so all are
 * tried in turn.
 *
 * <p>Safe for use by any number of threads.
 */
public final class LlvmTools {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String OBJDUMP = "llvm-objdump";
  private static final String IMAGE = "image.co";
  private static final String SYMBOLS = "symbols";

  /** A symbol of C++ that a file of arguments can have as it is. */
  private static final Pattern MANGLED = Pattern.compile("_Z[\\w.$]+");

  private static final Pattern PADDING = Pattern.compile("\\s*(?:$|s_nop 0|s_code_end)");

  private final Environment variables;
  private final Map<String, String> environment;
  private final Supplier<Path> stagingParent;
  private final Path root;

  /**
   * Creates the tools.
   *
   * @param environment the environment variables, by which they are found and with which they run
   * @param stagingParent returns a directory in which private directories are made
   */
  public LlvmTools(Map<String, String> environment, Supplier<Path> stagingParent) {
    this(environment, stagingParent, Path.of("/"));
  }

  LlvmTools(Map<String, String> environment, Supplier<Path> stagingParent, Path root) {
    this.environment = Map.copyOf(requireNonNull(environment, "environment"));
    this.variables = new Environment(environment);
    this.stagingParent = requireNonNull(stagingParent, "stagingParent");
    this.root = root;
  }

  /**
   * {@return the declarations in C++ of functions that have these symbols, by symbol} It lacks
   * those that are not C++'s, and has none where no program can tell: {@code llvm-cxxfilt}, else
   * binutils' {@code c++filt}.
   *
   * @param symbols mangled names
   * @throws InterruptedException if the thread is interrupted; the program has been ended
   */
  public Map<String, String> declarations(Collection<String> symbols) throws InterruptedException {
    requireNonNull(symbols, "symbols");
    List<String> mangled =
        symbols.stream().filter(each -> MANGLED.matcher(each).matches()).distinct().toList();
    List<Path> programs = new ArrayList<>(programs("llvm-cxxfilt"));
    Environment.program("c++filt", variables.searchPath()).ifPresent(programs::add);
    if (mangled.isEmpty() || programs.isEmpty()) {
      return Map.of();
    }
    try (ProgramRunner runner = ProgramRunner.create(variables.searchPath());
        Staging staging = Staging.create(stagingParent)) {
      // There may be more of them than a command line holds.
      Files.writeString(staging.work().resolve(SYMBOLS), String.join("\n", mangled) + "\n");
      for (Path program : programs) {
        List<String> command = List.of(program.toString(), "@" + SYMBOLS);
        List<String> lines = run(runner, staging, command).output().lines().toList();
        if (lines.size() == mangled.size()) {
          return changed(mangled, lines);
        }
      }
    } catch (IOException | ToolchainNotFoundException e) {
      System.getLogger(LlvmTools.class.getName())
          .log(System.Logger.Level.DEBUG, "names stay mangled", e);
    }
    return Map.of();
  }

  private static Map<String, String> changed(List<String> symbols, List<String> declarations) {
    Map<String, String> changed = new LinkedHashMap<>();
    for (int i = 0; i < symbols.size(); i++) {
      if (!symbols.get(i).equals(declarations.get(i))) {
        changed.put(symbols.get(i), declarations.get(i));
      }
    }
    return changed;
  }

  /**
   * {@return the code of kernels as {@code llvm-objdump} prints it, by kernel} The middle of one
   * that has more than a megabyte is left out, which a line says.
   *
   * @param code an AMDGPU ELF
   * @param kernels names of kernels of it
   * @throws ToolchainNotFoundException if there is no {@code llvm-objdump}, or none that reads it
   * @throws InterruptedException if the thread is interrupted; the program has been ended
   */
  public Map<String, String> disassembly(CodeObject code, List<String> kernels)
      throws InterruptedException {
    requireNonNull(code, "code");
    requireNonNull(kernels, "kernels");
    List<Path> programs = programs(OBJDUMP);
    if (programs.isEmpty()) {
      throw new ToolchainNotFoundException(
          "there is no llvm-objdump beside the compiler, in a ROCm or on PATH; install LLVM's tools"
              + " (package 'llvm' of most distributions, 'rocm-llvm' of AMD's)");
    }
    try (ProgramRunner runner = ProgramRunner.create(variables.searchPath());
        Staging staging = Staging.create(stagingParent)) {
      write(code.bytes(), staging.work().resolve(IMAGE));
      for (Path program : programs) {
        Map<String, String> disassembly = disassembly(runner, staging, program, kernels);
        if (disassembly.keySet().containsAll(kernels)) {
          return disassembly;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new ToolchainNotFoundException(
        "no llvm-objdump here can disassemble code for %s (tried %s); put that of a newer LLVM on PATH"
            .formatted(
                code.target().processor(),
                programs.stream().map(Path::toString).collect(joining(", "))));
  }

  /** Returns what a program prints for the kernels, up to the first that it fails for. */
  private Map<String, String> disassembly(
      ProgramRunner runner, Staging staging, Path program, List<String> kernels)
      throws InterruptedException {
    Map<String, String> disassembly = new LinkedHashMap<>();
    for (String kernel : kernels) {
      ProgramResult result =
          run(
              runner,
              staging,
              List.of(program.toString(), "-d", "--disassemble-symbols=" + kernel, IMAGE));
      String heading = "<" + kernel + ">:\n";
      int start = result.output().indexOf(heading);
      if (!result.succeeded() || start < 0) {
        break;
      }
      disassembly.put(kernel, unpadded(result.output().substring(start + heading.length())));
    }
    return disassembly;
  }

  /** Returns code without what compilers fill the room behind it with. */
  private static String unpadded(String code) {
    List<String> lines = code.lines().toList();
    int end = lines.size();
    while (end > 0 && PADDING.matcher(lines.get(end - 1)).lookingAt()) {
      end--;
    }
    return String.join("\n", lines.subList(0, end));
  }

  private List<Path> programs(String name) {
    return RocmFinder.of(variables, root).llvmPrograms(name);
  }

  private ProgramResult run(ProgramRunner runner, Staging staging, List<String> command)
      throws InterruptedException {
    return runner.run(command, staging, environment, RunLimits.ofCompile(LIMIT));
  }

  private static void write(ByteBuffer bytes, Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }
}
