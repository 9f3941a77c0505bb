// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.explain.Explanation;
import dev.kcache.cache.explain.NearEntry;
import dev.kcache.cache.explain.RequestFields;
import dev.kcache.cli.Requests.Explained;
import java.io.PrintStream;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** {@code kcache explain}: shows what a source is kept under, and why it is a hit or a miss. */
final class ExplainCommand extends Verb {
  private final Requests requests = new Requests(this);

  ExplainCommand(CliContext context) {
    super(
        context,
        "explain",
        "Shows why a source is a hit or a miss.",
        "Shows what the source is kept under, field by field. For a miss, shows the entries that"
            + " are most like it and exactly what differs: the entry's side, an arrow, what is"
            + " asked for. Compiles and changes nothing.");
  }

  @Override
  public Integer call() {
    List<Explained> explained = requests.explain();
    show(
        json -> json.objects("requests", explained, ExplainCommand::write),
        out -> explained.forEach(each -> print(each, out)));
    return requests.exitCode();
  }

  private static void write(Explained explained, Json json) {
    Explanation explanation = explained.explanation();
    RequestFields request = explanation.request();
    json.put("source", explained.task().label())
        .put("target", request.target())
        .put("hit", explanation.isHit())
        .put("request", request.digest())
        .put("label", explanation.label())
        .put("toolchain", explanation.toolchain())
        .put("name", request.name())
        .put("mainFile", request.mainFile())
        .objects("files", request.inputs(), ExplainCommand::write)
        .put("includeDirectories", request.includeDirectories())
        .put("options", request.options())
        .put("instantiations", request.instantiations())
        .objects("hits", explanation.hits(), ExplainCommand::write)
        .objects("nearest", explanation.nearest(), ExplainCommand::write);
  }

  private static void write(CacheEntry.Input file, Json json) {
    json.put("path", file.path()).put("sha256", file.digest());
  }

  private static void write(NearEntry near, Json json) {
    new LocatedEntry(near.directory(), near.entry()).writeTo(json);
    json.objects(
        "differences",
        near.differences(),
        (difference, each) ->
            each.put("kind", Text.lower(difference.kind())).put("text", difference.text()));
  }

  private static void print(Explained explained, PrintStream out) {
    Explanation explanation = explained.explanation();
    RequestFields request = explanation.request();
    out.println(
        "%s for %s: %s"
            .formatted(
                Text.oneLine(explained.task().label()),
                request.target(),
                explanation.isHit() ? "hit" : "miss"));
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("  request", request.digest().toString()));
    rows.add(List.of("  label", explanation.label().map(Object::toString).orElse("any")));
    rows.add(List.of("  toolchain", explanation.toolchain().map(Object::toString).orElse("any")));
    rows.add(List.of("  options", String.join(" ", request.options())));
    for (String instantiation : request.instantiations()) {
      rows.add(List.of("  instance", instantiation));
    }
    for (String directory : request.includeDirectories()) {
      rows.add(List.of("  include", directory));
    }
    for (CacheEntry.Input file : request.inputs()) {
      rows.add(List.of("  file", Text.oneLine(file.path()) + "  " + Text.digits(file.digest())));
    }
    Text.table(rows).forEach(out::println);
    explanation.hits().stream().findFirst().ifPresent(hit -> print("hit", hit, out));
    explanation.nearest().forEach(near -> print("nearest entry", near, out));
    if (!explanation.isHit() && explanation.nearest().isEmpty()) {
      out.println("  no entry has this name or one of these files");
    }
  }

  private static void print(String what, NearEntry near, PrintStream out) {
    CacheEntry entry = near.entry();
    out.println(
        "  %s: %s, for %s, made %s by %s"
            .formatted(
                what,
                Text.digits(entry.codeObject()),
                entry.target(),
                entry.created().truncatedTo(ChronoUnit.SECONDS),
                Text.oneLine(entry.compiler())));
    near.differences().forEach(each -> out.println("    " + Text.oneLine(each.text())));
  }
}
