// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.ProcessorFamily;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.TargetDetectionException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** {@code kcache targets}: lists processors, and what this machine makes of them. */
final class TargetsCommand extends Verb {
  private static final List<String> HEADING =
      List.of("processor", "features", "compiles", "present", "families", "products");

  /** Families of a kind of machine, whatever the processor. */
  private static final Set<String> KINDS = Set.of("dgpu-all", "igpu-all", "dcgpu-all");

  private final TargetsOption targets =
      new TargetsOption(
          arguments,
          "Only the processors of these targets: target IDs, families such as gfx94X-dcgpu, or"
              + " products such as MI300X. Repeatable.");

  private final WideOption wide = new WideOption(arguments);

  private final ToolchainOption toolchain = new ToolchainOption(arguments);

  TargetsCommand(CliContext context) {
    super(
        context,
        "targets",
        "Lists what kernels can be compiled for.",
        "One line per processor: the features that its target ID may name, whether the compiler"
            + " here supports it, how many such GPUs this machine has, its families, and the"
            + " products that have it or, for a generic processor, its members. Then one line per"
            + " family. On a terminal lines are cut, and a processor's families left out. A question"
            + " mark means that there is no compiler to ask, a dash that no GPU"
            + " is found.");
  }

  /**
   * A processor with what is known of it on this machine.
   *
   * @param compiles whether the compiler makes code for it; empty without a compiler
   * @param present how many GPUs have it; empty if the GPUs are unknown
   */
  private record Row(Processor processor, Optional<Boolean> compiles, Optional<Long> present) {}

  @Override
  boolean asksRemotes() {
    return false;
  }

  @Override
  public Integer call() {
    List<Row> rows = new ArrayList<>();
    List<Processor> processors;
    try (CacheManager cache = toolchain.applyTo(cache()).build()) {
      Optional<List<Processor>> devices =
          known(() -> cache.devices().stream().map(DetectedDevice::target).toList())
              .map(found -> found.stream().map(TargetId::processor).toList());
      processors = processors(devices.orElse(List.of()));
      Map<Platform, Optional<Set<Processor>>> compiled = new EnumMap<>(Platform.class);
      for (Processor each : processors) {
        Optional<Set<Processor>> supported =
            compiled.computeIfAbsent(
                each.platform(), platform -> known(() -> cache.toolchain(platform).processors()));
        rows.add(
            new Row(
                each,
                supported.map(all -> all.contains(each)),
                devices.map(all -> (long) Collections.frequency(all, each))));
      }
    }
    List<ProcessorFamily> families =
        ProcessorFamily.all().stream()
            .filter(family -> !Collections.disjoint(family.processors(), processors))
            .toList();
    show(
        json ->
            json.objects("processors", rows, TargetsCommand::write)
                .objects(
                    "families",
                    families,
                    (family, each) ->
                        each.put("name", family.name()).put("processors", family.processors())),
        out -> print(rows, families, out));
    return ExitCode.OK;
  }

  /**
   * Returns the processors to list, the generic ones last. NVIDIA's are listed only if asked for,
   * if this machine has one, or if HIP_PLATFORM names it.
   */
  private List<Processor> processors(List<Processor> devices) {
    Set<Processor> asked = targets.targets().stream().map(TargetId::processor).collect(toSet());
    Set<Platform> platforms = EnumSet.of(Platform.AMD);
    Platform.named(context.environment().getOrDefault("HIP_PLATFORM", ""))
        .ifPresent(platforms::add);
    devices.forEach(device -> platforms.add(device.platform()));
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

  /** Warns of what the machine lacks, which leaves a gap in the list. */
  private <T> Optional<T> known(Supplier<T> question) {
    try {
      return Optional.of(question.get());
    } catch (ToolchainNotFoundException | TargetDetectionException e) {
      context.warning(Problem.of(e).line());
      return Optional.empty();
    }
  }

  private static void write(Row row, Json json) {
    Processor processor = row.processor();
    json.put("processor", processor)
        .put("features", processor.features())
        .put("generic", processor.generic())
        .put("members", processor.members())
        .put("families", families(processor).toList())
        .put("products", ProcessorFamily.products(processor))
        .put("compiles", row.compiles())
        .put("present", row.present());
  }

  private void print(List<Row> processors, List<ProcessorFamily> families, PrintStream out) {
    int columns = wide.columns(context.console());
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADING);
    processors.forEach(each -> rows.add(cells(each)));
    if (columns > 0) {
      // The second table has them.
      rows.replaceAll(TargetsCommand::withoutFamilies);
    }
    Text.clip(rows, columns).forEach(out::println);
    if (!families.isEmpty()) {
      out.println();
      List<List<String>> lines =
          families.stream().map(each -> List.of(each.name(), words(each.processors()))).toList();
      Text.clip(Text.titled(List.of("family", "processors"), lines), columns).forEach(out::println);
    }
  }

  private static List<String> withoutFamilies(List<String> cells) {
    List<String> others = new ArrayList<>(cells);
    others.remove(HEADING.indexOf("families"));
    return others;
  }

  private static List<String> cells(Row row) {
    Processor processor = row.processor();
    return List.of(
        processor.toString(),
        words(processor.features()),
        row.compiles().map(compiles -> compiles ? "yes" : "no").orElse("?"),
        row.present().map(Object::toString).orElse("-"),
        words(families(processor).filter(name -> !KINDS.contains(name)).toList()),
        processor.isGeneric()
            ? "members: " + words(processor.members())
            : joined(ProcessorFamily.products(processor), ", "));
  }

  private static Stream<String> families(Processor processor) {
    return ProcessorFamily.of(processor).stream().map(ProcessorFamily::name);
  }

  private static String words(Collection<?> words) {
    return joined(words, " ");
  }

  private static String joined(Collection<?> parts, String separator) {
    return parts.isEmpty() ? "-" : parts.stream().map(Object::toString).collect(joining(separator));
  }
}
