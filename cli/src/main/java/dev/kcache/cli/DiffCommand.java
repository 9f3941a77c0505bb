// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cli.EntryGroup.Kind;
import dev.kcache.codeobject.CodeObject;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code kcache diff}: shows what became of the kernels of a code object in another one, or of all
 * of a target, a label or a directory.
 */
final class DiffCommand extends Verb {
  private final Argument<List<String>> subjects =
      arguments.parameters(
          "FILE|ENTRY|TARGET|LABEL",
          Converters::text,
          "Two code objects: files, or the first digits of code objects in the cache, as 'kcache"
              + " list' shows them. Or two targets, two labels or two directories of the cache,"
              + " such as gfx90a-5.2.");

  private final WideOption wide = new WideOption(arguments);

  DiffCommand(CliContext context) {
    super(
        context,
        "diff",
        "Shows which kernels differ between code objects, targets or toolchains.",
        "One line per kernel that uses other registers or memory in the second code object, or is"
            + " in one of them only. Spills are registers that go to memory; shared and scratch"
            + " memory are in bytes, per block and per thread; occupancy is in wavefronts per SIMD, and"
            + " lost where a smaller part of what the processor can hold fits. Of two targets,"
            + " labels or directories all entries of the cache and its layers are compared that"
            + " have the same source name, language, options and instances, and for labels the"
            + " same target; of several the newest. Then the lines are those of kernels that take"
            + " more registers or memory, spill more or lost occupancy.");
  }

  @Override
  boolean asksRemotes() {
    return false;
  }

  @Override
  public Integer call() {
    if (subjects.value().size() != 2) {
      throw new IllegalArgumentException(
          "diff compares two code objects, targets, labels or directories; name two");
    }
    String before = subjects.value().get(0);
    String after = subjects.value().get(1);
    Optional<EntryGroup> old = group(before);
    Optional<EntryGroup> now = group(after);
    if (!old.map(EntryGroup::kind).equals(now.map(EntryGroup::kind))) {
      throw new IllegalArgumentException(
          "'%s' is %s and '%s' is %s; diff compares two of one kind"
              .formatted(Text.oneLine(before), kind(old), Text.oneLine(after), kind(now)));
    }
    if (old.isPresent() && now.isPresent()) {
      compare(old.get(), now.get());
    } else {
      compare(codeObject(before), codeObject(after));
    }
    return ExitCode.OK;
  }

  private static String kind(Optional<EntryGroup> group) {
    return group.map(each -> each.kind().toString()).orElse("a code object");
  }

  /**
   * Returns the entries that a name stands for; empty for a code object. A file wins, but not a
   * directory: the cache directory may be the current one.
   */
  private Optional<EntryGroup> group(String name) {
    Path file = Path.of(name);
    boolean exists = Files.exists(file);
    if (exists ? !Files.isDirectory(file) : CodeObjectFinder.isDigits(name)) {
      return Optional.empty();
    }
    Optional<EntryGroup> group = EntryGroup.named(name);
    if (group.isEmpty() && !exists) {
      throw unknown(name);
    }
    return group;
  }

  private IllegalArgumentException unknown(String name) {
    try (CacheManager cache = existingCache().build()) {
      List<String> names =
          LocatedEntry.of(cache)
              .flatMap(each -> Stream.of(Kind.values()).map(kind -> kind.nameOf(each.entry())))
              .distinct()
              .sorted()
              .toList();
      return new IllegalArgumentException(
          "'%s' is not a file, entry, target, label or directory of the cache; %s"
              .formatted(Text.oneLine(name), EntryGroup.meant(name, names)));
    }
  }

  private void compare(EntryGroup before, EntryGroup after) {
    try (CacheManager cache = existingCache().build()) {
      requireNone(cache.maintenance().readFault());
      EntryDiff diff = EntryDiff.of(cache, before, after);
      show(diff::writeTo, out -> diff.print(out, wide.columns(context.console())));
      context.out().flush();
      if (diff.leftOut() > 0) {
        context.warning(
            Text.count(diff.leftOut(), "pair")
                + " left out, since a code object is gone or damaged; 'kcache verify' names the"
                + " files");
      }
    }
  }

  private void compare(CodeObject before, CodeObject after) {
    List<KernelChange> differing =
        KernelChange.between(before, after).stream().filter(KernelChange::differs).toList();
    show(
        json ->
            json.object("before", each -> write(before, each))
                .object("after", each -> write(after, each))
                .objects("kernels", differing, KernelChange::writeTo),
        out -> print(before, after, differing, out));
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
