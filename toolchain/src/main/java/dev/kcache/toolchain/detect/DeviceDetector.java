// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import dev.kcache.codeobject.Digest;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.RocmFinder;
import dev.kcache.rocm.RocmProgram;
import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.probe.FileStamps;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.probe.ProbeResults;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Lists the visible AMD GPUs of this machine: by rocminfo, else by hipinfo, else by the kernel,
 * else by amdgpu-arch, offload-arch or rocm_agent_enumerator. It never guesses.
 *
 * <p>A tool's list is stored under the kernel's topology and the tool's variables, and holds while
 * the tool's files are unchanged. Without a topology, as under WSL, nothing would show a change, so
 * no list is stored. Neither are empty lists and failures. HIP's own visibility is applied
 * afterwards, so that processes with different visible GPUs share one list.
 *
 * <p>Safe for use by any number of threads. Messages of exceptions are phrases that can follow
 * "and".
 */
public final class DeviceDetector {
  private static final String SCHEMA = "kcache.devices/1";
  private static final String OVERRIDE = "HSA_OVERRIDE_GFX_VERSION";
  private final Environment variables;
  private final RocmFinder finder;
  private final Supplier<Path> stagingParent;
  private final Duration timeout;
  private final Host host;
  private final InstantSource clock;
  private final ProbeResults answers;
  private final System.Logger logger;

  public DeviceDetector(
      Environment variables,
      Supplier<Path> stagingParent,
      Optional<Path> memoDirectory,
      Duration timeout,
      Host host,
      InstantSource clock,
      System.Logger logger) {
    this.variables = variables;
    this.finder = RocmFinder.of(variables, host.root());
    this.stagingParent = stagingParent;
    this.timeout = timeout;
    this.host = host;
    this.clock = clock;
    this.answers = new ProbeResults(ProbeCache.in(memoDirectory, host), new FileStamps(clock));
    this.logger = logger;
  }

  /** Returns whether the kernel has a driver for AMD's GPUs. */
  public boolean isPresent() {
    return Files.exists(KernelGpus.on(host).kfd());
  }

  /** Returns whether a tool of ROCm's is installed. */
  public boolean canAsk() {
    return Stream.of(DeviceTool.values()).anyMatch(tool -> tool.find(finder).isPresent());
  }

  /**
   * Returns the devices, at least one, in the order of their ordinals.
   *
   * @throws TargetDetectionException if they can't be listed, there is none, none is visible, or
   *     one has an unknown processor
   */
  public List<DetectedDevice> devices() {
    Optional<List<DetectedDevice>> listed = listed(DeviceTool.ROCMINFO, DeviceTool.HIPINFO);
    if (listed.isPresent()) {
      return listed.get();
    }
    List<ListedGpu> kernels = kernels();
    boolean overridden = variables.startingWith(OVERRIDE).findAny().isPresent();
    if (!kernels.isEmpty() && !overridden) {
      Optional<VisibleDevices> ofHsa = VisibleDevices.ofHsa(variables);
      return check(
          KernelGpus.on(host).topology().nodes().toString(),
          shown(ofHsa.isPresent() ? shown(ofHsa.get(), kernels) : kernels));
    }
    return listed(DeviceTool.LLVM)
        .or(() -> overridden ? Optional.empty() : listed(DeviceTool.ENUMERATOR))
        .orElseThrow(() -> unlisted(kernels));
  }

  /** Asks the first installed one of some tools. */
  private Optional<List<DetectedDevice>> listed(DeviceTool... tools) {
    for (DeviceTool tool : tools) {
      Optional<RocmProgram> found = tool.find(finder);
      if (found.isPresent()) {
        finder.mixture(found.get()).ifPresent(both -> Notices.warn(logger, both));
        Path program = found.get().file();
        List<ListedGpu> all = list(new DeviceQuery(tool, program, variables, host, timeout));
        return Optional.of(check(program.toString(), tool.isBelowHip() ? shown(all) : all));
      }
    }
    return Optional.empty();
  }

  private List<ListedGpu> list(DeviceQuery query) {
    Optional<Digest> topology = KernelGpus.on(host).topology().digest();
    if (topology.isEmpty()) {
      return query.ask(stagingParent, clock).gpus();
    }
    Digest.Builder question =
        Digest.builder()
            .text(SCHEMA)
            .text(query.program().toString())
            .text(topology.get().toString());
    for (Map.Entry<String, String> variable : query.environment().entrySet()) {
      question.text(variable.getKey()).text(variable.getValue());
    }
    return DeviceQuery.Listing.gpus(
        answers.get(
            question.build(),
            DeviceQuery.Listing::isSound,
            () -> query.ask(stagingParent, clock).toAnswer()));
  }

  /** The kernel's list is used if no tool is installed and nothing overrides it. */
  private List<ListedGpu> kernels() {
    return isPresent() ? KernelGpus.on(host).topology().gpus() : List.of();
  }

  private TargetDetectionException unlisted(List<ListedGpu> kernels) {
    return new TargetDetectionException(
        kernels.isEmpty()
            ? noTool(finder)
            : "%s is set, what it does to %s only rocminfo can tell, and there is none in %s"
                .formatted(OVERRIDE, ListedGpu.describe(kernels), finder.describe()));
  }

  /** Returns what to say where no tool is installed, by the name of the system's own one. */
  static String noTool(RocmFinder finder) {
    String tool = finder.windows() ? "hipInfo.exe" : "rocminfo";
    return "there is no " + tool + " in " + finder.describe();
  }

  private List<ListedGpu> shown(List<ListedGpu> all) {
    return VisibleDevices.ofHip(variables).map(list -> shown(list, all)).orElse(all);
  }

  private static List<ListedGpu> shown(VisibleDevices list, List<ListedGpu> all) {
    List<ListedGpu> shown = list.of(all);
    if (shown.isEmpty()) {
      throw new TargetDetectionException(
          "%s shows none of %s; unset it or name one of them, the first being 0"
              .formatted(list.describe(), ListedGpu.describe(all)));
    }
    return shown;
  }

  private static List<DetectedDevice> check(String origin, List<ListedGpu> gpus) {
    return gpus.stream().map(gpu -> gpu.detected(origin, "HIP_VISIBLE_DEVICES")).toList();
  }
}
