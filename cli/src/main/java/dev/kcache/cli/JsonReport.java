// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.kcache.cache.CacheEntry;
import dev.kcache.cache.CacheLimits;
import dev.kcache.cache.CollectionResult;
import dev.kcache.cache.Removed;
import dev.kcache.cache.Verification;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.OffloadBundle;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Diagnostic;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the documents of {@code --json}: one per run, in camelCase, with a {@code schema} that
 * names its form. A form is only ever added to. Durations are in seconds, sizes in bytes.
 */
final class JsonReport {
  private final PrintStream out;

  /** Creates a report that writes to {@code out} and leaves it open. */
  JsonReport(PrintStream out) {
    this.out = out;
  }

  /** Writes the document of a prewarm, its results in the order of {@code tasks}. */
  void prewarm(
      Optional<Path> directory,
      boolean dryRun,
      boolean interrupted,
      List<Task> tasks,
      List<Outcome> outcomes,
      Duration elapsed) {
    Map<Task, Outcome> byTask = new HashMap<>();
    outcomes.forEach(outcome -> byTask.put(outcome.task(), outcome));
    write(
        "kcache.prewarm/1",
        json -> {
          writeDirectory(json, directory);
          json.writeBooleanField("dryRun", dryRun);
          json.writeBooleanField("interrupted", interrupted);
          json.writeArrayFieldStart("results");
          for (Task task : tasks) {
            Outcome outcome = byTask.get(task);
            if (outcome != null) {
              result(json, outcome);
            }
          }
          json.writeEndArray();
          summary(json, Summary.of(outcomes, tasks.size()), elapsed);
        });
  }

  /** Writes the document of a list. */
  void list(Optional<Path> directory, List<Path> layers, List<LocatedEntry> entries) {
    write(
        "kcache.list/1",
        json -> {
          writeDirectory(json, directory);
          strings(json, "layers", layers.stream().map(Path::toString).toList());
          json.writeArrayFieldStart("entries");
          for (LocatedEntry located : entries) {
            entry(json, located);
          }
          json.writeEndArray();
        });
  }

