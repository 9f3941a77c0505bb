// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import dev.kcache.codeobject.Digest;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.FileStamps;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.probe.ProbeResults;
import dev.kcache.toolchain.process.ProgramRunner;
import dev.kcache.toolchain.process.RunLimits;
import dev.kcache.toolchain.process.Staging;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lists the visible NVIDIA GPUs of this machine by nvidia-smi. It never guesses.
 *
 * <p>The list is stored under the description of driver and GPUs in the kernel, if there is one.
 * Empty lists and failures aren't stored. {@code CUDA_VISIBLE_DEVICES} is applied afterwards.
 *
 * <p>Safe for use by any number of threads. Messages of exceptions are phrases that can follow
 * "and".
 */
public final class NvidiaDetector {
  private static final String SCHEMA = "kcache.nvidia-devices/1";
  private static final String PROGRAM = "nvidia-smi";
  private static final List<String> QUERY =
      List.of("--query-gpu=compute_cap,uuid,name", "--format=csv,noheader");
  private static final Pattern LINE = Pattern.compile("(\\d{1,2})\\.(\\d), ?(GPU-[^,]*), ?(.*)");
  private static final String VISIBLE = "CUDA_VISIBLE_DEVICES";
  private static final String MIG_PREFIX = "MIG-";
  private static final String ORDER = "CUDA_DEVICE_ORDER";
  private final Environment variables;
  private final Supplier<Path> stagingParent;
  private final Duration timeout;
  private final Host host;
  private final InstantSource clock;
  private final ProbeResults answers;

  public NvidiaDetector(
      Environment variables,
      Supplier<Path> stagingParent,
      Optional<Path> memoDirectory,
      Duration timeout,
      Host host,
      InstantSource clock) {
    this.variables = variables;
    this.stagingParent = stagingParent;
    this.timeout = timeout;
    this.host = host;
    this.clock = clock;
    this.answers = new ProbeResults(ProbeCache.in(memoDirectory, host), new FileStamps(clock));
  }

  /** Returns whether the driver's own tool is installed. */
  public boolean canAsk() {
    return program().isPresent();
  }

  /**
   * Returns the devices, at least one, in the order of the PCI bus. For different GPUs that may not
   * be CUDA's order.
   *
   * @throws TargetDetectionException if they can't be listed, there is none, none is visible, or
   *     one has an unknown processor
   */
  public List<DetectedDevice> devices() {
    return shown(all());
  }

  /**
   * Returns all GPUs, at least one, including hidden ones.
   *
   * @throws TargetDetectionException if they can't be listed, or there is none
   */
  public List<ListedGpu> all() {
    return list(requireProgram());
  }

  /**
   * Returns the visible ones of some GPUs, at least one.
   *
   * @throws TargetDetectionException if none is visible, or one has an unknown processor
   */
  public List<DetectedDevice> shown(List<ListedGpu> all) {
    String origin = requireProgram().toString();
    return unhidden(all).stream().map(gpu -> gpu.detected(origin, VISIBLE)).toList();
  }

  private Path requireProgram() {
    return program()
        .orElseThrow(
            () ->
                new TargetDetectionException(
                    "there is no nvidia-smi on the PATH; install NVIDIA's driver"));
  }

  private Optional<Path> program() {
    return Environment.program(PROGRAM, variables.searchPath());
  }

  private List<ListedGpu> list(Path program) {
    Optional<Digest> driver = KernelGpus.on(host).nvidiaDriver();
    if (driver.isEmpty()) {
      return ask(program).gpus();
    }
    Digest question =
        Digest.builder()
            .text(SCHEMA)
            .text(program.toString())
            .text(driver.get().toString())
            .build();
    return DeviceQuery.Listing.gpus(
        answers.get(question, DeviceQuery.Listing::isSound, () -> ask(program).toAnswer()));
  }

  private DeviceQuery.Listing ask(Path program) {
    Instant asked = clock.instant();
    try (ProgramRunner runner = ProgramRunner.create(variables.searchPath());
        Staging staging = Staging.create(stagingParent)) {
      List<String> command = new ArrayList<>(List.of(program.toString()));
      command.addAll(QUERY);
      Map<String, String> environment = Map.of("PATH", variables.searchPathText());
      ProgramResult outcome = runner.run(command, staging, environment, RunLimits.ofProbe(timeout));
      List<ListedGpu> gpus = parse(outcome.output());
      if (!outcome.succeeded() || gpus.isEmpty()) {
        throw new TargetDetectionException(program + " " + failure(outcome));
      }
      return new DeviceQuery.Listing(gpus, Set.of(program), asked);
    } catch (ToolchainNotFoundException e) {
      throw new TargetDetectionException(program + " can't be run: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TargetDetectionException("interrupted while " + program + " ran");
    }
  }

  static List<ListedGpu> parse(String printed) {
    List<ListedGpu> gpus = new ArrayList<>();
    for (String line : printed.lines().map(String::strip).toList()) {
      Matcher gpu = LINE.matcher(line);
      if (gpu.matches()) {
        gpus.add(
            new ListedGpu(
                "sm_" + gpu.group(1) + gpu.group(2), gpu.group(4), Optional.of(gpu.group(3))));
      }
    }
    return gpus;
  }

  private static String failure(ProgramResult outcome) {
    String said = outcome.complaint().map(line -> ": " + line).orElse("");
    return switch (outcome.end()) {
      case TIMED_OUT, PRINTED_TOO_MUCH, WROTE_TOO_MUCH -> outcome.excess().orElseThrow();
      case KILLED, CLOSED -> "was killed";
      case EXITED -> (outcome.succeeded() ? "lists no GPU" : "failed") + said;
    };
  }

  /**
   * nvidia-smi counts by PCI bus, CUDA by speed unless {@code CUDA_DEVICE_ORDER} is set, so a
   * number is ambiguous among different GPUs. A part of a GPU (MIG) has the processor of the GPU.
   */
  private List<ListedGpu> unhidden(List<ListedGpu> all) {
    Optional<String> value = variables.raw(VISIBLE);
    if (value.isEmpty()) {
      return all;
    }
    boolean alike = all.stream().map(ListedGpu::target).distinct().count() == 1;
    if (alike && value.get().contains(MIG_PREFIX)) {
      return all.subList(0, 1);
    }
    if (!alike
        && value.get().strip().matches("\\d.*")
        && !variables.get(ORDER).filter("PCI_BUS_ID"::equals).isPresent()) {
      throw new TargetDetectionException(
          "%s='%s' chooses among %s by CUDA's own order; set %s=PCI_BUS_ID, or name UUIDs"
              .formatted(VISIBLE, value.get(), ListedGpu.describe(all), ORDER));
    }
    List<ListedGpu> shown = VisibleDevices.ofCuda(value.get().replace(" ", "")).of(all);
    if (shown.isEmpty()) {
      throw new TargetDetectionException(
          "%s='%s' shows none of %s; unset it or name one of them, the first being 0"
              .formatted(VISIBLE, value.get(), ListedGpu.describe(all)));
    }
    return shown;
  }
}
