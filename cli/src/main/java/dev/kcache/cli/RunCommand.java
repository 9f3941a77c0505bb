// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipRuntime;
import dev.kcache.kernels.KernelManager;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** {@code kcache run}: shows that a kernel runs on this machine's GPU, and how long that takes. */
final class RunCommand extends Verb {
  private final Argument<String> kernel =
      arguments.parameter(
          "KERNEL",
          text -> Converters.only(VectorAdd.KERNEL, text, "is not a kernel to run; there is vadd"),
          "The kernel: vadd, which adds two vectors of floats.");

  private final Argument<Integer> elements =
      arguments.optionOr(
          "1M",
          "--n",
          "COUNT",
          Converters::elements,
          "How many elements, such as 1000, 64k or 1M (a million), the default.");

  private final Argument<String> selector =
      arguments.optionOr(
          "0",
          "--device",
          "DEVICE",
          Converters::text,
          "The device: its ordinal, its UUID such as GPU-0e12865a3bf5b7ab or the start of that,"
              + " or its PCI bus ID such as 0000:03:00.0. Default: 0.");

  private final Argument<HipRuntime.Kind> runtimeKind =
      arguments.option(
          "--runtime",
          "NAME",
          Converters::runtime,
          "The runtime to launch with: hip, hsa (AMD's without HIP) or cuda. Default:"
              + " $KCACHE_RUNTIME, else the first that is there.");

  private final ToolchainOption toolchain = new ToolchainOption(arguments);

  private final WaitUploadsOption uploads = new WaitUploadsOption(arguments);

  RunCommand(CliContext context) {
    super(
        context,
        "run",
        "Compiles a kernel through the cache, launches it on a GPU and checks the result.",
        "Prints what happened and how long each stage took. Exit code 1 if the result is wrong, 3"
            + " if the machine lacks a runtime, a GPU or a compiler.");
  }

  @Override
  public Integer call() {
    uploads.check(this);
    Stages stages = new Stages(context.nanoTime());
    HipDevice device =
        stages.time(
            "runtime, device", () -> HipRuntime.find(environment()).device(selector.value()));
    HipRuntime runtime = device.runtime();
    toolchain.check(Set.of(device.target()), context);
    ToolchainLabel release = ToolchainLabel.ofVersion(runtime.platform(), runtime.release());
    try (CacheManager cache = toolchain.applyTo(cacheWithMemory()).runtime(release).build();
        KernelManager kernels = KernelManager.builder().device(device).cache(cache).build()) {
      VectorAdd.Result result = new VectorAdd(kernels, elements.value(), stages).run();
      uploads.await(cache, () -> false);
      Counts counts = cache.statistics();
      show(
          json -> write(device, result, stages.done(), json),
          out -> print(device, result, stages.done(), out));
      return uploads.exitCode(result.mismatch().isEmpty() ? ExitCode.OK : ExitCode.FAILED, counts);
    }
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>(context.environment());
    if (runtimeKind.isGiven()) {
      environment.put("KCACHE_RUNTIME", runtimeKind.value().toString());
    }
    return environment;
  }

  private void print(
      HipDevice device, VectorAdd.Result result, Map<String, Duration> stages, PrintStream out) {
    CodeObject code = result.code();
    String origin = status(result) + " for " + code.target();
    String launch =
        "%s of %d elements in %d blocks of %d threads"
            .formatted(
                kernel.value(),
                elements.value(),
                result.config().gridDims().x(),
                result.config().blockDims().x());
    Text.table(
            List.of(
                List.of("device", device + ", " + Text.version(device.runtime())),
                List.of("code", origin + ", " + Text.bytes(code.size()) + ", " + code.digest()),
                List.of("launch", launch),
                List.of("result", result.mismatch().map(m -> "wrong: " + m).orElse("right"))))
        .forEach(out::println);
    out.println();
    Text.printTable(
        out,
        List.of("stage", "time"),
        stages.entrySet().stream()
            .map(stage -> List.of(stage.getKey(), time(stage.getValue())))
            .toList());
  }

  private void write(
      HipDevice device, VectorAdd.Result result, Map<String, Duration> stages, Json json) {
    CodeObject code = result.code();
    json.put("kernel", kernel.value())
        .put("elements", elements.value())
        .put("right", result.mismatch().isEmpty())
        .put("mismatch", result.mismatch())
        .object(
            "device",
            each ->
                each.put("ordinal", device.ordinal())
                    .put("name", device.name())
                    .put("target", device.target())
                    .put("runtimeVersion", device.runtime().version())
                    .put("runtime", device.runtime().kind()))
        .put("status", status(result))
        .put("target", code.target())
        .put("codeObject", code.digest())
        .put("size", code.size())
        .put("blocks", result.config().gridDims().x())
        .put("threadsPerBlock", result.config().blockDims().x())
        .objects(
            "stages",
            stages.entrySet(),
            (stage, row) ->
                row.put("name", stage.getKey()).put("seconds", stage.getValue().toNanos() / 1e9));
  }

  private static String status(VectorAdd.Result result) {
    return result.compiled() ? "compiled" : "hit";
  }

  /** A stage may take microseconds. */
  private static String time(Duration elapsed) {
    return elapsed.toMillis() >= 100
        ? Text.duration(elapsed)
        : String.format(Locale.ROOT, "%.3f ms", elapsed.toNanos() / 1e6);
  }
}
