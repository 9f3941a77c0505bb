// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.SharedLibraries;
import dev.kcache.toolchain.process.ProgramRunner;
import dev.kcache.toolchain.process.RunLimits;
import dev.kcache.toolchain.process.Staging;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Asks one tool for the GPUs.
 *
 * @param tool the tool
 * @param program its path
 * @param variables the environment; the tool gets the variables that concern it
 * @param host the machine that it runs on
 * @param timeout the time limit
 */
public record DeviceQuery(
    DeviceTool tool, Path program, Environment variables, Host host, Duration timeout) {
  /** The last line of rocminfo; a crash after it, when the runtime shuts down, does no harm. */
  private static final String COMPLETE = "*** Done ***";

  /**
   * The tool's answer.
   *
   * @param gpus the GPUs in order, at least one
   * @param files the files that the answer depends on
   * @param asked when the tool was started
   */
  public record Listing(List<ListedGpu> gpus, Set<Path> files, Instant asked) {
    /** Returns the GPUs of a {@linkplain #isSound sound} answer. */
    public static List<ListedGpu> gpus(ProbeResult answer) {
      return answer.lines().stream().map(Listing::gpu).toList();
    }

    private static ListedGpu gpu(List<String> line) {
      Optional<String> uuid = Optional.of(line.get(2)).filter(text -> !text.isEmpty());
      return new ListedGpu(line.get(0), line.get(1), uuid);
    }

    /** Returns whether an answer lists GPUs, all of them known to this version. */
    public static boolean isSound(ProbeResult answer) {
      return !answer.lines().isEmpty()
          && answer.lines().stream().allMatch(line -> line.size() == 3 && isTarget(line.get(0)));
    }

    /** Returns the answer to store; one with an unknown GPU is not stored. */
    ProbeResult toAnswer() {
      List<List<String>> lines =
          gpus.stream()
              .map(gpu -> List.of(gpu.target(), gpu.name(), gpu.uuid().orElse("")))
              .toList();
      ProbeResult answer = ProbeResult.dependingOn(files, lines, asked);
      return isSound(answer) ? answer : new ProbeResult(lines, answer.watched(), false);
    }

    private static boolean isTarget(String text) {
      try {
        TargetId.parse(text);
        return true;
      } catch (IllegalArgumentException e) {
        return false;
      }
    }
  }

  /** Returns the variables that the answer depends on, sorted. */
  Map<String, String> environment() {
    return tool.environment(variables);
  }

  /**
   * Runs the tool.
   *
   * @throws TargetDetectionException if it fails or lists no GPU
   */
  Listing ask(Supplier<Path> stagingParent, InstantSource clock) {
    Instant asked = clock.instant();
    try (ProgramRunner runner = ProgramRunner.create(variables.searchPath());
        Staging staging = Staging.create(stagingParent)) {
      ProgramResult outcome = run(runner, staging, List.of(program.toString()));
      List<ListedGpu> gpus = tool.parse(outcome.output());
      boolean complete = outcome.succeeded() || outcome.output().contains(COMPLETE);
      if (gpus.isEmpty() || !complete) {
        throw new TargetDetectionException(
            new ListingFailure(program, outcome, complete, variables, host).explain());
      }
      return new Listing(gpus, files(libraries(runner, staging)), asked);
    } catch (ToolchainNotFoundException e) {
      throw new TargetDetectionException(program + " can't be run: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TargetDetectionException("interrupted while " + program + " ran");
    }
  }

  /**
   * Returns the files on which the answer depends beside the kernel's topology: the tool, its
   * libraries and their search path, and the device, which is created when the machine or its
   * container starts. The state of a GPU's features may change with a start.
   */
  private Set<Path> files(Set<Path> libraries) {
    Set<Path> files = new LinkedHashSet<>(libraries);
    files.add(program);
    files.add(KernelGpus.on(host).kfd());
    files.add(SharedLibraries.CACHE);
    files.addAll(variables.listed("LD_LIBRARY_PATH"));
    return files;
  }

  private Set<Path> libraries(ProgramRunner runner, Staging staging) throws InterruptedException {
    Optional<List<String>> ldd = SharedLibraries.command(program, variables.searchPath());
    return ldd.isEmpty() ? Set.of() : SharedLibraries.in(run(runner, staging, ldd.get()).output());
  }

  private ProgramResult run(ProgramRunner runner, Staging staging, List<String> command)
      throws InterruptedException {
    Map<String, String> complete = new TreeMap<>(environment());
    complete.put("PATH", variables.searchPathText());
    complete.put("TMPDIR", staging.temporary().toString());
    return runner.run(command, staging, complete, RunLimits.ofProbe(timeout));
  }
}
