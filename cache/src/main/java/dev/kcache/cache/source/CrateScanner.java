// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.source.CargoManifests.Locked;
import dev.kcache.cache.source.IncludeClosure.File;
import dev.kcache.cache.source.IncludeClosure.Lookup;
import dev.kcache.cache.source.IncludeClosure.Root;
import dev.kcache.toolchain.Language;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the files of a crate: all of its folder, or of the workspace that it is part of; those of
 * the folders that a {@code path} names; and the crates of {@code Cargo.lock} as they were vendored
 * or fetched, which are staged as a directory of vendored crates. What cargo makes ({@code target})
 * and hidden files do not count, but {@code .cargo/config.toml}.
 *
 * <p>Not safe for use by several threads.
 */
public final class CrateScanner {
  private static final int COUNT_LIMIT = 10_000;
  private static final long SIZE_LIMIT = 64L << 20;
  private static final int DEPTH_LIMIT = 64;

  private static final Pattern PACKAGE = Pattern.compile("[\\p{L}\\p{N}_-]{1,64}");
  private static final String LOCK = "Cargo.lock";
  private static final String TARGET = "target";
  private static final String CONFIGURATION = ".cargo";
  private static final List<String> CONFIGURATIONS = List.of("config.toml", "config");

  private final SourceSnapshot snapshot;
  private final SourcePath main;
  private final String display;
  private final String cargoHome;
  private final Map<SourcePath, File> files = new LinkedHashMap<>();
  private final List<Lookup> lookups = new ArrayList<>();
  private final Deque<SourcePath> pending = new ArrayDeque<>();
  private final Set<SourcePath> walked = new HashSet<>();
  private final List<SourcePath> vendored = new ArrayList<>();
  private final Map<String, byte[]> crates = new HashMap<>();
  private boolean hasKernel;
  private int count;
  private long size;

  private CrateScanner(SourceSnapshot snapshot, SourcePath main, String display, String cargoHome) {
    this.snapshot = snapshot;
    this.main = main;
    this.display = display;
    this.cargoHome = cargoHome;
  }

  /**
   * Returns the files of a crate.
   *
   * @param main its {@code Cargo.toml}, which the snapshot can read, on disk
   * @param cargoHome the directory in which cargo keeps the crates that it has fetched
   * @throws SourceProblem if a file cannot be read or the crate cannot be keyed
   */
  public static IncludeClosure scan(
      SourceSnapshot snapshot, SourcePath main, String display, String cargoHome) {
    return new CrateScanner(snapshot, main, display, cargoHome).scan();
  }

  /** Returns the name of the package of a {@code Cargo.toml}; the file's if there is none. */
  public static String packageName(SourcePath manifest) {
    try {
      byte[] content = manifest.tree().read(manifest.path());
      return Optional.ofNullable(content)
          .flatMap(CargoManifests::name)
          .filter(name -> PACKAGE.matcher(name).matches())
          .orElse(manifest.name());
    } catch (IOException e) {
      // Reading the crate reports this.
      return manifest.name();
    }
  }

  private IncludeClosure scan() {
    SourcePath root = root(main);
    findVendored();
    begin(main.parent(), "", root);
    while (!pending.isEmpty()) {
      walk(pending.removeFirst(), 0);
    }
    File lock = files.get(root.resolve(LOCK));
    if (lock == null) {
      throw problem(
          display,
          "it has no Cargo.lock, which says what to compile; run 'cargo generate-lockfile' in its"
              + " folder");
    }
    List<Locked> locked = CargoManifests.locked(lock.content());
    locked.forEach(crate -> addCrate(lock, crate));
    SourcePath top = new SourcePath(new TextTree(crates), "/");
    crates.forEach(
        (path, content) -> {
          SourcePath file = new SourcePath(top.tree(), path);
          files.put(file, new File(file, content, path.substring(1), 0, display, 0));
        });
    List<Root> roots = crates.isEmpty() ? List.of() : List.of(new Root(top, "", "vendor"));
    return new IncludeClosure(main, roots, files, lookups, null, hasKernel);
  }

  /** Returns the directory of the workspace that a package is part of, else its own. */
  private SourcePath root(SourcePath manifest) {
    byte[] content = snapshot.read(manifest, display);
    if (content == null) {
      return manifest.parent();
    }
    Optional<SourcePath> named =
        CargoManifests.workspace(content)
            .map(name -> manifest.parent().walk(name).end())
            .filter(end -> snapshot.read(end.resolve(Language.CRATE), display) != null);
    if (named.isPresent()) {
      return named.get();
    }
    SourcePath directory = manifest.parent();
    while (true) {
      byte[] above = snapshot.read(directory.resolve(Language.CRATE), display);
      if (above != null && CargoManifests.isWorkspace(above)) {
        return directory;
      }
      if (directory.path().equals("/")) {
        return manifest.parent();
      }
      directory = directory.parent();
    }
  }

