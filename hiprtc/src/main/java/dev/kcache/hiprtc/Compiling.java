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
 * hiprtc takes sources and headers in memory, but writes them into a directory with a random name
 * below TMPDIR and compiles them there. That name would appear in __FILE__ and in debug information, so
 * no two compiles would give the same bytes. And since all headers are in one directory, include
 * directories would have no order, and #include_next no meaning. So kcache passes an empty source, and
 * everything is in the staging directory, as for any compiler: an option includes the main file, which
 * is found in the working directory, and its own includes are found beside it.
 *
 * hiprtc's own header is in the random directory all the same. Where debug information names it (HIP
 * 6.4), the header is read out of a code object that has it as data, and put where the compiler looks
 * first.
 */

/**
 * One compile in the working directory. Texts to and from hiprtc have one character for each byte.
 *
 * @param code the file for the code object
 * @param dependencies the file for the list of dependencies
 * @param headers the directory of the headers that hiprtc lacks
 * @param file the file to compile
 * @param directories the declared include directories
 * @param options the compiler's options
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

  /** The line that says that an option included the main file. */
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

  /** A user's source is in a deeper directory. */
  private static boolean isOwnHeader(String word) {
    return word.equals(OWN_HEADER) || word.equals("./" + OWN_HEADER);
  }

  private List<String> words() {
    List<String> words = new ArrayList<>(options);
    directories.forEach(directory -> words.add("-I" + directory));
    words.addAll(List.of("-isystem", headers.toString()));
    Stream.of("-dependency-file", dependencies.toString(), "-sys-header-deps", "-MT", "x")
        .forEach(word -> words.addAll(List.of("-Xclang", word)));
    // Absolute, or debug information would have the random directory before it.
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
