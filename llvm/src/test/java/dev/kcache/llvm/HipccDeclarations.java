// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.toolchain.Diagnostic;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What HIP's own headers declare for device code, as the machine's hipcc sees them: from clang's
 * dump of the tree that it parses, and of the macros.
 */
final class HipccDeclarations {
  /** HIP's headers for device code; an older HIP lacks some. */
  static final List<String> HEADERS =
      List.of(
          "hip/hip_runtime.h",
          "hip/hip_fp16.h",
          "hip/hip_bfloat16.h",
          "hip/hip_bf16.h",
          "hip/hip_complex.h",
          "hip/hip_cooperative_groups.h",
          "hip/hip_math_constants.h");

  /** The target of all comparisons; the declarations are the same for each. */
  static final String TARGET = "gfx90a";

  private static final String SOURCE = "probe.hip";

  private static final Pattern OWN = Pattern.compile(".*/hip/.*|.*/__clang_(hip|cuda)_.*");

  private static final Pattern NODE = Pattern.compile("([|` -]*)(\\w+) 0x[0-9a-f]+ .*");

  /** A place says the file only where it is another one than that of the place before. */
  private static final Pattern FILE =
      Pattern.compile(
          "(?:[<>] ?|, )(<scratch space>|<built-in>|<command line>|(?!line:)[^ <>:,]+):\\d+:\\d+");

  private static final Pattern AFTER_PLACE =
      Pattern.compile(".*(?:[> ](?:line:\\d+:\\d+|col:\\d+|[^ ]+:\\d+:\\d+)) (.*)");

  private static final Set<String> WORDS =
      Set.of("used", "referenced", "implicit", "constexpr", "inline", "struct", "class", "union");

  /**
   * One declaration.
   *
   * @param kind clang's name for what it is
   * @param scope the namespace or class with its colons; empty for the global namespace
   * @param type the type in C++'s words; empty where there is none
   * @param file the file's name without its directories
   */
  record Declaration(String kind, String scope, String name, String type, String file) {
    /** Returns the name as it can be written anywhere. */
    String qualified() {
      return "::" + scope + name;
    }
  }

  /**
   * A macro.
   *
   * @param value the rest of its definition, the parameters first if it has any
   * @param file as in {@link Declaration}
   */
  record Macro(String name, String value, String file) {}

  /** What is not yet known to be device code, and what encloses what comes next. */
  private static final class Node {
    final String kind;
    final String name;
    Declaration declaration;
    boolean hidden;
    boolean device;

    Node(String kind, String name) {
      this.kind = kind;
      this.name = name;
    }
  }

  private final Path directory;

  HipccDeclarations(Path directory) {
    this.directory = directory;
  }

