// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.cache.source.IncludeClosure.File;
import dev.kcache.cache.source.IncludeClosure.Lookup;
import dev.kcache.cache.source.ScannedFile.Problem;
import dev.kcache.cache.source.ScannedRust.Base;
import dev.kcache.cache.source.ScannedRust.Doubt;
import dev.kcache.cache.source.ScannedRust.Kind;
import dev.kcache.cache.source.ScannedRust.Reference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * Where rustc looks for a module: a file that is the source itself, that is called mod.rs, or that a
 * path attribute or include! names has its modules beside it; those of any other file x.rs are in
 * x/. Inline modules are directories below. A path attribute begins at the directory of the file,
 * in an inline module at the module's. What include! and its like read lies beside the file, and
 * for a name that a macro gives, beside the file that uses the macro.
 *
 * Macros are not expanded. A name in the definition of a macro is looked for wherever the macro may
 * be used. Where a macro makes the name itself, every word of the source may be a module, every
 * literal a file. What is then missing, as a name that is put together of several words, rustc does
 * not find in the staging directory either, since it has nothing but the closure.
 */

/** Finds the files that a source in Rust may read. Not safe for use by several threads. */
public final class RustScanner {
  private static final int COUNT_LIMIT = 10_000;

  /** How many names are tried that a macro may make; it takes about a second. */
  private static final int GUESS_LIMIT = 300_000;

  private static final String SUFFIX = ".rs";

  private final SourceSnapshot snapshot;
  private final SourcePath main;
  private final String display;
  private final boolean hasDeclaredFiles;
  private final ClosureFiles closure;
  private final Set<Module> modules = new LinkedHashSet<>();
  private final Deque<Module> pending = new ArrayDeque<>();
  private final Map<File, ScannedRust> scans = new HashMap<>();

  /** Where a macro's names may begin: the directories of files, modules and inline modules. */
  private final Set<Place> places = new LinkedHashSet<>();

  private final Set<Reference> anywhere = new LinkedHashSet<>();
  private final Set<String> words = new LinkedHashSet<>();
  private final Set<String> literals = new LinkedHashSet<>();
  private final Set<String> paths = new LinkedHashSet<>();
  private final Set<Doubt> doubts = EnumSet.noneOf(Doubt.class);
  private final Set<Guess> guesses = new HashSet<>();

  /** What lies at a place on disk, so that most guesses need no look at it. */
  private final Map<Place, Set<String>> listings = new HashMap<>();

  private @Nullable SourceProblem undeclared;
  private boolean hasKernel;

  private RustScanner(
      SourceSnapshot snapshot, SourcePath main, String display, boolean hasDeclaredFiles) {
    this.snapshot = snapshot;
    closure = new ClosureFiles(snapshot);
    this.main = main;
    this.display = display;
    this.hasDeclaredFiles = hasDeclaredFiles;
  }

  /**
   * Returns the closure of a file that the snapshot can read.
   *
   * @param declared files that belong to the closure whether named or not, in the directory of the
   *     file or below it
   * @throws SourceProblem if a file cannot be read or cannot be keyed
   */
  public static IncludeClosure scan(
      SourceSnapshot snapshot, SourcePath main, String display, List<SourcePath> declared) {
    RustScanner scanner = new RustScanner(snapshot, main, display, !declared.isEmpty());
    scanner.add(main, display, Use.ROOT, false, display, 0);
    for (SourcePath file : declared) {
      String name = file.path().substring(main.parent().path().length()).replaceFirst("^/", "");
      boolean code = file.name().endsWith(SUFFIX);
      for (Use use : code ? List.of(Use.ROOT, Use.MODULE) : List.of(Use.DATA)) {
        scanner.add(file, name, use, false, display, 0);
      }
    }
    do {
      scanner.scanPending();
      scanner.guess();
    } while (!scanner.pending.isEmpty());
    ClosureFiles found = scanner.closure;
    return new IncludeClosure(
        main, List.of(), found.files, found.lookups, scanner.undeclared, scanner.hasKernel);
  }

  private void scanPending() {
    while (!pending.isEmpty()) {
      scan(pending.removeFirst());
    }
  }

  private void scan(Module module) {
    File file = module.file;
    ScannedRust found = scans.get(file);
    if (found == null) {
      found = RustFileScanner.scan(file.content());
      scans.put(file, found);
      hasKernel |= found.hasKernel();
      words.addAll(found.words());
      literals.addAll(found.literals());
      paths.addAll(found.paths());
      doubts.addAll(found.doubts());
    }
    for (Problem problem : found.problems()) {
      report(module, problem);
    }
    places.add(place(module, Base.FILE));
    found.bases().forEach(base -> places.add(place(module, base)));
    for (Reference reference : found.references()) {
      if (reference.anywhere()) {
        anywhere.add(reference);
      }
      resolve(module, reference);
    }
  }

  private void report(Module module, Problem problem) {
    if (module.guessed) {
      return;
    }
    SourceProblem invalid =
        new SourceProblem(module.file.display(), problem.line(), problem.message());
    if (problem.kind() != Problem.Kind.CURABLE) {
      throw invalid;
    }
    undeclared = undeclared == null && !hasDeclaredFiles ? invalid : undeclared;
  }

