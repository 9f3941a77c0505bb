// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.Trace;
import dev.kcache.cache.explain.RequestFields;
import java.nio.file.Path;
import java.util.List;

/** {@code kcache trace}: lists what applications asked for. */
final class TraceCommand extends Verb {
  private static final int SOURCE = 2;

  private final Argument<Path> directory =
      arguments.parameter(
          "DIR", Converters::path, "The directory that KCACHE_TRACE named for an application.");

  private final WideOption wide = new WideOption(arguments);

  TraceCommand(CliContext context) {
    super(
        context,
        "trace",
        "Lists what applications asked for while they were traced.",
        "One line per request: whether it was a hit when it was first asked for, target, source,"
            + " options and instances of templates. 'kcache prewarm --manifest' compiles them,"
            + " 'kcache prove --manifest' tells whether a cache has them.");
  }

  @Override
  boolean asksRemotes() {
    return false;
  }

  @Override
  public Integer call() {
    List<Trace.Request> requests = Trace.read(directory.value());
    show(
        json ->
            json.put("directory", directory.value())
                .objects("requests", requests, TraceCommand::write),
        out ->
            Text.wrap(
                    requests.stream().map(TraceCommand::cells).toList(),
                    SOURCE,
                    wide.columns(context.console()))
                .forEach(out::println));
    return ExitCode.OK;
  }

  private static List<String> cells(Trace.Request request) {
    RequestFields fields = request.fields();
    return List.of(
        outcome(request),
        fields.target().toString(),
        Text.oneLine(fields.name()),
        String.join(" ", fields.options()),
        String.join("  ", fields.instantiations()));
  }

  private static String outcome(Trace.Request request) {
    return request.hit() ? "hit" : "miss";
  }

  private static void write(Trace.Request request, Json json) {
    RequestFields fields = request.fields();
    json.put("source", fields.name())
        .put("target", fields.target())
        .put("outcome", outcome(request))
        .put("request", fields.digest())
        .put("mainFile", fields.mainFile())
        .objects(
            "files",
            fields.inputs(),
            (file, each) -> each.put("path", file.path()).put("sha256", file.digest()))
        .put("includeDirectories", fields.includeDirectories())
        .put("options", fields.options())
        .put("instantiations", fields.instantiations());
  }
}