  /** Writes the document of an inspection. */
  void inspect(Inspected inspected) {
    write(
        "kcache.inspect/1",
        json -> {
          json.writeStringField("name", inspected.name());
          LocatedEntry located = inspected.entry();
          if (located == null) {
            json.writeNullField("entry");
          } else {
            json.writeFieldName("entry");
            entry(json, located);
          }
          json.writeArrayFieldStart("bundle");
          for (OffloadBundle.Entry each : inspected.bundle()) {
            json.writeStartObject();
            json.writeStringField("id", each.id());
            json.writeStringField("target", each.target().map(TargetId::toString).orElse(null));
            json.writeNumberField("size", each.bytes().remaining());
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeArrayFieldStart("codeObjects");
          for (CodeObject code : inspected.codeObjects()) {
            CodeObjectJson.write(json, code);
          }
          json.writeEndArray();
        });
  }

  /** Writes the document of a collection. What is not limited is null. */
  void gc(
      Optional<Path> directory,
      boolean dryRun,
      boolean interrupted,
      CacheLimits limits,
      CollectionResult result) {
    write(
        "kcache.gc/1",
        json -> {
          writeDirectory(json, directory);
          json.writeBooleanField("dryRun", dryRun);
          json.writeBooleanField("interrupted", interrupted);
          json.writeFieldName("maxSize");
          if (limits.maxSize().isPresent()) {
            json.writeNumber(limits.maxSize().getAsLong());
          } else {
            json.writeNull();
          }
          json.writeFieldName("maxAgeSeconds");
          if (limits.maxAge().isPresent()) {
            json.writeNumber(limits.maxAge().get().toSeconds());
          } else {
            json.writeNull();
          }
          json.writeNumberField("entries", result.entries());
          json.writeNumberField("size", result.bytes());
          json.writeNumberField("removedEntries", result.entriesRemoved());
          json.writeNumberField("freedSize", result.bytesFreed());
          if (result.failure().isPresent()) {
            json.writeStringField("problem", result.failure().get());
          }
        });
  }

  /** Writes the document of what is known of some targets. */
  void targets(KnownTargets known) {
    write("kcache.targets/1", json -> TargetsJson.write(json, known));
  }

  /** Writes the document of a doctor. */
  void doctor(List<Check> checks, Optional<RuntimeChecks> runtime) {
    write("kcache.doctor/1", json -> DoctorJson.write(json, checks, runtime));
  }

  /** Writes the document of a verification, with why some directories were not looked at. */
  void verify(boolean repair, Verification verification, List<String> obstacles) {
    write("kcache.verify/1", json -> VerifyJson.write(json, repair, verification, obstacles));
  }

  /** Writes the document of a command that ends before it has any other to write. */
  void error(Problem problem) {
    write(
        "kcache.error/1",
        json -> {
          json.writeNumberField("exitCode", problem.exitCode());
          json.writeStringField("problem", problem.line());
          log(json, problem.log());
        });
  }

  /** Writes the document of what was removed, or would be. */
  void clear(
      Optional<Path> directory,
      boolean dryRun,
      boolean interrupted,
      boolean removed,
      Removed amount) {
    write(
        "kcache.clear/1",
        json -> {
          writeDirectory(json, directory);
          json.writeBooleanField("dryRun", dryRun);
          json.writeBooleanField("interrupted", interrupted);
          json.writeBooleanField("removed", removed);
          json.writeNumberField("entries", amount.entries());
          json.writeNumberField("size", amount.bytes());
          if (amount.failure().isPresent()) {
            json.writeStringField("problem", amount.failure().get());
          }
        });
  }

  /** Writes the document of statistics. */
  void stats(Stats stats) {
    write(
        "kcache.stats/1",
        json -> {
          writeDirectory(json, stats.directory());
          StatsJson.write(json, stats);
        });
  }

  /** Writes the document of a run. */
  void run(RunReport report) {
    write("kcache.run/1", json -> RunJson.write(json, report));
  }

  /** Null where no directory is used. */
  private static void writeDirectory(JsonGenerator json, Optional<Path> directory)
      throws IOException {
    json.writeFieldName("directory");
    if (directory.isPresent()) {
      json.writeString(directory.get().toString());
    } else {
      json.writeNull();
    }
  }

  private static void result(JsonGenerator json, Outcome outcome) throws IOException {
    Task task = outcome.task();
    json.writeStartObject();
    json.writeStringField("source", task.label());
    json.writeStringField("target", task.target().toString());
    json.writeStringField("status", outcome.status().name().toLowerCase(Locale.ROOT));
    if (outcome.codeObject() != null) {
      json.writeStringField("codeObject", outcome.codeObject().toString());
      json.writeNumberField("size", outcome.size());
      json.writeBooleanField("kept", outcome.kept());
      if (!outcome.compileTime().isZero()) {
        json.writeNumberField("compileSeconds", seconds(outcome.compileTime()));
        if (outcome.status() == Outcome.Status.HIT) {
          json.writeNumberField("savedSeconds", seconds(outcome.compileTime()));
        }
      }
      log(json, outcome.log());
    }
    if (outcome.failure() != null) {
      Problem problem = Problem.of(outcome.failure());
      json.writeStringField("problem", problem.line());
      log(json, problem.log());
    }
    json.writeEndObject();
  }

  /** Writes what the compiler printed and what it means, unless it printed nothing. */
  private static void log(JsonGenerator json, String log) throws IOException {
    if (!log.isBlank()) {
      json.writeStringField("log", log);
      diagnostics(json, "diagnostics", Diagnostic.parseLog(log));
    }
  }

  private static void diagnostics(JsonGenerator json, String name, List<Diagnostic> diagnostics)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (Diagnostic diagnostic : diagnostics) {
      json.writeStartObject();
      json.writeStringField("severity", diagnostic.severity().toString());
      if (diagnostic.program().isPresent()) {
        json.writeStringField("program", diagnostic.program().get());
      }
      if (diagnostic.location().isPresent()) {
        location(json, diagnostic.location().get());
      }
      json.writeStringField("message", diagnostic.message());
      if (diagnostic.option().isPresent()) {
        json.writeStringField("option", diagnostic.option().get());
      }
      strings(json, "excerpt", diagnostic.excerpt());
      json.writeArrayFieldStart("includedFrom");
      for (Diagnostic.Location place : diagnostic.includedFrom()) {
        json.writeStartObject();
        location(json, place);
        json.writeEndObject();
      }
      json.writeEndArray();
      diagnostics(json, "notes", diagnostic.notes());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Adds a place to an object, its column only if there is one. */
  private static void location(JsonGenerator json, Diagnostic.Location place) throws IOException {
    json.writeStringField("file", place.file());
    json.writeNumberField("line", place.line());
    if (place.column() > 0) {
      json.writeNumberField("column", place.column());
    }
  }

  private static void summary(JsonGenerator json, Summary summary, Duration elapsed)
      throws IOException {
    json.writeObjectFieldStart("summary");
    json.writeNumberField("hits", summary.hits());
    json.writeNumberField("compiled", summary.compiled());
    json.writeNumberField("misses", summary.missing());
    json.writeNumberField("failed", summary.failed());
    json.writeNumberField("notDone", summary.notDone());
    json.writeNumberField("notKept", summary.notKept());
    json.writeNumberField("savedSeconds", seconds(summary.saved()));
    json.writeNumberField("size", summary.bytes());
    json.writeNumberField("elapsedSeconds", seconds(elapsed));
    json.writeEndObject();
  }

  private static void entry(JsonGenerator json, LocatedEntry located) throws IOException {
    CacheEntry entry = located.entry();
    json.writeStartObject();
    json.writeStringField("directory", located.directory().toString());
    json.writeStringField("target", entry.target().toString());
    json.writeStringField("label", entry.label().toString());
    json.writeStringField("source", entry.source());
    json.writeStringField("codeObject", entry.codeObject().toString());
    json.writeNumberField("codeObjectVersion", entry.codeObjectVersion());
    json.writeNumberField("size", entry.size());
    json.writeNumberField("compileSeconds", seconds(entry.compileTime()));
    json.writeStringField("created", entry.created().toString());
    json.writeStringField("request", entry.request().toString());
    json.writeStringField("toolchain", entry.toolchain().toString());
    strings(json, "options", entry.options());
    strings(json, "command", entry.command());
    json.writeStringField("log", entry.log());
    json.writeEndObject();
  }

  private static void strings(JsonGenerator json, String name, List<String> values)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String value : values) {
      json.writeString(value);
    }
    json.writeEndArray();
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  private void write(String schema, Fields fields) {
    JsonFactory factory = JsonFactory.builder().build();
    try (JsonGenerator json = factory.createGenerator(out, JsonEncoding.UTF8)) {
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      json.writeStartObject();
      json.writeStringField("schema", schema);
      fields.write(json);
      json.writeEndObject();
      json.writeRaw('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The fields of a document after the first. */
  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }
}