  /** Returns whether there is a hipcc on the PATH. */
  static boolean isInstalled() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(place -> Files.isExecutable(Path.of(place, "hipcc")));
  }

  /** Returns the first two numbers of HIP's version. */
  String version() throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    run(Redirect.DISCARD, lines::add, List.of("hipcc", "--version"));
    Matcher version = Pattern.compile("HIP version: (\\d+\\.\\d+).*").matcher(lines.get(0));
    return version.matches() ? version.group(1) : lines.get(0);
  }

  /** Returns HIP's macros, and those of clang's that tell of HIP or of the processor. */
  List<Macro> macros() throws IOException, InterruptedException {
    Map<String, Macro> macros = new TreeMap<>();
    String[] file = {""};
    Pattern marker = Pattern.compile("# \\d+ \"([^\"]*)\".*");
    Pattern definition = Pattern.compile("#define (\\w+)((?:\\([^)]*\\))?.*)");
    compile(
        included(HEADERS),
        Redirect.DISCARD,
        line -> {
          Matcher place = marker.matcher(line);
          Matcher defined = definition.matcher(line);
          if (place.matches()) {
            file[0] = place.group(1);
          } else if (line.startsWith("#undef ")) {
            macros.remove(line.substring("#undef ".length()).strip());
          } else if (defined.matches()) {
            String name = defined.group(1);
            boolean told = file[0].startsWith("<") && name.matches(".*(HIP|AMDGCN|GFX|gfx9).*");
            if (told || OWN.matcher(file[0]).matches()) {
              macros.put(name, new Macro(name, defined.group(2).strip(), last(file[0])));
            }
          }
        },
        "-E",
        "-dD");
    return List.copyOf(macros.values());
  }

  /** Returns the lines that include headers, where they are. */
  static String included(List<String> headers) {
    return headers.stream()
        .map("#if __has_include(<%1$s>)\n#include <%1$s>\n#endif\n"::formatted)
        .collect(Collectors.joining());
  }

  /** Returns what device code may name: what is declared as such, types and objects. */
  List<Declaration> declarations() throws IOException, InterruptedException {
    List<Node> found = new ArrayList<>();
    List<Node> open = new ArrayList<>();
    String[] file = {""};
    compile(
        included(HEADERS),
        Redirect.DISCARD,
        line -> {
          Matcher node = NODE.matcher(line);
          if (!node.matches()) {
            return;
          }
          Matcher place = FILE.matcher(line);
          while (place.find()) {
            file[0] = place.group(1);
          }
          int depth = node.group(1).length() / 2;
          while (open.size() > depth) {
            open.remove(open.size() - 1);
          }
          Node read = read(line, node.group(2), file[0], open);
          open.add(read);
          if (read.declaration != null) {
            found.add(read);
          }
        },
        "-fsyntax-only",
        "-fno-color-diagnostics",
        "-Xclang",
        "-ast-dump");
    return found.stream()
        .filter(
            node -> node.device || !node.kind.matches("Function.*|CXX(Method|Con.*)Decl|VarDecl"))
        .map(node -> node.declaration)
        .distinct()
        .toList();
  }

  private static Node read(String line, String kind, String file, List<Node> open) {
    Node parent = open.isEmpty() ? null : open.get(open.size() - 1);
    if (kind.equals("CUDADeviceAttr")) {
      // A template's attribute is that of the function in it.
      open.stream()
          .filter(node -> node.kind.matches("Function.*|CXX.*|VarDecl"))
          .forEach(node -> node.device = true);
    }
    if (parent != null && kind.equals("AccessSpecDecl")) {
      parent.hidden = !line.endsWith("public");
    }
    int quote = line.indexOf(" '");
    Matcher rest = AFTER_PLACE.matcher(quote < 0 ? line : line.substring(0, quote));
    if (!kind.endsWith("Decl") || !rest.matches()) {
      return new Node(kind, "");
    }
    List<String> words = new ArrayList<>(List.of(rest.group(1).split(" ")));
    boolean implicit = words.contains("implicit");
    boolean defined = words.remove("definition");
    while (!words.isEmpty() && WORDS.contains(words.get(0))) {
      words.remove(0);
    }
    String name = String.join(" ", words);
    Node node = new Node(kind, name);
    node.hidden = rest.group(1).contains("class ") && kind.equals("CXXRecordDecl");
    String scope = scope(open);
    boolean wanted = !kind.equals("CXXRecordDecl") || defined;
    if (scope != null && wanted && !implicit && !name.isEmpty() && OWN.matcher(file).matches()) {
      node.declaration =
          new Declaration(kind, scope, name, quote < 0 ? "" : type(line, quote), last(file));
    }
    return node;
  }

  /** Returns the type as it is written, or what it stands for where that says it only inside. */
  private static String type(String line, int quote) {
    String[] types = line.substring(quote + 2).split("'", -1);
    return types[0].contains("decltype") && types.length > 2 ? types[2] : types[0];
  }

  /** Returns what a name in here is qualified with, or null where no other code may name it. */
  private static String scope(List<Node> open) {
    StringBuilder scope = new StringBuilder();
    for (Node node : open) {
      switch (node.kind) {
        case "TranslationUnitDecl", "LinkageSpecDecl" -> {}
        case "NamespaceDecl", "CXXRecordDecl" -> {
          if (node.hidden || (node.name.isEmpty() && node.kind.equals("NamespaceDecl"))) {
            return null;
          }
          // What is in an anonymous union belongs to what encloses it.
          scope.append(node.name).append(node.name.isEmpty() ? "" : "::");
        }
        default -> {
          return null;
        }
      }
    }
    return scope.toString();
  }

  /**
   * Returns which lines of a source hipcc refuses, and why; see {@link EmbeddedCompiler#refusals}.
   */
  SortedMap<Integer, String> refusals(String text) throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    compile(
        text,
        Redirect.PIPE,
        lines::add,
        "-fsyntax-only",
        "-ferror-limit=0",
        "-ftemplate-backtrace-limit=0");
    return EmbeddedCompiler.refusals(Diagnostic.parseLog(String.join("\n", lines)), SOURCE);
  }

  /** Has hipcc look at a source for the device alone, and gives what is printed by lines. */
  private void compile(String text, Redirect errors, Consumer<String> lines, String... options)
      throws IOException, InterruptedException {
    Files.writeString(directory.resolve(SOURCE), text);
    List<String> command =
        new ArrayList<>(
            List.of("hipcc", "--offload-arch=" + TARGET, "--cuda-device-only", "-std=c++17"));
    command.addAll(List.of(options));
    command.addAll(List.of("-x", "hip", SOURCE));
    run(errors, lines, command);
  }

  private void run(Redirect errors, Consumer<String> lines, List<String> command)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().put("HIP_PLATFORM", "amd");
    builder.redirectError(errors).redirectErrorStream(errors.equals(Redirect.PIPE));
    Process process = builder.start();
    process.getOutputStream().close();
    try (BufferedReader reader = process.inputReader()) {
      reader.lines().forEach(lines);
    }
    process.waitFor();
  }

  private static String last(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
