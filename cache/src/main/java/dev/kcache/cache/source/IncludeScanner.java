// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.kcache.cache.source.IncludeClosure.File;
import dev.kcache.cache.source.IncludeClosure.Root;
import dev.kcache.cache.source.ScannedFile.Computed;
import dev.kcache.cache.source.ScannedFile.Problem;
import dev.kcache.cache.source.ScannedFile.Reference;
import dev.kcache.cache.source.ScannedFile.Silencing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the include closure of a source before it is compiled. Names are searched as clang does: in
 * quotes, first in the directory of the file that names them; then, as those in angle brackets, in
 * the declared directories in order. For {@code #include_next} every file found there counts. What
 * is not found is left to the toolchain. Not safe for use by several threads.
 */
public final class IncludeScanner {
  /** Compilers give up at 200 nested includes (clang) or as many (GCC). */
  private static final int DEPTH_LIMIT = 200;

  private static final int COUNT_LIMIT = 10_000;

  private final SourceSnapshot snapshot;
  private final List<Root> roots;
  private final boolean hasDeclaredHeaders;
  private final List<String> options;
  private final ClosureFiles closure;
  private final Set<File> texts = new LinkedHashSet<>();

  private final Deque<File> pending = new ArrayDeque<>();
  private final Set<String> probing = new HashSet<>();

  /** The names that were followed of each include. */
  private final Map<Include, Set<String>> includes = new LinkedHashMap<>();

  private final Map<File, List<Silencing>> silencings = new LinkedHashMap<>();
  private final Set<File> searched = new HashSet<>();
  private @Nullable SourceProblem undeclared;
  private @Nullable SourceProblem assembler;
  private boolean assembles;
  private final Macros known;
  private boolean hasKernel;

  private IncludeScanner(
      SourceSnapshot snapshot, List<Root> roots, boolean hasDeclaredHeaders, List<String> options) {
    this.snapshot = snapshot;
    closure = new ClosureFiles(snapshot);
    this.roots = roots;
    this.hasDeclaredHeaders = hasDeclaredHeaders;
    this.options = options;
    this.known = new Macros(options);
  }

  /**
   * Returns the closure of a file that the snapshot can read.
   *
   * @param headers the declared headers, which belong to the closure whether named or not
   * @param options to compile with; those matter that define macros or have trigraphs
   * @throws SourceProblem if a file cannot be read or cannot be keyed
   */
  public static IncludeClosure scan(
      SourceSnapshot snapshot,
      SourcePath main,
      String display,
      List<SourcePath> headers,
      List<Root> roots,
      List<String> options) {
    IncludeScanner scanner = new IncludeScanner(snapshot, roots, !headers.isEmpty(), options);
    scanner.add(main, display, 0, true, display, 0);
    for (SourcePath header : headers) {
      scanner.add(header, header.path().substring(1), 1, true, display, 0);
    }
    scanner.addStandardHeaders();
    scanner.scanPending();
    scanner.followMacros();
    scanner.refuseSilencing();
    scanner.refuseAssembler();
    scanner.refuseAliases();
    ClosureFiles found = scanner.closure;
    return new IncludeClosure(
        main, roots, found.files, found.lookups, scanner.undeclared, scanner.hasKernel);
  }

  /** The toolchain's headers include these even if the source does not. */
  private void addStandardHeaders() {
    for (Root root : roots) {
      for (String name : snapshot.standardHeaders(root.directory())) {
        String display = root.display() + "/" + name;
        SourcePath found = snapshot.find(root.directory().walk(name), display);
        if (found != null) {
          add(found, display, 1, true, display, 0);
        }
      }
    }
  }

  private void scanPending() {
    while (!pending.isEmpty()) {
      scan(pending.removeFirst());
    }
  }

  /** A file that a computed include names may define what another one names. */
  private void followMacros() {
    int before;
    do {
      before = texts.size();
      addQuestions();
      includes.forEach(
          (include, followed) -> {
            Set<String> names = macros().namesOf(include.computed.operand());
            for (String name : names == null ? Set.<String>of() : names) {
              if (followed.add(name)) {
                resolve(include.file, include.computed.reference(name));
              }
            }
          });
      scanPending();
    } while (texts.size() > before);
    for (Include include : includes.keySet()) {
      if (macros().namesOf(include.computed.operand()) == null) {
        report(include.file.display(), include.computed.problem());
      }
    }
  }

  /** A string counts as assembler code only if some word may begin such code. */
  private void refuseAssembler() {
    SourceProblem found = assembler;
    boolean byOption =
        options.stream().anyMatch(option -> option.toLowerCase(Locale.ROOT).contains("asm"));
    if (found != null && (assembles || byOption)) {
      throw found;
    }
  }

  private void refuseSilencing() {
    silencings.forEach(
        (file, found) -> {
          for (Silencing silencing : found) {
            if (macros().mayMakePragma(silencing.macro())) {
              throw new SourceProblem(file.display(), silencing.line(), DateTimeWarning.SILENCED);
            }
          }
        });
  }

  private void addQuestions() {
    if (probing.isEmpty()) {
      return;
    }
    ProbingMacros macros = ProbingMacros.in(texts.stream().map(File::content).toList(), probing);
    for (File file : texts) {
      macros.questions(file.content()).forEach(question -> add(file, question));
    }
  }

  private void add(File file, Computed computed) {
    includes.putIfAbsent(new Include(file, computed), new HashSet<>());
  }

  /** Returns the macros of the options and of what was scanned; few sources need to know them. */
  private Macros macros() {
    texts.stream().filter(searched::add).forEach(file -> known.read(file.content()));
    return known;
  }

  /** The compiler would see two copies of a file that two links lead to. */
  private void refuseAliases() {
    Map<Integer, List<File>> sizes = new HashMap<>();
    for (File file : closure.files.values()) {
      List<File> others = sizes.computeIfAbsent(file.content().length, length -> new ArrayList<>());
      for (File other : others) {
        if (isAlias(file, other)) {
          throw new SourceProblem(
              file.includer(),
              file.line(),
              file.display()
                  + " is the same file as "
                  + other.display()
                  + ", by a link, which #pragma once and #import would notice; include it by one"
                  + " name only");
        }
      }
      others.add(file);
    }
  }

  private boolean isAlias(File file, File other) {
    SourceTree tree = file.path().tree();
    return tree.equals(other.path().tree())
        && Arrays.equals(file.content(), other.content())
        && tree.isSame(file.path().path(), other.path().path())
        && isReadOnce(file);
  }

  private boolean isReadOnce(File file) {
    return contains(file, "once")
        || closure.files.values().stream().anyMatch(includer -> contains(includer, "import"));
  }

  private static boolean contains(File file, String word) {
    return new String(file.content(), ISO_8859_1).contains(word);
  }

  private void scan(File file) {
    ScannedFile result = FileScanner.scan(file.content());
    for (Problem problem : result.problems()) {
      report(file.display(), problem);
    }
    hasKernel |= result.hasKernel();
    assembles |= result.assembles();
    probing.addAll(result.probing());
    for (Reference reference : result.references()) {
      resolve(file, reference);
    }
    for (Computed computed : result.computed()) {
      add(file, computed);
    }
    if (!result.silencings().isEmpty()) {
      silencings.put(file, result.silencings());
    }
  }

  private void report(String display, Problem problem) {
    SourceProblem invalid = new SourceProblem(display, problem.line(), problem.message());
    switch (problem.kind()) {
      case FINAL -> throw invalid;
      case CURABLE -> undeclared = undeclared == null && !hasDeclaredHeaders ? invalid : undeclared;
      case TRIGRAPH -> {
        if (options.stream().anyMatch(Trigraphs::areReplacedBy)) {
          throw invalid;
        }
      }
      case ASSEMBLER -> assembler = assembler == null ? invalid : assembler;
    }
  }

  private void resolve(File file, Reference reference) {
    if (reference.quoted()) {
      String directory = file.display().substring(0, file.display().lastIndexOf('/') + 1);
      if (lookUp(file, reference, file.path().parent(), directory) && !reference.next()) {
        return;
      }
    }
    for (Root root : roots) {
      String directory = root.display().isEmpty() ? "" : root.display() + "/";
      if (lookUp(file, reference, root.directory(), directory) && !reference.next()) {
        return;
      }
    }
  }

  private boolean lookUp(File file, Reference reference, SourcePath from, String directory) {
    SourcePath.Walk walk = from.walk(reference.name());
    String includer = file.display();
    String display = directory + reference.name();
    SourcePath found = closure.find(walk, display, includer, reference.line());
    if (found != null) {
      add(found, display, file.depth() + 1, reference.text(), includer, reference.line());
    }
    return found != null;
  }

  private void add(
      SourcePath path, String display, int depth, boolean text, String includer, int line) {
    File file = closure.add(path, display, depth, includer, line);
    if (file == null) {
      return;
    }
    checkLimits(file);
    if (text && texts.add(file)) {
      pending.addLast(file);
    }
  }

  private void checkLimits(File file) {
    String limit = null;
    if (file.depth() > DEPTH_LIMIT) {
      limit = "includes are nested more than " + DEPTH_LIMIT + " deep";
    } else if (closure.files.size() > COUNT_LIMIT) {
      limit = "the source includes more than " + COUNT_LIMIT + " files";
    } else if (closure.size() > ClosureFiles.SIZE_LIMIT) {
      limit =
          "the source and its includes are larger than " + (ClosureFiles.SIZE_LIMIT >> 20) + " MiB";
    }
    if (limit != null) {
      throw new SourceProblem(file.includer(), file.line(), limit + "; include less");
    }
  }

  private record Include(File file, Computed computed) {}
}
