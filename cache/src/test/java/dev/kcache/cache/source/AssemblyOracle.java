// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static dev.kcache.toolchain.standin.Invariants.require;

import dev.kcache.cache.source.IncludeClosure.Root;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Asks a clang which files it opens when it assembles made-up sources: those whose time of last
 * access changes. The files lie as kcache stages them, with some more that a source may reach.
 */
final class AssemblyOracle {
  private static final String MAIN = "work/src/k.s";
  private static final String INCLUDED = "work/src/a.inc";

  private static final List<String> OTHERS =
      List.of(
          "work/src/b.inc",
          "work/src/sub/b.inc",
          "work/src/d.bin",
          "work/inc0/b.inc",
          "work/inc0/c.inc",
          "work/inc0/sub/e.inc",
          "work/inc0/d.bin",
          "work/inc0/include",
          "far.inc");

  private static final FileTime LONG_AGO = FileTime.fromMillis(0);

  /** A word between angle brackets is replaced by one of its choices. */
  private static final Pattern CHOICE = Pattern.compile("<([a-z]+)>");

  /** Of what is plain, the assembler and the scanner take most, so it stands there more often. */
  private static final Map<String, String[]> CHOICES =
      Map.ofEntries(
          choices(
              "text", "<plain>", "<plain><plain>", "<plain><piece>", "<piece>", "<piece><piece>"),
          choices("plain", "<before><directive> \"<file>\"<after>\n"),
          choices("directive", ".include", ".include", ".INCLUDE", ".incbin"),
          choices(
              "file",
              "b.inc",
              "sub/b.inc",
              "c.inc",
              "./sub/../b.inc",
              "sub/e.inc",
              "d.bin",
              "a.inc"),
          choices(
              "before",
              "",
              "\t",
              "1: ",
              "1:2:",
              "/* x */ ",
              "/* ; */",
              "/*//*/",
              "\"s;#\": ",
              ".: ",
              "..:.: ",
              "$.: ",
              "\".\": ",
              "; ",
              "// ",
              "# "),
          choices("after", "", " ; x", " // \"", " /* ; */", " ; /*", "\r", "\r.byte 1"),
          choices("range", "", ", 1", ",1,2", ", 0, 1", ", 2, 0"),
          choices(
              "odd", "\"", "'", "/*", "*/", ";", "//", "\\", "#", "it's", "\\\"", ":", "\n", "\r",
              "''", "\"\"", ",", "a"),
          choices(
              "read",
              "<plain>",
              "<plain>",
              ".incbin \"<file>\"<range><after>\n",
              "<odd> <directive> \"<file>\" <odd>\n",
              "<before><directive><odd>\"<file>\"<range>\n",
              ".include \"gone\"\n",
              ".include \"../far.inc\"\n",
              ".include \"ABSOLUTE/far.inc\"\n",
              ".include \"src/b.inc\"\n",
              ".include \"sub\"\n",
              ".include \"b.inc\0x\"\n",
              ".include \"b.in\\143\"\n",
              "\".include\" \"<file>\"\n",
              "s_nop 0 <plain>",
              "3: # <plain>",
              ".byte '\"' ; <plain>",
              ".byte '\"', ';' // <plain>",
              ".byte ';' <plain>"),
          choices(
              "piece",
              "<read>",
              "<read>",
              ".if 0\n<read>.endif\n",
              ".if 1\n<read>.else\n<read>.endif\n",
              ".ifdef no\n<read>.endif\n",
              ".rept 2\n<read>.endr\n",
              ".macro . a\n<read>.endm\n. 1\n",
              ".macro .inc a\n<read>.endm\n.inc <directive> \"<file>\"\n",
              ".macro m# a\n\\a<directive> \"<file>\"\n.endm\nm# .:\n",
              ".macro m# a\n.\\a\"<file>\"\n.endm\nm# \"include \"\n",
              ".set .inc, <directive> \"<file>\"\n",
              ".macro m#\n<read>.endm\nm#\n",
              ".macro m#\n<read>.endm\n",
              ".macro m# a\n.byte \\a\n<read>.endm\nm# 1\n",
              ".macro m# a b\n\\a \"\\b\"\n.endm\nm# <directive> \"<file>\"\n",
              ".macro m# a b\n\\a \"s\\b\"\n.endm\nm# <directive> \"ub/b.inc\"\n",
              ".macro m# a\n\\a <read>.endm\nm# \"<odd><odd>\"\n",
              ".macro m# a\n\\a ; */ <plain>.endm\nm# \"/*\"\n",
              ".macro m# a b\n\\a\\b \"<file>\"\n.endm\nm# .in, clude\n",
              ".macro m# a.b\n.\\a.b \"<file>\"\n.endm\nm# include\n",
              ".macro m# a\n\\a\\()clude \"<file>\"\n.endm\nm# .in\n",
              ".irp x, \"<file>\", b.inc\n<directive> \"\\x\"\n.endr\n",
              ".irp x, <directive>\n\\x \"<file>\"\n.endr\n",
              ".irpc x, i\n.\\x\\()nclude \"<file>\"\n.endr\n",
              ".ifc <odd>,x\n<read>.endif\n",
              ".ifc <odd>, x\n.endif\n<read>",
              ".ifc /*, x\n.endif\n\"*/;<odd>\": <plain>",
              ".ifc \", x\n.endif\n; \" <plain>",
              ".ascii \"<odd><odd>\"\n",
              ".ascii \"a\\\\\" ; <odd>\n",
              ".ascii \"\n; \"\n<read>",
              "\"l#\n<odd>\": <read>",
              "\"l#\n;\": <plain>",
              "/* <odd>\n<odd> */<read>",
              "/*\n; */ <plain>",
              "/*\n// */ <plain>",
              "; <odd> <odd>\n<plain>",
              "// <odd>\n<plain>",
              "# <odd><odd>\n<plain>",
              "# 1 \"<file>\"\n<plain>",
              ".set x, 1 <odd>\n<read>",
              "s_nop 0\n",
              ".byte '<odd>'\n<read>",
              "<odd><odd><read>",
              ".end\n<read>"));

