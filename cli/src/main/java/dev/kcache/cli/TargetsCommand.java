// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.toSet;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.DetectedDevice;
import dev.kcache.cache.TargetDetectionException;
import dev.kcache.cache.ToolchainNotFoundException;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code kcache targets}: tells which targets there are, here and at all. */
@Command(
    name = "targets",
    description = {
      "Lists what kernels can be compiled for.",
      "One line per processor: the features that its target ID may name, whether the compiler here",
      "makes code for it, how many such GPUs this machine shows, the families it belongs to, and",
      "products that have it, or for a generic processor, its members. Then one line per family.",
      "A question mark stands where there is no compiler to ask, a dash where no GPU is found."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false)
final class TargetsCommand implements Callable<Integer> {
  private final CliContext context;

  @Option(
      names = "--arch",
      paramLabel = "TARGET",
      converter = Converters.Targets.class,
      description = {
        "Only the processors of these targets: target IDs, families such as gfx94X-dcgpu, or",
        "products such as MI300X. Repeatable."
      })
  private List<TargetGroup> targets = List.of();

  @Mixin private final CommonOptions options = new CommonOptions();

  /** Creates the command for the given surroundings. */
  TargetsCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    KnownTargets known;
    try (CacheManager cache = options.cache(context).build()) {
      known =
          new KnownTargets(
              processors(),
              known(() -> cache.toolchain(Platform.AMD).processors()),
              known(() -> cache.devices().stream().map(DetectedDevice::target).toList()));
    }
    if (options.json) {
      new JsonReport(context.out()).targets(known);
    } else {
      new TargetsReport(context.out()).print(known);
    }
    return ExitCode.OK;
  }

  /**
   * Generic processors come last, as less often asked for. NVIDIA's are there only when asked for:
   * hipcc compiles for none of them.
   */
  private List<Processor> processors() {
    Set<Processor> asked =
        targets.stream()
            .flatMap(group -> group.targets().stream())
            .map(TargetId::processor)
            .collect(toSet());
    return Stream.of(false, true)
        .flatMap(
            generic -> Stream.of(Processor.values()).filter(each -> each.isGeneric() == generic))
        .filter(
            processor ->
                targets.isEmpty()
                    ? processor.platform() == Platform.AMD
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
