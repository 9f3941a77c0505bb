// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

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

  InspectCommand(CliContext context) {
    super(context, "inspect", "Shows the target and the kernels of a code object.", "");
  }

  @Override
  public Integer call() {
    InspectReport report = new CodeObjectFinder(this).find(subject.value(), device.valueOrNull());
    show(report::writeTo, report::print);
    return ExitCode.OK;
  }
}