  /** Adds the tree of a package, and that of its workspace. */
  private void begin(SourcePath from, String name, SourcePath root) {
    SourcePath end = from.walk(name).end();
    if (end == null) {
      return;
    }
    for (SourcePath directory : List.of(root, end)) {
      String relative = relative(from, directory);
      lookups.add(new Lookup(from.walk(relative + Language.CRATE), true, display, 0));
      if (walked.stream().noneMatch(known -> known.contains(directory))) {
        walked.add(directory);
        pending.addLast(directory);
      }
    }
  }

  /** Returns how a directory is named from another one. */
  private static String relative(SourcePath from, SourcePath to) {
    SourcePath common = from;
    StringBuilder name = new StringBuilder();
    while (!common.contains(to)) {
      common = common.parent();
      name.append("../");
    }
    String rest = to.path().substring(common.path().equals("/") ? 1 : common.path().length());
    String below = rest.startsWith("/") ? rest.substring(1) : rest;
    return name + (below.isEmpty() ? "" : below + "/");
  }

  private void walk(SourcePath directory, int depth) {
    if (depth > DEPTH_LIMIT) {
      throw problem(shown(directory), "lies more than " + DEPTH_LIMIT + " directories deep");
    }
    SourcePath above = directory;
    for (int i = 0; i < depth; i++) {
      above = above.parent();
      if (directory.tree().isSame(directory.path(), above.path())) {
        throw problem(shown(directory), "is a link to a folder that it lies in; remove it");
      }
    }
    Set<String> names = new TreeSet<>(directory.tree().list(directory.path()));
    boolean ofCargo = names.contains(Language.CRATE);
    for (String name : names) {
      SourcePath path = directory.resolve(name);
      if (name.equals(CONFIGURATION)) {
        CONFIGURATIONS.forEach(each -> add(path.resolve(each)));
      } else if (!isPassedOver(path, ofCargo) && !add(path)) {
        walk(path, depth + 1);
      }
    }
    if (ofCargo) {
      follow(directory);
    }
  }

  private boolean isPassedOver(SourcePath path, boolean ofCargo) {
    return path.name().startsWith(".")
        || (ofCargo && path.name().equals(TARGET))
        || vendored.contains(path);
  }

  /** Adds a file, unless it is none. */
  private boolean add(SourcePath path) {
    String shown = shown(path);
    if (SourcePath.hasControl(path.path()) || path.name().indexOf('\\') >= 0) {
      throw problem(
          shown.replaceAll("\\p{Cntrl}", "?"),
          "rename it without backslash and control characters");
    }
    byte[] content = snapshot.read(path, shown);
    if (content == null) {
      return false;
    }
    if (files.put(path, new File(path, content, shown, 0, display, 0)) == null) {
      countIn(content);
    }
    hasKernel |=
        path.name().endsWith(".rs") && new String(content, ISO_8859_1).contains("gpu-kernel");
    return true;
  }

  private void countIn(byte[] content) {
    count++;
    size += content.length;
    if (count > COUNT_LIMIT || size > SIZE_LIMIT) {
      throw problem(
          display,
          "its folder and the crates that it depends on have more than "
              + COUNT_LIMIT
              + " files or "
              + (SIZE_LIMIT >> 20)
              + " MiB; move what is not source out of the folder");
    }
  }

  /** Adds the folders that a manifest names. */
  private void follow(SourcePath directory) {
    File manifest = files.get(directory.resolve(Language.CRATE));
    if (manifest == null) {
      return;
    }
    for (String path : paths(manifest)) {
      SourcePath.Walk walk = directory.walk(path + "/" + Language.CRATE);
      if (path.startsWith("/")) {
        SourcePath absolute = new SourcePath(directory.tree(), "/").walk(path).end();
        if (absolute != null && snapshot.read(absolute.resolve(Language.CRATE), path) != null) {
          throw problem(
              manifest.display(),
              "'" + path + "' is an absolute path; name the folder relative to the crate");
        }
        continue;
      }
      if (directory.depth() - walk.lowest() > DEPTH_LIMIT) {
        throw problem(manifest.display(), "climbs more than " + DEPTH_LIMIT + " directories up");
      }
      SourcePath found = snapshot.find(walk, shown(directory) + "/" + path);
      if (found != null) {
        begin(directory, path, root(found));
      }
    }
  }

