// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/*
 * hiprtc takes sources and headers in memory. What it does with them is to write them into a directory
 * with a random name below TMPDIR, and to compile them there. That name would stand in __FILE__ and in
 * debug information, so that no two compiles gave the same bytes; and as all headers lie in one
 * directory, it can't be said which of several include directories comes first, or what
 * #include_next finds. So the source that it is given is empty, and everything is in the staging
 * directory, as for any compiler: the main file is included by an option, whose file is looked for in
 * the working directory, and what it includes is looked for beside it.
 *
 * hiprtc's own header lies in the random directory all the same. Where debug information names it (HIP
 * 6.4), the header is taken out of a code object that has it as data, and put where the compiler looks
 * first.
 */

/**
 * One compile in the working directory. What hiprtc is given and what it says has a character for
 * each byte.
 *
 * @param code the file that the code object is written to
 * @param dependencies the file that the list of dependencies is written to
 * @param headers the directory of the headers that hiprtc lacks
 * @param file what is compiled
 * @param directories the declared include directories
 * @param options of the compiler
 */
record Compiling(
    LoadedHiprtc hiprtc,
    Path code,
    Path dependencies,
    Path headers,
    String file,
    List<String> directories,
    List<String> options) {
  private static final String END = "--";

  private static final String OWN_HEADER = "hiprtc_runtime.h";
  private static final String BEGIN = "kcache<";
  private static final String END_OF_DATA = ">kcache";
  private static final String HEADER_AS_DATA =
      """
      extern "C" __global__ void kernel() {
        __asm__ volatile(".pushsection .kcache,\\"a\\",@progbits\\n.ascii \\"%s\\"\\n"
                         ".incbin \\"%s\\"\\n.ascii \\"%s\\"\\n.popsection");
      }
      """
          .formatted(BEGIN, OWN_HEADER, END_OF_DATA);

  /** Says no more than that the main file was included by an option. */
  private static final Pattern INCLUDED_BY_OPTION =
      Pattern.compile("^In file included from <built-in>:\\d{1,9}:\\n", Pattern.MULTILINE);

  private static final Pattern PREREQUISITE = Pattern.compile("(?:\\\\[ #\\\\]|\\S)+");

  static Compiling of(LoadedHiprtc hiprtc, List<String> arguments) {
    int end = arguments.indexOf(END);
    return new Compiling(
        hiprtc,
        Path.of(arguments.get(0)),
        Path.of(arguments.get(1)),
        Path.of(arguments.get(2)),
        bytes(arguments.get(3)),
        arguments.subList(4, end).stream().map(Compiling::bytes).toList(),
        arguments.subList(end + 1, arguments.size()));
  }

  private static String bytes(String name) {
    return new String(name.getBytes(UTF_8), ISO_8859_1);
  }

  /** Compiles; prints the log; returns the exit code. */
  int run(PrintStream log) throws IOException {
    String temporary = bytes(System.getenv().getOrDefault("TMPDIR", "/tmp")) + "/";
    LoadedHiprtc.Result result = hiprtc.compile("", words());
    if (result.code().orElse("").contains(temporary) && putOwnHeader()) {
      result = hiprtc.compile("", words());
    }
    String said = readable(result.log(), temporary);
    log.write(said.getBytes(ISO_8859_1));
    if (result.code().isEmpty()) {
      if (!said.contains("error: ")) {
        log.println("error: hiprtc compiled nothing and says no more than " + result.status());
      }
      return 1;
    }
    writeDependencies(temporary);
    Files.writeString(code, result.code().get(), ISO_8859_1);
    return 0;
  }

  /** A source of the user's lies deeper. */
  private static boolean isOwnHeader(String word) {
    return word.equals(OWN_HEADER) || word.equals("./" + OWN_HEADER);
  }

  private List<String> words() {
    List<String> words = new ArrayList<>(options);
    directories.forEach(directory -> words.add("-I" + directory));
    words.addAll(List.of("-isystem", headers.toString()));
    Stream.of("-dependency-file", dependencies.toString(), "-sys-header-deps", "-MT", "x")
        .forEach(word -> words.addAll(List.of("-Xclang", word)));
    // Absolute, or the random directory would stand before it in debug information.
    words.addAll(List.of("-Xclang", "-main-file-name", "-Xclang", "/" + file));
    words.addAll(List.of("-include", file));
    return words;
  }

  /** Puts the header that hiprtc includes first into the working directory, if that can be. */
  private boolean putOwnHeader() throws IOException {
    Path header = Path.of(OWN_HEADER);
    if (Files.exists(header)) {
      return false;
    }
    String text = hiprtc.compile(HEADER_AS_DATA, options).code().orElse("");
    int start = text.indexOf(BEGIN);
    int end = text.indexOf(END_OF_DATA);
    if (start < 0 || end < start) {
      return false;
    }
    Files.writeString(header, text.substring(start + BEGIN.length(), end), ISO_8859_1);
    return true;
  }

  private static String readable(String log, String temporary) {
    String named = INCLUDED_BY_OPTION.matcher(log).replaceAll("");
    return named.replaceAll("\\Q" + temporary + "\\Ecomgr-\\w{1,32}/(?:include|input)/", "");
  }

  /** Leaves out hiprtc's own temporary files. */
  private void writeDependencies(String temporary) throws IOException {
    StringBuilder rule = new StringBuilder();
    Matcher words = PREREQUISITE.matcher(Files.readString(dependencies, ISO_8859_1));
    while (words.find()) {
      String word = words.group();
      if (!word.equals("\\")
          && !isOwnHeader(word)
          && !word.replace("\\ ", " ").startsWith(temporary)) {
        rule.append(word).append(' ');
      }
    }
    Files.writeString(dependencies, rule.append('\n'), ISO_8859_1);
  }
}
