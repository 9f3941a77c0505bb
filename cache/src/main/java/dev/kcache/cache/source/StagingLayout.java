// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.cache.source.IncludeClosure.Lookup;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/*
 * Where each file of a closure lies in the staging directory. Three things must hold:
 *
 * 1. Each name leads to the same file there as where the source came from, or to none in both.
 * 2. One file has one place, since #pragma once knows files, not contents.
 * 3. The place does not depend on where the source came from.
 *
 * So the layout keeps the trees: src holds the main file's directory, hdr the declared headers,
 * inc0, inc1 ... the declared directories. A directory that lies in another one is staged inside
 * it (2). When an include climbs, what is staged as src begins at the directory climbed to; only
 * then do names above the source count (3). Names that climb and find nothing are kept inside the
 * staging directory by levels called "_" (1).
 *
 * The path of the main file goes through a shell, and those of the declared directories through
 * rules of hipcc's own (HIP 5.2), so odd characters in them are replaced; an include that comes back
 * through a name so changed is refused.
 */

/** Lays the files of a closure out for the compiler. Not safe for use by several threads. */
public final class StagingLayout {
  private static final String UNSAFE = "[^A-Za-z0-9._+]|\\.(?=(a|lo)$)";
  private static final Pattern SHELL_SAFE = Pattern.compile("[A-Za-z0-9_+][A-Za-z0-9_+.-]*");
  private static final int LONGEST_NAME = 200;

  /** Keeps a directory that names only pass through. */
  private static final String PLACEHOLDER = ".keep";

  private final IncludeClosure closure;
  private final List<SourcePath> heads = new ArrayList<>();
  private final List<Area> areas = new ArrayList<>();
  private final Map<SourcePath, String> places = new HashMap<>();

  private StagingLayout(IncludeClosure closure) {
    this.closure = closure;
    begin(closure.main().parent(), "src");
    closure.roots().forEach(root -> begin(root.directory(), root.name()));
    closure.lookups().stream().filter(Lookup::found).forEach(this::widen);
    closure.lookups().stream().filter(lookup -> !lookup.found()).forEach(this::pad);
  }

  /**
   * Returns the closure as it is to be staged.
   *
   * @throws SourceProblem if it cannot be staged so that every name keeps its meaning
   */
  public static StagedSource stage(Language language, String name, IncludeClosure closure) {
    return new StagingLayout(closure).stage(language, name);
  }

  private void begin(SourcePath directory, String name) {
    heads.add(directory);
    if (areas.stream().anyMatch(area -> area.top.contains(directory))) {
      return;
    }
    areas.add(new Area(directory, name));
    merge();
  }

  private void widen(Lookup lookup) {
    Area area = areaOf(lookup.walk().from());
    if (lookup.walk().lowest() < area.top.depth()) {
      area.top = lookup.walk().from().ancestor(lookup.walk().lowest());
      merge();
    }
  }

  private void pad(Lookup lookup) {
    Area area = areaOf(lookup.walk().from());
    area.levels = Math.max(area.levels, area.top.depth() - lookup.walk().lowest());
  }

  /** Drops each area that lies in another one; the earlier name stays. */
  private void merge() {
    for (int i = 0; i < areas.size(); i++) {
      for (int j = areas.size() - 1; j > i; j--) {
        Area first = areas.get(i);
        Area second = areas.get(j);
        if (first.top.contains(second.top)) {
          areas.remove(j);
        } else if (second.top.contains(first.top)) {
          first.top = second.top;
          areas.remove(j);
          merge();
          return;
        }
      }
    }
  }

  private Area areaOf(SourcePath path) {
    return areas.stream().filter(area -> area.top.contains(path)).findFirst().orElseThrow();
  }

  private StagedSource stage(Language language, String name) {
    SortedMap<String, ByteBuffer> staged = new TreeMap<>();
    SortedMap<String, String> displays = new TreeMap<>();
    for (IncludeClosure.File file : closure.files().values()) {
      String path = place(file.path());
      if (staged.put(path, ByteBuffer.wrap(file.content())) != null) {
        throw new SourceProblem(
            file.display(),
            0,
            "another file would be staged under the same name; rename one of them");
      }
      displays.put(path, file.display());
    }
    closure.lookups().stream().filter(Lookup::found).forEach(lookup -> check(lookup, staged));
    List<SourceFile> files = new ArrayList<>();
    staged.forEach((path, content) -> files.add(new SourceFile(path, content)));
    Set<String> directories = new LinkedHashSet<>();
    closure.roots().forEach(root -> directories.add(place(root.directory())));
    return new StagedSource(
        language, name, displays, place(closure.main()), files, List.copyOf(directories));
  }

  /**
   * Checks that a name leads the compiler to the file that the scanner found, and keeps the
   * directories on the way.
   */
  private void check(Lookup lookup, SortedMap<String, ByteBuffer> staged) {
    String from = place(lookup.walk().from());
    SourcePath end = lookup.walk().end();
    StringBuilder way = new StringBuilder(from);
    for (String name : lookup.walk().relative().split("/", -1)) {
      if (name.equals("..")) {
        keep(way.toString(), staged);
        way.setLength(Math.max(0, way.lastIndexOf("/")));
      } else if (!name.isEmpty() && !name.equals(".")) {
        way.append('/').append(name);
      }
    }
    if (end != null && !way.toString().equals(place(end))) {
      throw new SourceProblem(
          lookup.display(),
          lookup.line(),
          "'"
              + lookup.walk().relative()
              + "' leads through a directory or file whose name hipcc cannot be given; use only"
              + " letters, digits and ._+- in it");
    }
  }

  private static void keep(String directory, SortedMap<String, ByteBuffer> staged) {
    if (staged.subMap(directory + "/", directory + "0").isEmpty()) {
      staged.put(directory + "/" + PLACEHOLDER, ByteBuffer.allocate(0));
    }
  }

  private String place(SourcePath path) {
    return places.computeIfAbsent(path, this::placeAnew);
  }

  private String placeAnew(SourcePath path) {
    Area area = areaOf(path);
    StringBuilder place = new StringBuilder(area.name).append("/_".repeat(area.levels));
    for (int depth = area.top.depth() + 1; depth <= path.depth(); depth++) {
      SourcePath step = path.ancestor(depth);
      place.append('/').append(isOnCommandLine(step) ? commandLineName(step) : step.name());
    }
    return place.toString();
  }

  private boolean isOnCommandLine(SourcePath step) {
    return step.contains(closure.main()) || heads.stream().anyMatch(step::contains);
  }

  private String commandLineName(SourcePath step) {
    String name = step.name();
    boolean passesShell = step.contains(closure.main());
    if (OptionRules.survivesHipcc(name) && (!passesShell || isShellSafe(name))) {
      return name;
    }
    String safe = name.replaceAll(UNSAFE, "_");
    return "_" + safe.substring(Math.max(0, safe.length() - (LONGEST_NAME - 1)));
  }

  /** Letters, digits and ._+- only, and neither an option nor a hidden file. */
  private static boolean isShellSafe(String name) {
    return SHELL_SAFE.matcher(name).matches() && name.length() <= LONGEST_NAME;
  }

  /** What is staged under one name: the directory {@code top} of some tree, {@code levels} deep. */
  private static final class Area {
    private final String name;
    private SourcePath top;
    private int levels;

    Area(SourcePath top, String name) {
      this.top = top;
      this.name = name;
    }
  }
}