  private static List<String> paths(File manifest) {
    return CargoManifests.paths(manifest.content()).stream()
        .filter(path -> !path.isEmpty() && !SourcePath.hasControl(path))
        .toList();
  }

  /** Finds the directories that configurations of cargo name for the crate. */
  private void findVendored() {
    SourcePath directory = main.parent();
    while (true) {
      readConfiguration(directory.resolve(CONFIGURATION), directory);
      if (directory.path().equals("/")) {
        break;
      }
      directory = directory.parent();
    }
    SourcePath home = new SourcePath(main.tree(), cargoHome);
    readConfiguration(home, home.parent());
  }

  private void readConfiguration(SourcePath directory, SourcePath base) {
    for (String name : CONFIGURATIONS) {
      SourcePath file = directory.resolve(name);
      byte[] content = snapshot.read(file, file.path());
      for (String named :
          content == null ? List.<String>of() : CargoManifests.directories(content)) {
        SourcePath end =
            (named.startsWith("/") ? new SourcePath(main.tree(), "/") : base).walk(named).end();
        if (end != null && !SourcePath.hasControl(named)) {
          vendored.add(end);
        }
      }
    }
  }

  private void addCrate(File lock, Locked crate) {
    String source = crate.source();
    if (source == null) {
      return;
    }
    String named = "crate " + crate.name() + " " + crate.version();
    // Of several registries cargo says which it does without.
    boolean git = source.startsWith("git+");
    SourcePath directory = find(crate, git);
    if (directory == null) {
      throw new SourceProblem(
          lock.display(),
          crate.line(),
          git
              ? named
                  + " comes from git and is not vendored; run 'cargo vendor' in the crate's folder and"
                  + " put what it prints into .cargo/config.toml"
              : named
                  + " is neither vendored nor fetched, and kcache asks no network; run 'cargo fetch"
                  + " --locked' in the crate's folder");
    }
    copy(directory, "/" + crate.directory(), 0);
    String checksum = crate.checksum();
    String sum =
        "{\"files\":{},\"package\":" + (checksum == null ? "null" : '"' + checksum + '"') + "}";
    crates.put("/" + crate.directory() + "/.cargo-checksum.json", sum.getBytes(UTF_8));
  }

  /** Returns where a crate lies; of git only what {@code cargo vendor} wrote. */
  private @Nullable SourcePath find(Locked crate, boolean git) {
    if (crate.directory().contains("/") || SourcePath.hasControl(crate.directory())) {
      return null;
    }
    List<SourcePath> candidates = new ArrayList<>();
    for (SourcePath directory : vendored) {
      candidates.add(directory.resolve(crate.directory()));
      candidates.add(directory.resolve(crate.name()));
    }
    SourcePath fetched = new SourcePath(main.tree(), cargoHome).resolve("registry").resolve("src");
    // What cargo has of git is a whole repository; only cargo makes a crate of it.
    for (String registry :
        git ? List.<String>of() : new TreeSet<>(main.tree().list(fetched.path()))) {
      candidates.add(fetched.resolve(registry).resolve(crate.directory()));
    }
    for (SourcePath candidate : candidates) {
      byte[] manifest = snapshot.read(candidate.resolve(Language.CRATE), candidate.path());
      boolean right =
          manifest != null
              && CargoManifests.version(manifest).filter(crate.version()::equals).isPresent();
      if (right) {
        return candidate;
      }
    }
    return null;
  }

  private void copy(SourcePath directory, String to, int depth) {
    if (depth > DEPTH_LIMIT) {
      throw problem(directory.path(), "lies more than " + DEPTH_LIMIT + " directories deep");
    }
    for (String name : new TreeSet<>(directory.tree().list(directory.path()))) {
      SourcePath path = directory.resolve(name);
      if (name.startsWith(".") || SourcePath.hasControl(name)) {
        continue;
      }
      byte[] content = snapshot.read(path, path.path());
      if (content == null) {
        copy(path, to + "/" + name, depth + 1);
      } else {
        crates.put(to + "/" + name, content);
        countIn(content);
      }
    }
  }

  private String shown(SourcePath path) {
    String beside = display.substring(0, display.lastIndexOf('/') + 1);
    String relative = relative(main.parent(), path);
    return beside
        + (relative.endsWith("/") ? relative.substring(0, relative.length() - 1) : relative);
  }

  private static SourceProblem problem(String file, String problem) {
    return new SourceProblem(file, 0, problem);
  }
}
