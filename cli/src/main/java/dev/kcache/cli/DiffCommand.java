// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code kcache diff}: shows what became of the kernels of a code object in another one. */
final class DiffCommand extends Verb {
  private static final List<Quantity> QUANTITIES =
      List.of(
          new Quantity("vgprs", kernel -> kernel.registers().vgprs()),
          new Quantity("agprs", kernel -> kernel.registers().agprs()),
          new Quantity("sgprs", kernel -> kernel.registers().sgprs()),
          new Quantity("spills", DiffCommand::spills),
          new Quantity("shared", KernelMetadata::sharedMemoryBytes),
          new Quantity("scratch", KernelMetadata::scratchBytes));

  private final Argument<List<String>> subjects =
      arguments.parameters(
          "FILE|ENTRY",
          Converters::text,
          "Two code objects: files, or the first digits of code objects in the cache, as 'kcache"
              + " list' shows them.");

  DiffCommand(CliContext context) {
    super(
        context,
        "diff",
        "Shows which kernels of two code objects differ.",
        "One line per kernel that uses other registers or memory in the second code object, or is"
            + " in one of them only. Spills are registers that go to memory; shared and scratch"
            + " memory are in bytes, per block and per thread.");
  }

  /** What a kernel uses. */
  private record Quantity(String name, ToIntFunction<KernelMetadata> of) {}

  /** A kernel of either; one is null if the kernel is in the other only. */
  private record Pair(
      String kernel, @Nullable KernelMetadata before, @Nullable KernelMetadata after) {
    boolean differs() {
      return before == null
          || after == null
          || QUANTITIES.stream()
              .anyMatch(each -> each.of().applyAsInt(before) != each.of().applyAsInt(after));
    }
  }

  private static int spills(KernelMetadata kernel) {
    return kernel.registers().vgprSpills() + kernel.registers().sgprSpills();
  }

  @Override
  public Integer call() {
    if (subjects.value().size() != 2) {
      throw new IllegalArgumentException("diff compares two code objects; name two");
    }
    CodeObject before = codeObject(subjects.value().get(0));
    CodeObject after = codeObject(subjects.value().get(1));
    List<Pair> differing = pairs(before, after).stream().filter(Pair::differs).toList();
    show(
        json ->
            json.object("before", each -> write(before, each))
                .object("after", each -> write(after, each))
                .objects("kernels", differing, DiffCommand::write),
        out -> print(before, after, differing, out));
    return ExitCode.OK;
  }

  private CodeObject codeObject(String name) {
    List<CodeObject> found = new CodeObjectFinder(this).find(name, null).codeObjects();
    if (found.size() != 1) {
      throw new IllegalArgumentException(
          "'%s' holds %d code objects; unpack the one that is meant".formatted(name, found.size()));
    }
    return found.get(0);
  }

  private static List<Pair> pairs(CodeObject before, CodeObject after) {
    Map<String, Pair> pairs = new TreeMap<>();
    for (KernelMetadata kernel : before.kernels()) {
      pairs.put(kernel.name(), new Pair(kernel.name(), kernel, null));
    }
    for (KernelMetadata kernel : after.kernels()) {
      Pair old = pairs.get(kernel.name());
      pairs.put(kernel.name(), new Pair(kernel.name(), old == null ? null : old.before(), kernel));
    }
    return List.copyOf(pairs.values());
  }

  private static void write(CodeObject code, Json json) {
    json.put("codeObject", code.digest()).put("target", code.target()).put("size", code.size());
  }

  private static void write(Pair pair, Json json) {
    json.put("name", pair.kernel())
        .object("before", quantities(pair.before()))
        .object("after", quantities(pair.after()));
  }

  private static @Nullable Consumer<Json> quantities(@Nullable KernelMetadata kernel) {
    return kernel == null
        ? null
        : json -> QUANTITIES.forEach(each -> json.put(each.name(), each.of().applyAsInt(kernel)));
  }

  private static void print(
      CodeObject before, CodeObject after, List<Pair> differing, PrintStream out) {
    Text.table(List.of(line("before", before), line("after", after))).forEach(out::println);
    if (differing.isEmpty()) {
      out.println("the kernels are the same, and use the same registers and memory");
      return;
    }
    out.println();
    List<String> heading =
        Stream.concat(Stream.of("kernel"), QUANTITIES.stream().map(Quantity::name)).toList();
    Text.printTable(out, heading, differing.stream().map(DiffCommand::cells).toList());
  }

  private static List<String> line(String name, CodeObject code) {
    return List.of(
        name, Text.digits(code.digest()), code.target().toString(), Text.bytes(code.size()));
  }

  private static List<String> cells(Pair pair) {
    List<String> cells = new ArrayList<>(List.of(Text.oneLine(pair.kernel())));
    KernelMetadata before = pair.before();
    KernelMetadata after = pair.after();
    if (before == null || after == null) {
      cells.add(before == null ? "new" : "gone");
      return cells;
    }
    for (Quantity each : QUANTITIES) {
      int old = each.of().applyAsInt(before);
      int now = each.of().applyAsInt(after);
      cells.add(old == now ? String.valueOf(old) : old + " → " + now);
    }
    return cells;
  }
}
