// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static dev.kcache.toolchain.standin.Invariants.require;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.kcache.cache.source.IncludeClosure.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the compiler opens of the user's files is in the closure, or the source is refused: the
 * compiler behind the {@code hipcc} on the PATH lists what it opened of made-up sources; see {@code
 * scripts/fuzz oracle}.
 */
class IncludeOracleFuzzTest {
  private static final List<String> STANDARDS =
      List.of("c++17", "c++11", "c++14", "c++20", "gnu++17");

  private static final List<String> HEADERS =
      List.of(
          "k/b.h",
          "k/sub/b.h",
          "k/q\\\"q.h",
          "k/p\\q.h",
          "inc/a.h",
          "inc/c.h",
          "inc/sub/b.h",
          "d.h");

  /** What is read in other ways than it looks. */
  private static final String[] FRAGMENTS = {
    "#include \"b.h\"\n", "#include <c.h>\n", "#include \"sub/b.h\"\n", "#include_next <a.h>\n",
    "#include_next \"b.h\"\n", "#import <sub/b.h>\n", "#include \"../d.h\"\n",
        "#__include_macros <c.h>\n",
    "#include \"q\\\"q.h\"\n", "#include \"p\\q.h\"\n", "#include", "#",
    "%:", "include", "import", "_next",
    "inc\\\nlude", "<c.h>", "\"b.h\"", "\"../inc/sub/b.h\"",
    "#if 0\n", "#if 1\n", "#else\n", "#endif\n",
    "\n#endif\n", "#if __has_include(<c.h>)\n",
        "#if __has_include(\"b.h\") && __has_include_next(<a.h>)\n",
        "#elif defined(__has_include) && __has_include(\"q\\\"q.h\")\n",
    "#if defined __has_include\n", "#if defined(X) || __has_include(", "#ifdef __has_include\n",
        "#define I <c.h>\n",
    "#define H __has_include\n", "#define M(x) x\n", "#undef I\n", " I\n",
    "H(", "M(", ")", "#pragma once\n",
    "#pragma ", "GCC system_header\n", "clang include_instead(<c.h>)\n", "push_macro(\"I\")\n",
    "_Pragma(\"once\")", "#line 7 \"inc/c.h\"\n", "# 1 \"inc/c.h\" 1\n", "#warning don't\n",
    "don't", "/*", "*/", "//",
    "\\\n", "\\ \n", "\\\r\n", "\n",
    "\r\n", "\r", " ", "\t",
    "\f", "\u000b", "\u00a0", "\u3000",
    "\ufeff", "\u200b", "\u00e4", "\"",
    "'", "\\", "\\\"", "R\"(",
    "R\"x(", ")x\"", ")\"", "R\"",
    "u8R\"(", "LR\"(", "u8", "L'",
    "R\"$(", "R\"\"(", ")\"\"", "R\"'(",
    "R\"a b(", "R\"0123456789abcdef(", "R\"0123456789abcdefg(", "1'0",
    "1'a'", "0x1p+'a", "1p+'a", "1e+'",
    ".1'", "x'", "??/\n", "??=include <c.h>\n",
    "$", "@", "`", "int x;\n",
  };

  /** Lines that include something, by their parts: fragments seldom come together as such. */
  private static final List<String[]> DIRECTIVE =
      List.of(
          new String[] {"#", "%:", " # ", "/**/#", "#\\\n", "%:\t", "\\\n#"},
          new String[] {"include", "include_next", "import", "__include_macros", "inc\\\nlude"},
          new String[] {
            "\"b.h\"", "<c.h>", " <c.h>", "/**/\"sub/b.h\"", "<sub/b.h>", " \"../d.h\""
          },
          new String[] {"\n", "\r\n", " // x\n", "/**/\n", "\\\n\n"});

  @TempDir static Path directory;
  private static Path compiler;

  @BeforeAll
  static void findCompiler() throws Exception {
    compiler = CompilerOfHipcc.find();
    directory = directory.toRealPath();
    for (String header : HEADERS) {
      Path file = directory.resolve(header);
      Files.createDirectories(file.getParent());
      Files.writeString(file, "// " + header + "\n");
    }
  }

