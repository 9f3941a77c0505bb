// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.kcache.cache.source.IncludeClosure.File;
import dev.kcache.cache.source.IncludeClosure.Root;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds the files that assembly includes, by {@code .include} and {@code .incbin}. Wherever it
 * stands, a name is searched in the directory of the source and then in the declared directories.
 * What is not found is left to the assembler; an uncertain name is refused. Not safe for use by
 * several threads.
 */
public final class AssemblyScanner {
  /** Assemblers give up long before. */
  private static final int COUNT_LIMIT = 1_000;

  /** The assembler first looks in the directory that it runs in, which has these. */
  private static final Pattern STAGED = Pattern.compile("(\\./+)*(src|hdr|inc\\d+)(/.*)?");

  private static final String KERNEL = ".amdhsa_kernel";

  private final SourcePath main;
  private final String display;
  private final List<Root> roots;
  private final ClosureFiles closure;
  private final Set<File> texts = new HashSet<>();
  private final Deque<File> pending = new ArrayDeque<>();
  private boolean hasKernel;

  private AssemblyScanner(
      SourceSnapshot snapshot, SourcePath main, String display, List<Root> roots) {
    closure = new ClosureFiles(snapshot);
    this.main = main;
    this.display = display;
    this.roots = roots;
  }

  /**
   * Returns the closure of a file that the snapshot can read.
   *
   * @param headers the declared files, which belong to the closure whether named or not
   * @throws SourceProblem if a file cannot be read or cannot be keyed
   */
  public static IncludeClosure scan(
      SourceSnapshot snapshot,
      SourcePath main,
      String display,
      List<SourcePath> headers,
      List<Root> roots) {
    AssemblyScanner scanner = new AssemblyScanner(snapshot, main, display, roots);
    scanner.add(main, display, true, 0, display, 0);
    for (SourcePath header : headers) {
      scanner.add(header, header.path().substring(1), false, 1, display, 0);
    }
    while (!scanner.pending.isEmpty()) {
      scanner.scan(scanner.pending.removeFirst());
    }
    ClosureFiles found = scanner.closure;
    return new IncludeClosure(main, roots, found.files, found.lookups, null, scanner.hasKernel);
  }

  private void scan(File file) {
    String text = new String(file.content(), ISO_8859_1);
    hasKernel |= text.contains(KERNEL);
    for (AssemblyText.Directive directive : AssemblyText.directives(text, file.display())) {
      resolve(file, directive);
    }
  }

  private void resolve(File file, AssemblyText.Directive directive) {
    int line = directive.line();
    String name = directive.name();
    problem(name)
        .ifPresent(
            problem -> {
              throw new SourceProblem(file.display(), line, "'" + name + "' " + problem);
            });
    boolean text = directive.isText();
    String beside = display.substring(0, display.lastIndexOf('/') + 1);
    boolean found = lookUp(file, name, text, line, new Root(main.parent(), beside, ""));
    for (Root root : roots) {
      String directory = root.display().isEmpty() ? "" : root.display() + "/";
      found = found || lookUp(file, name, text, line, new Root(root.directory(), directory, ""));
    }
  }

  /** Returns why the assembler may find another file by a name: it looks where it runs first. */
  private Optional<String> problem(String name) {
    if (name.startsWith("/")) {
      return Optional.of("is an absolute path; name it relative to the source");
    }
    if (STAGED.matcher(name).matches()) {
      return Optional.of(
          "begins with the name of a directory of kcache's own; rename the directory");
    }
    SourcePath directory = main.parent();
    return directory.walk(name).lowest() < directory.depth()
        ? Optional.of(
            "leads out of the source's directory; declare the directory that it leads to with"
                + " withIncludeDirectory (-I), and name the file relative to that")
        : Optional.empty();
  }

  private boolean lookUp(File file, String name, boolean text, int line, Root from) {
    SourcePath.Walk walk = from.directory().walk(name);
    String found = from.display() + name;
    SourcePath end = closure.find(walk, found, file.display(), line);
    if (end != null) {
      add(end, found, text, file.depth() + 1, file.display(), line);
    }
    return end != null;
  }

  private void add(
      SourcePath path, String display, boolean text, int depth, String includer, int line) {
    File file = closure.add(path, display, depth, includer, line);
    closure.checkSize(COUNT_LIMIT, includer, line);
    if (file != null && text && texts.add(file)) {
      pending.addLast(file);
    }
  }
}
