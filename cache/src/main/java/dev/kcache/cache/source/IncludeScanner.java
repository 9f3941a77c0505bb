// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.kcache.cache.source.IncludeClosure.Lookup;
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
  private static final long SIZE_LIMIT = 64L << 20;

  /** Deeper than any directory of sources; bounds what is staged above a source. */
  private static final int CLIMB_LIMIT = 64;

  private final SourceSnapshot snapshot;
  private final List<Root> roots;
  private final boolean hasDeclaredHeaders;
  private final Map<SourcePath, byte[]> files = new LinkedHashMap<>();
  private final Map<SourcePath, String> displays = new LinkedHashMap<>();
  private final Map<SourcePath, Origin> origins = new HashMap<>();
  private final List<Lookup> lookups = new ArrayList<>();
  private final Map<SourcePath, Pending> scanned = new LinkedHashMap<>();
  private final Set<String> probing = new HashSet<>();
  private final List<String> options;
  private final Set<SourcePath> searched = new HashSet<>();
  private final Map<Place, Include> includes = new LinkedHashMap<>();
  private final Map<SourcePath, List<Silencing>> silencings = new HashMap<>();
  private final Deque<Pending> pending = new ArrayDeque<>();
  private @Nullable SourceProblem undeclared;
  private @Nullable SourceProblem assembler;
  private boolean assembles;
  private final Macros known;
  private boolean hasKernel;
  private long size;

  private IncludeScanner(
      SourceSnapshot snapshot, List<Root> roots, boolean hasDeclaredHeaders, List<String> options) {
    this.snapshot = snapshot;
    this.roots = roots;
    this.hasDeclaredHeaders = hasDeclaredHeaders;
    this.options = options;
    this.known = new Macros(options);
  }

  /**
   * Returns the closure of a file that the snapshot can read.
   *
   * @param display how messages name the file
   * @param headers the declared headers, which belong to the closure whether named or not
   * @param roots the declared directories, in search order
   * @param options the options to compile with, of which those matter that define macros or have
   *     trigraphs
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
    return new IncludeClosure(
        main,
        roots,
        scanner.files,
        scanner.displays,
        scanner.lookups,
        scanner.undeclared,
        scanner.hasKernel);
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

  /**
   * A file that a computed include names may define what another one names, so this goes on until
   * nothing new is found.
   */
  private void followMacros() {
    int before;
    do {
      before = scanned.size();
      addQuestions();
      for (Include include : List.copyOf(includes.values())) {
        Set<String> names = macros().namesOf(include.computed.operand());
        for (String name : names == null ? Set.<String>of() : names) {
          if (include.followed.add(name)) {
            resolve(include.file, include.computed.reference(name));
          }
        }
      }
      scanPending();
    } while (scanned.size() > before);
    for (Include include : includes.values()) {
      if (macros().namesOf(include.computed.operand()) == null) {
        report(displayOf(include.file.path), include.computed.problem());
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
    for (Pending file : scanned.values()) {
      for (Silencing silencing : silencings.getOrDefault(file.path, List.of())) {
        if (macros().mayMakePragma(silencing.macro())) {
          throw new SourceProblem(displayOf(file.path), silencing.line(), DateTimeWarning.SILENCED);
        }
      }
    }
  }

  /** Few sources have macros that ask for files. */
  private void addQuestions() {
    if (probing.isEmpty()) {
      return;
    }
    Map<Pending, byte[]> texts = new LinkedHashMap<>();
    for (Pending file : scanned.values()) {
      byte[] content = files.get(file.path);
      texts.put(file, content == null ? new byte[0] : content);
    }
    ProbingMacros macros = ProbingMacros.in(texts.values(), probing);
    texts.forEach(
        (file, content) -> macros.questions(content).forEach(question -> add(file, question)));
  }

  private void add(Pending file, Computed computed) {
    includes.putIfAbsent(
        new Place(file.path, computed), new Include(file, computed, new HashSet<>()));
  }

  /** Returns the macros of the options and of what was scanned; few sources need to know them. */
  private Macros macros() {
    for (SourcePath file : scanned.keySet()) {
      byte[] content = files.get(file);
      if (content != null && searched.add(file)) {
        known.read(content);
      }
    }
    return known;
  }

  /** The compiler would see two copies of a file that two links lead to. */
  private void refuseAliases() {
    Map<Integer, List<SourcePath>> sizes = new HashMap<>();
    for (Map.Entry<SourcePath, byte[]> file : files.entrySet()) {
      List<SourcePath> others =
          sizes.computeIfAbsent(file.getValue().length, length -> new ArrayList<>());
      for (SourcePath other : others) {
        if (isAlias(file.getKey(), file.getValue(), other)) {
          Origin origin = origins.get(file.getKey());
          throw new SourceProblem(
              origin == null ? displayOf(file.getKey()) : origin.includer,
              origin == null ? 0 : origin.line,
              displayOf(file.getKey())
                  + " is the same file as "
                  + displayOf(other)
                  + ", by a link, which #pragma once and #import would notice; include it by one"
                  + " name only");
        }
      }
      others.add(file.getKey());
    }
  }

  private boolean isAlias(SourcePath file, byte[] content, SourcePath other) {
    return file.tree().equals(other.tree())
        && Arrays.equals(content, files.get(other))
        && file.tree().isSame(file.path(), other.path())
        && isReadOnce(content);
  }

  private boolean isReadOnce(byte[] content) {
    if (new String(content, ISO_8859_1).contains("once")) {
      return true;
    }
    for (byte[] includer : files.values()) {
      if (new String(includer, ISO_8859_1).contains("import")) {
        return true;
      }
    }
    return false;
  }

  private void scan(Pending file) {
    byte[] content = files.get(file.path);
    ScannedFile result = FileScanner.scan(content == null ? new byte[0] : content);
    String display = displayOf(file.path);
    for (Problem problem : result.problems()) {
      report(display, problem);
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
      silencings.put(file.path, result.silencings());
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

  private void resolve(Pending file, Reference reference) {
    String display = displayOf(file.path);
    if (reference.quoted()) {
      String directory = display.substring(0, display.lastIndexOf('/') + 1);
      if (lookUp(file, reference, file.path.parent(), directory) && !reference.next()) {
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

  private boolean lookUp(Pending file, Reference reference, SourcePath from, String directory) {
    SourcePath.Walk walk = from.walk(reference.name());
    String includer = displayOf(file.path);
    if (from.depth() - walk.lowest() > CLIMB_LIMIT) {
      throw new SourceProblem(
          includer, reference.line(), "climbs more than " + CLIMB_LIMIT + " directories up");
    }
    String display = directory + reference.name();
    SourcePath found;
    try {
      found = snapshot.find(walk, display);
    } catch (SourceProblem e) {
      throw new SourceProblem(includer, reference.line(), e.file() + ": " + e.problem());
    }
    if (found != null && reference.name().indexOf('\\') >= 0) {
      // Compilers write it as a slash where they list what they have read.
      throw new SourceProblem(
          includer,
          reference.line(),
          "'" + reference.name() + "': rename the file without a backslash");
    }
    lookups.add(new Lookup(walk, found != null, includer, reference.line()));
    if (found != null) {
      add(found, display, file.depth + 1, reference.text(), includer, reference.line());
    }
    return found != null;
  }

  private void add(
      SourcePath file, String display, int depth, boolean text, String includer, int line) {
    byte[] content = snapshot.read(file, display);
    if (content == null) {
      return;
    }
    if (files.putIfAbsent(file, content) == null) {
      displays.put(file, display);
      origins.put(file, new Origin(includer, line));
      size += content.length;
      checkLimits(depth, includer, line);
    }
    Pending next = new Pending(file, depth);
    if (text && scanned.putIfAbsent(file, next) == null) {
      pending.addLast(next);
    }
  }

  private void checkLimits(int depth, String includer, int line) {
    String limit = null;
    if (depth > DEPTH_LIMIT) {
      limit = "includes are nested more than " + DEPTH_LIMIT + " deep";
    } else if (files.size() > COUNT_LIMIT) {
      limit = "the source includes more than " + COUNT_LIMIT + " files";
    } else if (size > SIZE_LIMIT) {
      limit = "the source and its includes are larger than " + (SIZE_LIMIT >> 20) + " MiB";
    }
    if (limit != null) {
      throw new SourceProblem(includer, line, limit + "; include less");
    }
  }

  private String displayOf(SourcePath file) {
    return displays.getOrDefault(file, file.name());
  }

  private record Pending(SourcePath path, int depth) {}

  private record Origin(String includer, int line) {}

  private record Place(SourcePath file, Computed computed) {}

  private record Include(Pending file, Computed computed, Set<String> followed) {}
}
