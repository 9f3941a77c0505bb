// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.hip.HipDevice;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of {@code kcache run}.
 *
 * @param kernel the kernel that ran
 * @param device where it ran
 * @param elements how many elements it computed
 * @param result code object, launch and mismatch
 * @param stages how long each stage took
 */
record RunReport(
    String kernel,
    HipDevice device,
    int elements,
    VectorAdd.Result result,
    Map<String, Duration> stages)
    implements Report {

  @Override
  public void print(PrintStream out) {
    CodeObject code = result.code();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("device", device + ", " + Text.version(device.runtime())));
    rows.add(
        List.of(
            "code",
            "%s for %s, %s, %s"
                .formatted(
                    result.compiled() ? "compiled" : "hit",
                    code.target(),
                    Text.bytes(code.size()),
                    code.digest())));
    rows.add(
        List.of(
            "launch",
            "%s of %d elements in %d blocks of %d threads"
                .formatted(
                    kernel,
                    elements,
                    result.config().gridDims().x(),
                    result.config().blockDims().x())));
    rows.add(List.of("result", result.mismatch().map(m -> "wrong: " + m).orElse("right")));
    Text.table(rows).forEach(out::println);
    out.println();
    List<List<String>> times = new ArrayList<>();
    times.add(List.of("stage", "time"));
    stages.forEach((stage, elapsed) -> times.add(List.of(stage, time(elapsed))));
    Text.table(times).forEach(out::println);
  }

  @Override
  public void writeTo(Json json) {
    CodeObject code = result.code();
    json.put("kernel", kernel)
        .put("elements", elements)
        .put("right", result.mismatch().isEmpty())
        .put("mismatch", result.mismatch())
        .object(
            "device",
            each ->
                each.put("ordinal", device.ordinal())
                    .put("name", device.name())
                    .put("target", device.target())
                    .put("runtimeVersion", device.runtime().version()))
        .put("status", result.compiled() ? "compiled" : "hit")
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

  /** A stage may take microseconds. */
  private static String time(Duration elapsed) {
    return elapsed.toMillis() >= 100
        ? Text.duration(elapsed)
        : String.format(Locale.ROOT, "%.3f ms", elapsed.toNanos() / 1e6);
  }
}
