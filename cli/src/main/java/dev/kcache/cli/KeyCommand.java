// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.explain.Explanation;
import dev.kcache.cli.Requests.Explained;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** {@code kcache key}: prints what a source is kept under, for other programs. */
final class KeyCommand extends Verb {
  private final Requests requests = new Requests(this);

  private final Argument<Boolean> fields =
      arguments.flag("--fields", "Print the fields that the request's digest is made of, too.");

  KeyCommand(CliContext context) {
    super(
        context,
        "key",
        "Prints the digests and the path of a source's entry.",
        "For other programs that read or fill the cache; docs/format.md describes it. Where there"
            + " is no compiler, the toolchain's digest is missing, and the path ends with the"
            + " directory that holds the records of any toolchain.");
  }

  @Override
  public Integer call() {
    List<Explained> explained = requests.explain();
    show(
        json -> json.objects("requests", explained, KeyCommand::write),
        out -> explained.forEach(each -> print(each, out)));
    return requests.exitCode();
  }

  private static void write(Explained explained, Json json) {
    Explanation explanation = explained.explanation();
    json.put("source", explained.task().label())
        .put("target", explanation.request().target())
        .put("request", explanation.request().digest())
        .put("label", explanation.label())
        .put("toolchain", explanation.toolchain())
        .put("path", explanation.path())
        .put("fields", explanation.encoding());
  }

  private void print(Explained explained, PrintStream out) {
    Explanation explanation = explained.explanation();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("source", Text.oneLine(explained.task().label())));
    rows.add(List.of("target", explanation.request().target().toString()));
    rows.add(List.of("request", explanation.request().digest().toString()));
    explanation.toolchain().ifPresent(digest -> rows.add(List.of("toolchain", digest.toString())));
    explanation.path().ifPresent(path -> rows.add(List.of("path", path.toString())));
    Text.table(rows).forEach(out::println);
    if (fields.value()) {
      explanation.encoding().forEach(out::println);
    }
  }
}
