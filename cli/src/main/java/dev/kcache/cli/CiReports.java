// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cli.Outcome.Status;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.FileFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** The options of a prewarm that make files for a CI system, and those files. */
final class CiReports {
  /** What XML 1.0 cannot have. */
  private static final Pattern NOT_XML =
      Pattern.compile("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD\\x{10000}-\\x{10FFFF}]");

  private final Argument<Path> junit;
  private final Argument<Path> markdown;

  CiReports(Arguments arguments) {
    junit =
        arguments.option(
            "--junit",
            "FILE",
            Converters::path,
            "Write the results as JUnit's XML, a test for each kernel and target.");
    markdown =
        arguments.option(
            "--markdown",
            "FILE",
            Converters::path,
            "Write the results as a table of kernels and targets in Markdown.");
  }

  /**
   * Refuses a file that cannot be written, before the work whose results it is to hold.
   *
   * @throws IllegalArgumentException if there is one; the message is one line
   */
  void check() {
    check(junit);
    check(markdown);
  }

  private static void check(Argument<Path> option) {
    if (!option.isGiven()) {
      return;
    }
    Path file = option.value();
    try {
      Path folder = ReplacedFile.folder(file);
      if (!Files.isWritable(Files.exists(file) ? file : folder)) {
        throw new IllegalArgumentException(
            Text.quoted(List.of(file)) + " may not be written by this user; name another file");
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          ((OptionSpec) option.spec()).longestName() + ": " + e.getMessage(), e);
    }
  }

  /**
   * Writes the files that are asked for.
   *
   * @param outcomes of those of the tasks that have ended
   * @param summary the run in one line
   * @throws UncheckedIOException if one cannot be written; the message is one line
   */
  void write(List<Task> tasks, Map<Task, Outcome> outcomes, String summary, Duration elapsed) {
    write(junit.valueOrNull(), () -> xml(tasks, outcomes, elapsed));
    write(markdown.valueOrNull(), () -> markdown(tasks, outcomes, summary));
  }

  private static void write(@Nullable Path file, Supplier<String> text) {
    if (file == null) {
      return;
    }
    try {
      Files.writeString(file, text.get(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the report '"
              + Text.oneLine(file.toString())
              + "' cannot be written ("
              + FileFault.reason(e)
              + "); name another file",
          e);
    }
  }

  private static String xml(List<Task> tasks, Map<Task, Outcome> outcomes, Duration elapsed) {
    long failures =
        outcomes.values().stream().filter(each -> each.status() == Status.FAILED).count();
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.append(
        "<testsuite name=\"kcache prewarm\" tests=\"%d\" failures=\"%d\" skipped=\"%d\" time=\"%s\">\n"
            .formatted(tasks.size(), failures, tasks.size() - outcomes.size(), seconds(elapsed)));
    for (Task task : tasks) {
      Outcome outcome = outcomes.get(task);
      Duration took =
          outcome == null || outcome.status() == Status.HIT ? Duration.ZERO : outcome.compileTime();
      xml.append(
          "  <testcase classname=\"%s\" name=\"%s\" time=\"%s\">%s</testcase>\n"
              .formatted(
                  task.target(),
                  ofXml(task.label()),
                  seconds(took),
                  outcome == null ? "<skipped/>" : failure(outcome)));
    }
    return xml.append("</testsuite>\n").toString();
  }

  private static String failure(Outcome outcome) {
    if (outcome.failure() == null) {
      return "";
    }
    Problem problem = Problem.of(outcome.failure());
    return "<failure message=\"%s\">%s</failure>"
        .formatted(ofXml(problem.line()), ofXml(problem.log()));
  }

  private static String ofXml(String text) {
    return NOT_XML
        .matcher(text)
        .replaceAll("?")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  private static String seconds(Duration duration) {
    return Double.toString(duration.toMillis() / 1000.0);
  }

  private static String markdown(List<Task> tasks, Map<Task, Outcome> outcomes, String summary) {
    Set<TargetId> targets = new LinkedHashSet<>();
    Map<Task.Source, Map<TargetId, String>> rows = new LinkedHashMap<>();
    List<String> problems = new ArrayList<>();
    for (Task task : tasks) {
      Outcome outcome = outcomes.get(task);
      targets.add(task.target());
      rows.computeIfAbsent(task.named(), added -> new LinkedHashMap<>())
          .put(task.target(), cell(outcome));
      if (outcome != null && outcome.failure() != null) {
        problems.add("- `" + task.target() + "`: " + escaped(Problem.of(outcome.failure()).line()));
      }
    }
    StringBuilder text = new StringBuilder("| kernel |");
    targets.forEach(target -> text.append(" `").append(target).append("` |"));
    text.append("\n|---|").append("---|".repeat(targets.size())).append('\n');
    rows.forEach(
        (source, cells) -> {
          text.append("| ").append(escaped(source.label())).append(" |");
          targets.forEach(
              target -> text.append(' ').append(cells.getOrDefault(target, "")).append(" |"));
          text.append('\n');
        });
    text.append('\n').append(summary).append('\n');
    if (!problems.isEmpty()) {
      text.append('\n').append(String.join("\n", problems)).append('\n');
    }
    return text.toString();
  }

  private static String cell(@Nullable Outcome outcome) {
    if (outcome == null) {
      return "not done";
    }
    return switch (outcome.status()) {
      case FAILED -> "**failed**";
      case MISS -> "to compile";
      case HIT -> "hit";
      case COMPILED -> "compiled, " + Text.duration(outcome.compileTime());
    };
  }

  /** Keeps a text in its cell, and from meaning anything. */
  private static String escaped(String text) {
    return Text.oneLine(text).replaceAll("([\\\\`*_|<>\\[\\]])", "\\\\$1");
  }
}
