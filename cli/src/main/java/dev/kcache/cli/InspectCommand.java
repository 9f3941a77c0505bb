// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.TargetId;

/** {@code kcache inspect}: shows a code object, and what its kernels take and use. */
final class InspectCommand extends Verb {
  private final Argument<String> subject =
      arguments.parameter(
          "FILE|ENTRY",
          Converters::text,
          "A code object or a bundle, plain or compressed; or the first digits of a code object"
              + " in the cache, as 'kcache list' shows them.");

  private final Argument<TargetId> device =
      arguments.option(
          "--arch",
          "TARGET",
          Converters::device,
          "Show only what the runtime would load on this device.");

  private final Argument<String> kernel =
      arguments.option(
          "--kernel",
          "NAME",
          Converters::text,
          "Show only this kernel, named as in the code object or in C++.");

  private final Argument<Boolean> disassemble =
      arguments.flag(
          "--disassemble", "Show the kernels' code, too; needs LLVM's llvm-objdump. AMD only.");

  InspectCommand(CliContext context) {
    super(context, "inspect", "Shows the target and the kernels of a code object.", "");
  }

  @Override
  boolean asksRemotes() {
    return false;
  }

  @Override
  public Integer call() throws InterruptedException {
    InspectReport report = new CodeObjectFinder(this).find(subject.value(), device.valueOrNull());
    KernelReports kernels =
        new KernelReports(
            report,
            kernel.valueOrNull(),
            disassemble.value(),
            CacheManager.tools(context.environment()));
    show(json -> report.writeTo(json, kernels), out -> report.print(out, kernels));
    return ExitCode.OK;
  }
}
