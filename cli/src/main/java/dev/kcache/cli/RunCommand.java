// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipRuntime;
import dev.kcache.kernels.KernelManager;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** {@code kcache run}: shows that a kernel runs on this machine's GPU, and how long that takes. */
final class RunCommand extends Verb {
  private final Argument<String> kernel =
      Argument.parameter(
          "KERNEL",
          text -> Converters.only(VectorAdd.KERNEL, text, "is not a kernel to run; there is vadd"),
          "The kernel: vadd, which adds two vectors of floats.");

  private final Argument<Integer> elements =
      Argument.optionOr(
          "1M",
          "--n",
          "COUNT",
          Converters::elements,
          "How many elements, such as 1000, 64k or 1M (a million), the default.");

  private final Argument<String> selector =
      Argument.optionOr(
          "0",
          "--device",
          "DEVICE",
          Converters::text,
          "The device: its ordinal, its UUID such as GPU-0e12865a3bf5b7ab or the start of that, or"
              + " its",
          "PCI bus ID such as 0000:03:00.0. Default: 0.");

  private final ToolchainOption toolchain = new ToolchainOption();

  RunCommand(CliContext context) {
    super(context);
  }

  @Override
  CommandSpec spec() {
    return spec(
        "run",
        List.of(kernel, elements, selector, toolchain.argument()),
        "Compiles a kernel through the cache, launches it on a GPU and checks the result.",
        "Prints what happened and how long each stage took. Exit code 1 if the result is wrong, 3"
            + " if",
        "the machine lacks a runtime, a GPU or a compiler.");
  }

  @Override
  public Integer call() {
    Stages stages = new Stages(context.nanoTime());
    HipDevice device =
        stages.time(
            "runtime, device",
            () -> HipRuntime.find(context.environment()).device(selector.value()));
    try (CacheManager cache = toolchain.applyTo(options.cacheWithMemory(context)).build();
        KernelManager kernels = KernelManager.builder().device(device).cache(cache).build()) {
      VectorAdd.Result result = new VectorAdd(kernels, elements.value(), stages).run();
      RunReport report =
          new RunReport(kernel.value(), device, elements.value(), result, stages.done());
      show("run", report);
      return result.mismatch().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }
  }
}
