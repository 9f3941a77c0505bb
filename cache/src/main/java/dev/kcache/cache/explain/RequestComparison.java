// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.explain;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.explain.Difference.Kind;
import dev.kcache.codeobject.Digest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Compares what a record names of its request with another request. */
final class RequestComparison {
  private final CacheEntry entry;
  private final RequestFields wanted;
  private final List<Difference> differences = new ArrayList<>();

  RequestComparison(CacheEntry entry, RequestFields wanted) {
    this.entry = entry;
    this.wanted = wanted;
  }

  List<Difference> all() {
    if (!entry.source().equals(wanted.name())) {
      add(Kind.NAME, "source '%s' → '%s'".formatted(entry.source(), wanted.name()));
    }
    String language = wanted.language().text();
    if (!entry.language().equals(language)) {
      add(Kind.LANGUAGE, "language %s → %s".formatted(entry.language(), language));
    }
    compareFiles();
    compareOptions();
    compareInstantiations();
    if (!entry.target().equals(wanted.target())) {
      add(Kind.TARGET, "target %s → %s".formatted(entry.target(), wanted.target()));
    }
    if (differences.isEmpty()) {
      add(Kind.OTHER, "what records do not name, such as the order of include directories");
    }
    return differences;
  }

  private void compareFiles() {
    Map<String, Digest> had = digests(entry.inputs());
    Map<String, Digest> wants = digests(wanted.inputs());
    Set<String> gone = new HashSet<>(had.keySet());
    gone.removeAll(wants.keySet());
    for (Map.Entry<String, Digest> file : wants.entrySet()) {
      String path = file.getKey();
      Digest before = had.get(path);
      if (before != null && !before.equals(file.getValue())) {
        add(kind(path), "%s changed".formatted(named(path)));
      } else if (before == null) {
        Optional<String> renamed =
            gone.stream()
                .filter(old -> Objects.equals(had.get(old), file.getValue()))
                .sorted()
                .findFirst();
        renamed.ifPresent(gone::remove);
        if (renamed.isEmpty()) {
          add(kind(path), "%s is new".formatted(named(path)));
        } else if (!path.equals(wanted.mainFile()) || entry.source().equals(wanted.name())) {
          add(kind(path), "%s → '%s'".formatted(named(renamed.get()), shown(path)));
        }
      }
    }
    gone.stream().sorted().forEach(path -> add(Kind.HEADER, "%s is gone".formatted(named(path))));
  }

  private static Map<String, Digest> digests(List<CacheEntry.Input> inputs) {
    Map<String, Digest> digests = new TreeMap<>();
    inputs.forEach(input -> digests.put(input.path(), input.digest()));
    return digests;
  }

  private Kind kind(String path) {
    return path.equals(wanted.mainFile()) ? Kind.SOURCE : Kind.HEADER;
  }

  private String named(String path) {
    return (path.equals(wanted.mainFile()) ? "source '" : "header '") + shown(path) + "'";
  }

  /** Returns a path without the directory in which it is staged, which says nothing to a user. */
  private static String shown(String path) {
    return path.substring(path.indexOf('/') + 1);
  }

  private void compareOptions() {
    List<String> had = joined(entry.options());
    List<String> wants = joined(wanted.options());
    List<String> gone = without(had, wants);
    List<String> added = without(wants, had);
    for (String option : added) {
      Optional<String> old = gone.stream().filter(each -> setsTheSame(each, option)).findFirst();
      if (old.isPresent()) {
        gone.remove(old.get());
        add(Kind.OPTION, "option '%s' → '%s'".formatted(old.get(), option));
      } else {
        add(Kind.OPTION, "option '%s' is new".formatted(option));
      }
    }
    gone.forEach(option -> add(Kind.OPTION, "option '%s' is gone".formatted(option)));
    if (gone.isEmpty() && added.isEmpty() && !had.equals(wants)) {
      add(Kind.OPTION, "the options stand in another order");
    }
  }

  /** Joins each {@code -mllvm} with what it passes. */
  private static List<String> joined(List<String> options) {
    List<String> joined = new ArrayList<>();
    for (String option : options) {
      int last = joined.size() - 1;
      if (last >= 0 && joined.get(last).equals("-mllvm")) {
        joined.set(last, "-mllvm " + option);
      } else {
        joined.add(option);
      }
    }
    return joined;
  }

  private static List<String> without(List<String> options, List<String> others) {
    List<String> rest = new ArrayList<>(options);
    others.forEach(rest::remove);
    return rest;
  }

  private static boolean setsTheSame(String one, String other) {
    if (one.startsWith("-O") || one.startsWith("-D")) {
      return subject(one).equals(subject(other));
    }
    return one.contains("=") && subject(one).equals(subject(other));
  }

  /** Returns what an option sets, such as {@code -DX} of {@code -DX=1}. */
  private static String subject(String option) {
    return option.startsWith("-O") ? "-O" : option.split("=", 2)[0];
  }

  private void compareInstantiations() {
    Set<String> had = entry.instances().keySet();
    List<String> wants = wanted.instantiations();
    wants.stream()
        .filter(name -> !had.contains(name))
        .forEach(name -> add(Kind.INSTANTIATION, "instance '%s' is new".formatted(name)));
    had.stream()
        .filter(name -> !wants.contains(name))
        .sorted()
        .forEach(name -> add(Kind.INSTANTIATION, "instance '%s' is gone".formatted(name)));
  }

  private void add(Kind kind, String text) {
    differences.add(new Difference(kind, text));
  }
}
