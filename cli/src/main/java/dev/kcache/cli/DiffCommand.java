// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.CodeObject;
import java.io.PrintStream;
import java.util.List;

/** {@code kcache diff}: shows what became of the kernels of a code object in another one. */
final class DiffCommand extends Verb {
  private final Argument<List<String>> subjects =
      arguments.parameters(
          "FILE|ENTRY",
          Converters::text,
          "Two code objects: files, or the first digits of code objects in the cache, as 'kcache"
              + " list' shows them.");

  private final WideOption wide = new WideOption(arguments);

  DiffCommand(CliContext context) {
    super(
        context,
        "diff",
        "Shows which kernels of two code objects differ.",
        "One line per kernel that uses other registers or memory in the second code object, or is"
            + " in one of them only. Spills are registers that go to memory; shared and scratch"
            + " memory are in bytes, per block and per thread; occupancy is in wavefronts per SIMD, and"
            + " lost where a smaller part of what the processor can hold fits.");
  }

  @Override
  public Integer call() {
    if (subjects.value().size() != 2) {
      throw new IllegalArgumentException("diff compares two code objects; name two");
    }
    CodeObject before = codeObject(subjects.value().get(0));
    CodeObject after = codeObject(subjects.value().get(1));
    List<KernelChange> differing =
        KernelChange.between(before, after).stream().filter(KernelChange::differs).toList();
    show(
        json ->
            json.object("before", each -> write(before, each))
                .object("after", each -> write(after, each))
                .objects("kernels", differing, KernelChange::writeTo),
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

  private static void write(CodeObject code, Json json) {
    json.put("codeObject", code.digest()).put("target", code.target()).put("size", code.size());
  }

  private void print(
      CodeObject before, CodeObject after, List<KernelChange> differing, PrintStream out) {
    Text.table(List.of(line("before", before), line("after", after))).forEach(out::println);
    if (differing.isEmpty()) {
      out.println("the kernels are the same, and use the same registers and memory");
      return;
    }
    out.println();
    Text.fit(
            Text.titled(
                KernelChange.heading(), differing.stream().map(KernelChange::cells).toList()),
            0,
            wide.columns(context.console()))
        .forEach(out::println);
  }

  private static List<String> line(String name, CodeObject code) {
    return List.of(
        name, Text.digits(code.digest()), code.target().toString(), Text.bytes(code.size()));
  }
}
