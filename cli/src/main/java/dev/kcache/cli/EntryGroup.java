// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The entries of the cache that have a target, a label, or both.
 *
 * @param name the target, the label, or the directory's name: both with a dash between them
 */
record EntryGroup(Kind kind, String name) {
  private static final Pattern TARGET = Pattern.compile("(gfx|sm_|compute_)[\\w-]*(:.*)?");

  /** What the entries of a group have in common. */
  enum Kind {
    TARGET,
    LABEL,
    DIRECTORY;

    /** Returns what an entry would have to be called by to be in a group of this kind. */
    String nameOf(CacheEntry entry) {
      return switch (this) {
        case TARGET -> entry.target().toString();
        case LABEL -> entry.label().toString();
        case DIRECTORY -> entry.target().pathSegment() + "-" + entry.label();
      };
    }

    @Override
    public String toString() {
      return "a " + Text.lower(this);
    }
  }

  /**
   * Returns the group with a name, which no entry need be in; empty if it is no name of a group.
   *
   * @throws IllegalArgumentException if it looks like a target but is none, or not just one
   */
  static Optional<EntryGroup> named(String name) {
    if (isLabel(name)) {
      return Optional.of(new EntryGroup(Kind.LABEL, name));
    }
    if (isLabel(name.substring(name.lastIndexOf('-') + 1))) {
      return Optional.of(new EntryGroup(Kind.DIRECTORY, name));
    }
    try {
      return Optional.of(new EntryGroup(Kind.TARGET, Converters.device(name).toString()));
    } catch (IllegalArgumentException e) {
      if (TARGET.matcher(name).matches() || isFamily(name)) {
        throw e;
      }
      return Optional.empty();
    }
  }

  private static boolean isLabel(String name) {
    try {
      return new ToolchainLabel(name).toString().equals(name);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isFamily(String name) {
    try {
      return TargetId.parseAll(name).size() > 1;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Returns the entries of this group. */
  List<LocatedEntry> of(Collection<LocatedEntry> entries) {
    return entries.stream().filter(each -> kind.nameOf(each.entry()).equals(name)).toList();
  }

  /** Returns that the cache has no entry of this group, and a third group that may be meant. */
  String absence(Collection<LocatedEntry> entries, EntryGroup other) {
    List<String> names =
        entries.stream()
            .map(each -> kind.nameOf(each.entry()))
            .filter(each -> !each.equals(other.name))
            .distinct()
            .sorted()
            .toList();
    return "the cache has no entry for %s '%s'; %s"
        .formatted(Text.lower(kind), Text.oneLine(name), meant(name, names));
  }

  /** Returns the question whether one of the names is meant, or where to see them. */
  static String meant(String name, List<String> names) {
    return names.stream()
        .filter(each -> each.startsWith(name))
        .findFirst()
        .or(() -> Text.closest(name, names))
        .map(each -> "did you mean " + each + "?")
        .orElse("'kcache list' shows what there is");
  }
}
