// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.toSet;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** {@code kcache targets}: tells which targets there are, here and at all. */
final class TargetsCommand extends Verb {
  private final TargetsOption targets =
      new TargetsOption(
          "Only the processors of these targets: target IDs, families such as gfx94X-dcgpu, or",
          "products such as MI300X. Repeatable.");

  private final ToolchainOption toolchain = new ToolchainOption();

  TargetsCommand(CliContext context) {
    super(context);
  }

  @Override
  CommandSpec spec() {
    return spec(
        "targets",
        List.of(targets.argument(), toolchain.argument()),
        "Lists what kernels can be compiled for.",
        "One line per processor: the features that its target ID may name, whether the compiler here",
        "makes code for it, how many such GPUs this machine shows, the families it belongs to, and",
        "products that have it, or for a generic processor, its members. Then one line per family.",
        "A question mark stands where there is no compiler to ask, a dash where no GPU is found.");
  }

  @Override
  public Integer call() {
    TargetsReport report;
    try (CacheManager cache = toolchain.applyTo(options.cache(context)).build()) {
      Optional<List<TargetId>> devices =
          known(() -> cache.devices().stream().map(DetectedDevice::target).toList());
      List<Processor> processors = processors(devices.orElse(List.of()));
      report = new TargetsReport(processors, compiled(cache, processors), devices);
    }
    show("targets", report);
    return ExitCode.OK;
  }

  private Map<Platform, Set<Processor>> compiled(CacheManager cache, List<Processor> processors) {
    Map<Platform, Set<Processor>> compiled = new EnumMap<>(Platform.class);
    processors.stream()
        .map(Processor::platform)
        .distinct()
        .forEach(
            platform ->
                known(() -> cache.toolchain(platform).processors())
                    .ifPresent(set -> compiled.put(platform, set)));
    return compiled;
  }

  /**
   * Generic processors come last, as less often asked for. NVIDIA's are there only when asked for,
   * where this machine has one, or where HIP_PLATFORM names it.
   */
  private List<Processor> processors(List<TargetId> devices) {
    Set<Processor> asked = targets.targets().stream().map(TargetId::processor).collect(toSet());
    Set<Platform> platforms = EnumSet.of(Platform.AMD);
    Platform.named(context.environment().getOrDefault("HIP_PLATFORM", ""))
        .ifPresent(platforms::add);
    devices.forEach(device -> platforms.add(device.processor().platform()));
    return Stream.of(false, true)
        .flatMap(
            generic -> Stream.of(Processor.values()).filter(each -> each.isGeneric() == generic))
        .filter(
            processor ->
                asked.isEmpty()
                    ? platforms.contains(processor.platform())
                    : asked.contains(processor))
        .toList();
  }

  /** What a machine lacks is a gap in the list and no failure of it. */
  private <T> Optional<T> known(Supplier<T> question) {
    try {
      return Optional.of(question.get());
    } catch (ToolchainNotFoundException | TargetDetectionException e) {
      context.warning(Problem.of(e).line());
      return Optional.empty();
    }
  }
}
