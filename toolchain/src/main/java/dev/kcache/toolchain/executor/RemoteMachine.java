// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.executor;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.LinuxPath;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Runs programs on an executor's machines, in a directory that looks as {@link
 * dev.kcache.toolchain.process.Staging} does: the source is in {@code work}, and what is written
 * lies beside it.
 */
final class RemoteMachine {
  /** Where the source is, in the directory of a command. */
  static final String WORK = "work";

  /**
   * Where a worker has nothing else set, ROCm's own programs come first. The platform is AMD's, as
   * for a compiler here.
   */
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "HIP_PLATFORM", "amd",
          "PATH", "/opt/rocm/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");

  /** Writes down where it runs, which is another directory each time. */
  private static final String SETUP =
      """
      d=$(pwd -P) && mkdir -p tmp work && printf %s "$d" >directory && cd work || exit 125
      TMPDIR=$d/tmp
      export TMPDIR
      exec "$@"
      """;

  private static final String DIRECTORY = "directory";

  private final CommandExecutor executor;

  RemoteMachine(CommandExecutor executor) {
    this.executor = executor;
  }

  /**
   * What a program left.
   *
   * @param result how it ended
   * @param directory the directory that it ran in, on its machine
   * @param files what it wrote of the files that were asked for
   */
  record Run(ProgramResult result, LinuxPath directory, Map<String, byte[]> files) {
    LinuxPath work() {
      return directory.resolve(WORK);
    }

    LinuxPath temporary() {
      return directory.resolve("tmp");
    }
  }

  String describe() {
    return executor.describe();
  }

  String repair() {
    return executor.repair();
  }

  static Map<String, String> environment() {
    return ENVIRONMENT;
  }

  /**
   * Runs a program in {@code work}.
   *
   * @param sources relative to {@code work}
   * @param outputs relative to the directory that holds {@code work}
   * @throws IOException if no machine has run it
   */
  Run run(List<String> program, List<SourceFile> sources, List<String> outputs, Duration limit)
      throws IOException, InterruptedException {
    List<SourceFile> staged = new ArrayList<>();
    for (SourceFile source : sources) {
      staged.add(new SourceFile(WORK + "/" + source.path(), source.content()));
    }
    List<String> arguments = new ArrayList<>(List.of("/bin/sh", "-c", SETUP, "kcache"));
    arguments.addAll(program);
    CommandExecutor.Result result =
        executor.run(
            new CommandExecutor.Command(
                arguments,
                ENVIRONMENT,
                staged,
                Stream.concat(Stream.of(DIRECTORY), outputs.stream()).toList(),
                limit,
                executor.platform().isImmutable()));
    byte[] directory = result.outputs().getOrDefault(DIRECTORY, new byte[0]);
    return new Run(
        result.program(),
        LinuxPath.of(directory.length == 0 ? "/" : new String(directory, UTF_8)),
        result.outputs());
  }

  /**
   * As {@link #run}, for a question about the compiler.
   *
   * @throws ToolchainNotFoundException if there is no answer
   */
  Run ask(List<String> program, List<SourceFile> sources, List<String> outputs, Duration limit) {
    try {
      Run run = run(program, sources, outputs, limit);
      if (run.result().excess().isPresent()) {
        throw new ToolchainNotFoundException(
            "%s: %s %s; %s"
                .formatted(
                    executor.describe(),
                    program.get(0),
                    run.result().excess().get(),
                    run.result().firstWords()));
      }
      return run;
    } catch (IOException e) {
      throw notThere(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ToolchainNotFoundException(
          executor.describe() + ": interrupted while its compiler was asked");
    }
  }

  /** Returns the exception for machines that can't be reached. */
  ToolchainNotFoundException notThere(IOException reason) {
    ToolchainNotFoundException gone =
        new ToolchainNotFoundException(
            executor.describe() + " compiles nothing: " + reason.getMessage());
    gone.initCause(reason);
    return gone;
  }
}
