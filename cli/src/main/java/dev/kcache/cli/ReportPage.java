// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cli.Report.Row;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Registers;
import dev.kcache.codeobject.Occupancy;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A report as one HTML page, which loads nothing. Its frame is the resource {@code report.html}, in
 * which a name in double braces is a place to fill. All texts of the cache are escaped, and the
 * page's policy lets no script run but the frame's.
 */
final class ReportPage {
  private static final Pattern PLACE = Pattern.compile("\\{\\{(\\w+)}}");

  private static final int MINUTES = "2026-11-27T02:20".length();

  /** How many targets the summary names. */
  private static final int MOST_TARGETS = 4;

  /** How many columns are the kernel's, and not its code object's. */
  private static final int OF_KERNEL = 7;

  private static final String UNKNOWN = "–";

  private final Report report;

  private ReportPage(Report report) {
    this.report = report;
  }

  /** Returns the page of a report. */
  static String of(Report report) {
    ReportPage page = new ReportPage(report);
    String frame = frame();
    Map<String, String> parts =
        Map.of(
            "policy", policy(frame),
            "version", escaped(report.version()),
            "origin", page.origin(),
            "summary", page.summary(),
            "notes", page.notes(),
            "rows", page.rows(),
            "toolchains", page.toolchains());
    return PLACE.matcher(frame).replaceAll(place -> part(parts, place));
  }

  private static String part(Map<String, String> parts, MatchResult place) {
    String part = parts.get(place.group(1));
    if (part == null) {
      throw new IllegalStateException("report.html has a place " + place.group());
    }
    return Matcher.quoteReplacement(part);
  }