  private final Path directory;
  private final Path compiler;
  private int assembled;

  /**
   * Writes the files.
   *
   * @param directory an empty one, on a file system that notes when a file is read
   */
  AssemblyOracle(Path directory, Path compiler) throws IOException {
    this.directory = directory.toRealPath();
    this.compiler = compiler;
    for (String name : OTHERS) {
      Files.createDirectories(file(name).getParent());
      Files.writeString(file(name), ".set was_read, 1 ; " + name + "\n");
    }
    forget("far.inc");
    Files.readString(file("far.inc"));
    require(wasRead("far.inc"), "TMPDIR must be on a file system that keeps times of access");
  }

  /**
   * Returns how many sources scanner and assembler took, the latter having read another file for.
   */
  int assembled() {
    return assembled;
  }

  /** Compares what is read of one source that consists of what {@code choose} chooses. */
  void compare(IntUnaryOperator choose) throws IOException, InterruptedException {
    String main = text(choose);
    // A file that includes itself ends when the memory does.
    String included = text(choose).replace("a.inc", "c.inc");
    write(MAIN, main);
    write(INCLUDED, included);
    Set<String> closure;
    try {
      closure = closure();
    } catch (SourceProblem e) {
      return;
    }
    Set<String> opened = opened();
    require(
        closure.containsAll(opened),
        () ->
            "opened %s, found %s, in\n%s\n-- a.inc:\n%s"
                .formatted(opened, closure, main, included));
  }

  private String text(IntUnaryOperator choose) {
    return choice("text", choose).replace("ABSOLUTE", directory.toString());
  }

  private static String choice(String kind, IntUnaryOperator choose) {
    String[] choices = Objects.requireNonNull(CHOICES.get(kind), kind);
    String chosen = choices[choose.applyAsInt(choices.length)];
    String number = Integer.toString(choose.applyAsInt(100));
    return CHOICE
        .matcher(chosen.replace("m#", "m" + number).replace("l#", "l" + number))
        .replaceAll(found -> Matcher.quoteReplacement(choice(found.group(1), choose)));
  }

  private static Map.Entry<String, String[]> choices(String kind, String... choices) {
    return Map.entry(kind, choices);
  }

  /** To write over a file has some file systems wait for the disk. */
  private void write(String name, String text) throws IOException {
    Files.deleteIfExists(file(name));
    Files.writeString(file(name), text, StandardCharsets.ISO_8859_1);
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  private Set<String> closure() {
    SourceTree disk = new DiskTree();
    SourcePath main = new SourcePath(disk, file(MAIN).toString());
    Root root = new Root(new SourcePath(disk, file("work/inc0").toString()), "inc0", "inc0");
    IncludeClosure closure =
        AssemblyScanner.scan(new SourceSnapshot(), main, "k.s", List.of(), List.of(root));
    return closure.files().keySet().stream()
        .map(file -> directory.relativize(Path.of(file.path())).toString())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns which of the files the assembler opens, whether or not it takes the source. */
  private Set<String> opened() throws IOException, InterruptedException {
    for (String name : OTHERS) {
      forget(name);
    }
    forget(INCLUDED);
    Process process =
        new ProcessBuilder(
                compiler.toString(),
                "--target=amdgcn-amd-amdhsa",
                "-mcpu=gfx90a",
                "-Isrc",
                "-Iinc0",
                "-c",
                "-x",
                "assembler",
                "src/k.s",
                "-o",
                "../k.o")
            .directory(file("work").toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    // Clang 15 never ends at some open strings; what it has opened by then counts.
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    boolean taken = process.exitValue() == 0;
    Set<String> opened = new TreeSet<>();
    for (String name : OTHERS) {
      if (wasRead(name)) {
        opened.add(name);
      }
    }
    if (wasRead(INCLUDED)) {
      opened.add(INCLUDED);
    }
    assembled += taken && !opened.isEmpty() ? 1 : 0;
    return opened;
  }

  /** File systems note a read at least where the one before was older than the last change. */
  private void forget(String name) throws IOException {
    Files.getFileAttributeView(file(name), BasicFileAttributeView.class)
        .setTimes(null, LONG_AGO, null);
  }

  private boolean wasRead(String name) throws IOException {
    return !Files.readAttributes(file(name), BasicFileAttributes.class)
        .lastAccessTime()
        .equals(LONG_AGO);
  }
}
