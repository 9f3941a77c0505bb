// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipRuntime;
import dev.kcache.kernels.KernelManager;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kcache run}: shows that a kernel runs on this machine's GPU, and how long that takes. */
@Command(
    name = "run",
    description = {
      "Compiles a kernel through the cache, launches it on a GPU and checks the result.",
      "Prints what happened and how long each stage took. Exit code 1 if the result is wrong, 3 if",
      "the machine lacks a runtime, a GPU or a compiler."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false)
final class RunCommand implements Callable<Integer> {
  private final CliContext context;

  @Parameters(
      index = "0",
      paramLabel = "KERNEL",
      converter = Converters.Demonstration.class,
      description = "The kernel: vadd, which adds two vectors of floats.")
  private String kernel = VectorAdd.KERNEL;

  @Option(
      names = "--n",
      paramLabel = "COUNT",
      defaultValue = "1M",
      converter = Converters.Elements.class,
      description = "How many elements, such as 1000, 64k or 1M (a million), the default.")
  private int elements;

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      defaultValue = "0",
      description = {
        "The device: its ordinal, its UUID such as GPU-0e12865a3bf5b7ab or the start of that, or its",
        "PCI bus ID such as 0000:03:00.0. Default: 0."
      })
  private String selector = "0";

  @Mixin private final CommonOptions options = new CommonOptions();

  /** Creates the command for the given surroundings. */
  RunCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Stages stages = new Stages(context.nanoTime());
    HipDevice device =
        stages.time(
            "runtime, device", () -> HipRuntime.find(context.environment()).device(selector));
    try (CacheManager cache = options.cache(context).build();
        KernelManager kernels = KernelManager.builder().device(device).cache(cache).build()) {
      VectorAdd.Result result = new VectorAdd(kernels, elements, stages).run();
      RunReport report = new RunReport(kernel, device, elements, result, stages.done());
      if (options.json) {
        new JsonReport(context.out()).run(report);
      } else {
        report.print(context.out());
      }
      return result.mismatch().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }
  }
}