  private static Place place(Module module, Base base) {
    SourcePath path = module.file.path();
    String shown = module.file.display();
    String name = path.name();
    boolean below = base.own() && module.use == Use.MODULE && name.endsWith(SUFFIX);
    return new Place(
        path.parent(),
        shown.substring(0, shown.lastIndexOf('/') + 1),
        (below ? name.substring(0, name.length() - SUFFIX.length()) + "/" : "") + base.prefix());
  }

  private void resolve(Module module, Reference reference) {
    Place place = place(module, reference.base());
    for (Named named : named(reference.kind(), reference.name())) {
      if (module.guessed) {
        guess(place, named, module.file);
      } else {
        lookUp(place, named, module.file, reference.line());
      }
    }
  }

  /** Returns the files that a name may mean, and as what they are read. */
  private static List<Named> named(Kind kind, String name) {
    return switch (kind) {
      case MODULE ->
          List.of(
              new Named(name + SUFFIX, Use.MODULE), new Named(name + "/mod" + SUFFIX, Use.ROOT));
      case PATH, CODE -> List.of(new Named(name, Use.ROOT));
      case DATA -> List.of(new Named(name, Use.DATA));
    };
  }

  private void lookUp(Place place, Named named, File file, int line) {
    SourcePath.Walk walk = place.walk(named);
    String shown = place.shown(named);
    SourcePath found = closure.find(walk, shown, file.display(), line);
    if (found != null) {
      add(found, shown, named.use, false, file.display(), line);
    }
  }

  /** Looks for what macros may name, wherever they may be used. */
  private void guess() {
    Set<Named> names = new LinkedHashSet<>();
    boolean makesModules = doubts.contains(Doubt.MODULE);
    for (Reference reference : anywhere) {
      names.addAll(named(reference.kind(), reference.base().prefix() + reference.name()));
      makesModules |= reference.kind() == Kind.MODULE;
    }
    if (doubts.contains(Doubt.MODULE)) {
      words.forEach(word -> names.addAll(named(Kind.MODULE, word)));
    }
    if (makesModules) {
      paths.forEach(path -> names.addAll(named(Kind.PATH, path)));
    }
    if (doubts.contains(Doubt.PATH) || doubts.contains(Doubt.INCLUDE)) {
      literals.forEach(literal -> names.addAll(named(Kind.CODE, literal)));
    }
    File file = Objects.requireNonNull(closure.files.get(main));
    for (Place place : places) {
      names.forEach(name -> guess(place, name, file));
    }
  }

  /** What can't be read or staged is none that rustc finds. */
  private void guess(Place place, Named named, File file) {
    SourcePath.Walk walk = place.walk(named);
    boolean odd = named.name.startsWith("/") || named.name.indexOf('\\') >= 0;
    if (odd
        || !mayHave(place, named)
        || ClosureFiles.climbsTooFar(walk)
        || !guesses.add(new Guess(place, named))) {
      return;
    }
    if (guesses.size() > GUESS_LIMIT) {
      throw new SourceProblem(
          display,
          0,
          "its macros may name too many files to look for; write the names of modules and included"
              + " files out where they are used");
    }
    SourcePath found;
    try {
      found = snapshot.find(walk, place.shown(named));
    } catch (SourceProblem e) {
      return;
    }
    if (found != null) {
      closure.lookups.add(new Lookup(walk, true, file.display(), 0));
      add(found, place.shown(named), named.use, true, file.display(), 0);
    }
  }

  private boolean mayHave(Place place, Named named) {
    if (named.name.startsWith(".") || !(place.directory.tree() instanceof DiskTree tree)) {
      return true;
    }
    int slash = named.name.indexOf('/');
    return listings
        .computeIfAbsent(
            place, key -> Set.copyOf(tree.list(key.directory.path() + "/" + key.prefix)))
        .contains(slash < 0 ? named.name : named.name.substring(0, slash));
  }

  private void add(
      SourcePath path, String display, Use use, boolean guessed, String includer, int line) {
    File file = closure.add(path, display, 0, includer, line);
    closure.checkSize(COUNT_LIMIT, includer, line);
    if (file != null && use != Use.DATA && modules.add(new Module(file, use, guessed))) {
      pending.addLast(new Module(file, use, guessed));
    }
  }

  /** How a file is read. */
  private enum Use {
    /** As code, with its modules beside it. */
    ROOT,
    /** As code, with its modules in a directory of its name. */
    MODULE,
    DATA
  }

  /** A file of code; what is only guessed may be none, and cannot be wrong. */
  private record Module(File file, Use use, boolean guessed) {}

  private record Named(String name, Use use) {}

  private record Place(SourcePath directory, String display, String prefix) {
    SourcePath.Walk walk(Named named) {
      return directory.walk(prefix + named.name);
    }

    String shown(Named named) {
      return display + prefix + named.name;
    }
  }

  private record Guess(Place place, Named named) {}
}
