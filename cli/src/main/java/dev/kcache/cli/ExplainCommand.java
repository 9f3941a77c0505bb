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
  /** Where the values begin below the names of a request's parts. */
  private static final int NAMES = "  toolchain  ".length();

  private static final String DETAIL = "    ";

  private final Requests requests = new Requests(this);
  private final WideOption wide = new WideOption(arguments);

  ExplainCommand(CliContext context) {
    super(
        context,
        "explain",
        "Shows why a source is a hit or a miss.",
        "Shows what the source is kept under, field by field. For a miss, shows the entries that"
            + " are most like it and exactly what differs: the entry's side, an arrow, what is"
            + " asked for. Asks no remote for entries. Compiles and changes nothing.");
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

  private void print(Explained explained, PrintStream out) {
    Explanation explanation = explained.explanation();
    RequestFields request = explanation.request();
    print(
        "%s for %s: %s"
            .formatted(
                path(explained.task().label(), 0),
                request.target(),
                explanation.isHit() ? "hit" : "miss"),
        out);
    List<List<String>> rows = new ArrayList<>();
    rows.add(row("request", digest(request.digest().toString())));
    rows.add(row("label", explanation.label().map(Object::toString).orElse("any")));
    rows.add(
        row(
            "toolchain",
            explanation.toolchain().map(Object::toString).map(this::digest).orElse("any")));
    rows.add(row("options", String.join(" ", request.options())));
    for (String instantiation : request.instantiations()) {
      rows.add(row("instance", instantiation));
    }
    for (String directory : request.includeDirectories()) {
      rows.add(row("include", path(directory, NAMES)));
    }
    for (CacheEntry.Input file : request.inputs()) {
      String digits = "  " + Text.digits(file.digest());
      rows.add(row("file", path(file.path(), NAMES + digits.length()) + digits));
    }
    Text.table(rows).forEach(line -> print(line, NAMES, out));
    explanation.hits().stream().findFirst().ifPresent(hit -> print("hit", hit, out));
    explanation.nearest().forEach(near -> print("nearest entry", near, out));
    if (!explanation.isHit() && explanation.nearest().isEmpty()) {
      print("  no entry has this name or one of these files" + requests.places(), out);
    }
    explained.lacking().ifPresent(reason -> print("  no compiler: " + reason, out));
    if (!explanation.isHit() && hasRemote()) {
      print("  remotes were not asked; a request looks there before it is compiled", out);
    }
  }

  private boolean hasRemote() {
    return namesRemote() || !context.environment().getOrDefault("KCACHE_REMOTE", "").isEmpty();
  }

  private static List<String> row(String name, String value) {
    return List.of("  " + name, value);
  }

  /** Returns a path, of which a terminal shows the end beside so many other characters. */
  private String path(String path, int others) {
    String line = Text.oneLine(path);
    return columns() == 0 ? line : Text.end(line, columns() - 1 - others);
  }

  /** Returns a digest, on a terminal without room for it its first digits. */
  private String digest(String digest) {
    return columns() == 0 || NAMES + digest.length() < columns() ? digest : Text.digits(digest);
  }

  private int columns() {
    return wide.columns(context.console());
  }

  private void print(String line, PrintStream out) {
    print(line, DETAIL.length() + 2, out);
  }

  private void print(String line, int indent, PrintStream out) {
    if (columns() == 0) {
      out.println(line);
    } else {
      Text.wrap(line, indent, columns()).forEach(out::println);
    }
  }

  private void print(String what, NearEntry near, PrintStream out) {
    CacheEntry entry = near.entry();
    print(
        "  %s: %s, for %s, made %s by %s"
            .formatted(
                what,
                Text.digits(entry.codeObject()),
                entry.target(),
                entry.created().truncatedTo(ChronoUnit.SECONDS),
                Text.oneLine(entry.compiler())),
        out);
    near.differences().forEach(each -> print(DETAIL + Text.oneLine(each.text()), out));
  }
}