  @FuzzTest
  void compare(FuzzedDataProvider data) throws Exception {
    String standard = data.pickValue(STANDARDS);
    String text = "#include \"a.h\"\n" + text(data);
    String included = text(data);
    // Last and in front, so that inputs from before there were any mean what they did.
    String main = directives(data) + text;
    String header = directives(data) + included;
    write("k/main.hip", main);
    write("k/a.h", header);
    Set<String> closure;
    try {
      closure = closure();
    } catch (SourceProblem e) {
      return;
    }
    Set<String> opened = opened(standard);
    require(
        closure.containsAll(opened),
        () ->
            "-std=%s opened %s, found %s, in\n%s\n-- a.h:\n%s"
                .formatted(standard, opened, closure, main, header));
  }

  /** To write over a file has some file systems wait for the disk. */
  private static void write(String name, String text) throws IOException {
    Files.deleteIfExists(directory.resolve(name));
    Files.writeString(directory.resolve(name), text);
  }

  private static String text(FuzzedDataProvider data) {
    StringBuilder text = new StringBuilder();
    int fragments = data.consumeInt(0, 24);
    for (int i = 0; i < fragments; i++) {
      text.append(data.pickValue(FRAGMENTS));
    }
    return text.toString();
  }

  private static String directives(FuzzedDataProvider data) {
    StringBuilder lines = new StringBuilder();
    for (int left = data.consumeInt(0, 3); left > 0; left--) {
      for (String[] part : DIRECTIVE) {
        lines.append(data.pickValue(part));
      }
    }
    return lines.toString();
  }

  private static Set<String> closure() {
    SourceTree disk = new DiskTree();
    SourcePath main = new SourcePath(disk, directory.resolve("k/main.hip").toString());
    Root root = new Root(new SourcePath(disk, directory.resolve("inc").toString()), "inc", "inc");
    IncludeClosure closure =
        IncludeScanner.scan(
            new SourceSnapshot(), main, "main.hip", List.of(), List.of(root), List.of());
    if (closure.undeclared() != null) {
      throw closure.undeclared();
    }
    return closure.files().keySet().stream()
        .map(file -> directory.relativize(Path.of(file.path())).toString())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns what the compiler opens of our files, nothing if it refuses the source. */
  private static Set<String> opened(String standard) throws IOException, InterruptedException {
    Path list = directory.resolve("list");
    Files.deleteIfExists(list);
    List<String> command = new ArrayList<>(List.of(compiler.toString(), "-cc1"));
    command.addAll(List.of("-triple", "amdgcn-amd-amdhsa", "-fcuda-is-device", "-x", "hip"));
    command.addAll(List.of("-std=" + standard, "-Eonly", "-w", "-I", "../inc", "main.hip"));
    // A missing header would end the reading.
    command.addAll(List.of("-MG", "-dependency-file", "../list", "-sys-header-deps", "-MT", "x"));
    Process process =
        new ProcessBuilder(command)
            .directory(directory.resolve("k").toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (process.waitFor() != 0) {
      return Set.of();
    }
    String rule = new String(Files.readAllBytes(list), ISO_8859_1);
    Set<String> opened = new TreeSet<>();
    for (String header : HEADERS) {
      opened.addAll(named(rule, header));
    }
    return opened;
  }

  /** Returns {@code header} if the rule has it, by whatever way it was reached. */
  private static Set<String> named(String rule, String header) {
    Path directory = IncludeOracleFuzzTest.directory;
    // The compiler writes a backslash as a slash where it lists what it has read.
    String listed = header.replace('\\', '/');
    for (String name : rule.substring(rule.indexOf(':') + 1).split("[\\s\\\\]+", 0)) {
      Path file = directory.resolve("k").resolve(name).normalize();
      if (!name.isEmpty() && file.equals(directory.resolve(listed))) {
        return Set.of(header);
      }
    }
    return Set.of();
  }
}
