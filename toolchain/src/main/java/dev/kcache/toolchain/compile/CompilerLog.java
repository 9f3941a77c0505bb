// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.probe.LinuxPath;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The compiler's output, with the user's names for the files. */
public final class CompilerLog {
  private static final String SEVERITY = "(?:fatal error|error|warning|note|remark)";

  /**
   * The places at which clang, lld, nvcc and rustc name a staged file: the text before, the name,
   * and the text after. Repetitions are bounded, so that no log takes long.
   */
  private static final List<Pattern> PLACES =
      List.of(
          place("^()(.+?)(:\\d{1,9}(?::\\d{1,9})?: " + SEVERITY + ": )"),
          place("^((?:In file included| {16}) from )(.+)(:\\d{1,9}[:,])$"),
          place(
              "^()(.+?)(\\(\\d{1,9}\\): (?:(?:catastrophic |internal"
                  + " )?error|warning|remark|note)\\b)"),
          // rustc's places.
          place("^( {0,9}(?:-->|:::) )(.+)(:\\d{1,9}:\\d{1,9})$"),
          // The use of a template.
          place("( at line \\d{1,9} of )(.+)()$"),
          place("( detected in the compilation of \")(.{1,1024})(\"\\.)$"),
          // A type without a name.
          place("(\\((?:lambda|(?:unnamed|anonymous)[ \\w]{0,40}) at )(.{1,1024}?)(:\\d{1,9}:)"),
          place("^(>>> referenced by )(.+)(:\\d{1,9})$"));

  /** With debug information, lld prints a short name and then the path. */
  private static final Pattern SHORT_NAME =
      place("^(>>> referenced by )[^:\\n]{1,300}:\\d{1,9} \\((.{1,1024})(:\\d{1,9})\\)$");

  private CompilerLog() {}

  private static Pattern place(String pattern) {
    return Pattern.compile(pattern, Pattern.MULTILINE);
  }

  /**
   * Returns the log of a job with the user's file names instead of ours.
   *
   * @param temporary the directory of temporary files
   */
  public static String of(
      String log, Toolchain.Job job, List<Toolchain.SourceFile> headers, String temporary) {
    String source =
        job.source().displayNames().getOrDefault(job.source().mainFile(), job.source().name());
    Map<String, String> names = new HashMap<>(job.source().displayNames());
    headers.forEach(header -> names.put(OutputNames.HEADERS + "/" + header.path(), header.path()));
    return withoutObjects(withUserNames(log, names), temporary, source);
  }

  /** Returns {@code log} with the names of staged files replaced by the user's. */
  static String withUserNames(String log, Map<String, String> displayNames) {
    String named = replaced(SHORT_NAME, log, displayNames);
    for (Pattern place : PLACES) {
      named = replaced(place, named, displayNames);
    }
    return named;
  }

  /** Replaces the temporary files that the linker or ptxas names by the source. */
  static String withoutObjects(String log, String temporary, String source) {
    return Pattern.compile(
            "\\Q"
                + temporary
                + "\\E[/\\\\][\\w.+/\\\\-]{1,512}\\.(?:o(?=:\\(|$)|ptx(?=, line \\d))",
            Pattern.MULTILINE)
        .matcher(log)
        .replaceAll(Matcher.quoteReplacement(source));
  }

  private static String replaced(Pattern place, String log, Map<String, String> displayNames) {
    return place
        .matcher(log)
        .replaceAll(match -> Matcher.quoteReplacement(replacement(match, displayNames)));
  }

  private static String replacement(MatchResult match, Map<String, String> displayNames) {
    String file = match.group(2);
    String own = displayNames.get(normalized(file));
    // Windows' compilers join what they find with its own separator.
    String display = own == null ? displayNames.get(normalized(file.replace('\\', '/'))) : own;
    return display == null ? match.group() : match.group(1) + display + match.group(3);
  }

  /** A header may be found by way of others, such as {@code src/k/../common.h}. */
  private static String normalized(String file) {
    return file.indexOf('\0') < 0 ? LinuxPath.of(file).normalize().toString() : file;
  }
}