  private static String frame() {
    try (InputStream in = ReportPage.class.getResourceAsStream("report.html")) {
      if (in == null) {
        throw new IllegalStateException("the resource report.html is missing");
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Allows the frame's own style and script, by their digests, and nothing else. */
  private static String policy(String frame) {
    return "default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'"
        .formatted(digest(frame, "style"), digest(frame, "script"));
  }

  private static String digest(String frame, String element) {
    String start = "<" + element + ">";
    String content =
        frame.substring(frame.indexOf(start) + start.length(), frame.indexOf("</" + element + ">"));
    byte[] digest = HexFormat.of().parseHex(Digest.of(content.getBytes(UTF_8)).toString());
    return Base64.getEncoder().encodeToString(digest);
  }

  private String origin() {
    String directories =
        report.directories().stream()
            .map(each -> "<code>" + escaped(each.toString()) + "</code>")
            .collect(Collectors.joining(", "));
    return "%s<br>Written %s UTC by %s. %s."
        .formatted(
            directories.isEmpty() ? "no cache directory" : directories,
            minute(report.written()),
            escaped(report.version()),
            report
                .since()
                .map(time -> "Requests are counted since " + minute(time) + " UTC")
                .orElse("No request has been counted"));
  }

  private static String minute(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString().substring(0, MINUTES).replace('T', ' ');
  }

  private String summary() {
    Counts counts = report.counts();
    long hits = counts.hits();
    long requests = hits + counts.misses();
    String rate = requests == 0 ? UNKNOWN : Math.round(1000.0 * hits / requests) / 10.0 + " %";
    return figure("Hit rate", rate, Text.count(requests, "request"))
        + figure("Entries", String.valueOf(report.entries().size()), Text.bytes(report.bytes()))
        + figure("Kernels", String.valueOf(report.kernels()), "in all entries")
        + figure("Targets", String.valueOf(report.targets().size()), some(report.targets()))
        + figure("Saved", Text.duration(counts.savedTime()), "by hits on the disk")
        + figure(
            "Compiling",
            Text.duration(counts.compileTime()),
            Text.count(counts.compiles(), "compile"));
  }

  private static String some(List<String> targets) {
    int more = targets.size() - MOST_TARGETS;
    return more <= 0
        ? String.join(", ", targets)
        : String.join(", ", targets.subList(0, MOST_TARGETS)) + " and " + more + " more";
  }

  private static String figure(String name, String value, String detail) {
    return "\n<div><dt>%s</dt><dd>%s <small>%s</small></dd></div>"
        .formatted(name, value, escaped(detail));
  }

  private String notes() {
    StringBuilder notes = new StringBuilder();
    if (report.leftOut() > 0) {
      notes.append(
          "<p class=\"note\">%s left out: damaged, or without a code object. <code>kcache verify</code> names the files.</p>\n"
              .formatted(report.leftOut() == 1 ? "1 entry is" : report.leftOut() + " entries are"));
    }
    if (report.entries().isEmpty()) {
      notes.append("<p class=\"note\">There are no entries.</p>\n");
    }
    return notes.toString();
  }

  private String rows() {
    StringBuilder rows = new StringBuilder();
    report.rows().forEach(row -> write(row, rows));
    return rows.toString();
  }

  /** End tags that HTML lets be left out are a third of a large page. */
  private void write(Row row, StringBuilder out) {
    CacheEntry entry = row.entry();
    KernelMetadata kernel = row.kernel();
    String place = report.directories().size() > 1 ? " in " + row.located().directory() : "";
    out.append("<tr><th scope=\"row\">")
        .append(row.name().map(ReportPage::escaped).orElse("(no kernel)"))
        .append(" <small>")
        .append(escaped(entry.source() + place))
        .append("</small>");
    cell(out, entry.target().toString());
    cell(out, escaped(entry.label().toString()));
    cell(out, entry.size(), Text.bytes(entry.size()));
    if (kernel == null) {
      out.append("<td>–".repeat(OF_KERNEL));
    } else {
      write(kernel, row, out);
    }
    cell(out, entry.compileTime().toMillis(), Text.duration(entry.compileTime()));
    cell(out, String.valueOf(row.hits()));
    out.append("</tr>\n");
  }

  private static void write(KernelMetadata kernel, Row row, StringBuilder out) {
    Registers registers = kernel.registers();
    boolean isAmd = row.isAmd();
    boolean isPtx = row.format() == Format.PTX;
    cell(out, isPtx ? UNKNOWN : String.valueOf(registers.vgprs()));
    cell(out, isAmd ? String.valueOf(registers.agprs()) : UNKNOWN);
    cell(out, isAmd ? String.valueOf(registers.sgprs()) : UNKNOWN);
    cell(out, row.occupancy().map(ReportPage::occupancy).orElse(UNKNOWN));
    cell(out, isAmd ? spills(registers) : UNKNOWN);
    cell(out, String.valueOf(kernel.sharedMemoryBytes()));
    cell(out, isPtx ? UNKNOWN : scratch(kernel));
  }

  private static String occupancy(Occupancy occupancy) {
    String limit =
        switch (occupancy.limit()) {
          case PROCESSOR -> "";
          case VGPRS -> ", VGPRs";
          case SGPRS -> ", SGPRs";
          case BLOCK_SIZE -> ", block";
          case SHARED_MEMORY -> ", shared";
        };
    return "%d <small>of %d%s</small>".formatted(occupancy.waves(), occupancy.most(), limit);
  }

  private static String spills(Registers registers) {
    int all = registers.vgprSpills() + registers.sgprSpills();
    return all == 0
        ? "0"
        : "<b>%d</b> <small>%d V, %d S</small>"
            .formatted(all, registers.vgprSpills(), registers.sgprSpills());
  }

  private static String scratch(KernelMetadata kernel) {
    String bytes = String.valueOf(kernel.scratchBytes());
    return kernel.dynamicStack()
        ? "<b>" + bytes + "</b> <small>and a stack</small>"
        : kernel.scratchBytes() == 0 ? bytes : "<b>" + bytes + "</b>";
  }

  private static void cell(StringBuilder out, String html) {
    out.append("<td>").append(html);
  }

  /** A cell that is sorted by another value than it shows. */
  private static void cell(StringBuilder out, long value, String text) {
    out.append("<td data-v=").append(value).append('>').append(text);
  }

  private String toolchains() {
    Map<String, Long> entries =
        report.entries().stream()
            .map(LocatedEntry::entry)
            .collect(
                Collectors.groupingBy(
                    each ->
                        "<td>"
                            + escaped(each.label().toString())
                            + "<td>"
                            + escaped(each.compiler()),
                    TreeMap::new,
                    Collectors.counting()));
    return entries.entrySet().stream()
        .map(each -> "<tr>" + each.getKey() + "<td class=\"number\">" + each.getValue() + "</tr>\n")
        .collect(Collectors.joining());
  }

  /** Returns a text that is only text wherever it is put, with what cannot be seen spelt out. */
  static String escaped(String text) {
    return Text.visible(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
