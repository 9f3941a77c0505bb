// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the scanner needs to know of cargo's files. They are searched, not parsed: what looks like a
 * path in a comment counts, and what is spelt with escapes does not. Cargo itself reads them where
 * they are staged, and fails where something is missing.
 */
final class CargoManifests {
  private static final String STRING = "(?:\"([^\"\\\\\\n]*)\"|'([^'\\n]*)')";
  private static final Pattern PATH = key("path");
  private static final Pattern DIRECTORY = key("directory");
  private static final Pattern WORKSPACE_OF = key("workspace");
  private static final Pattern WORKSPACE = Pattern.compile("(?m)^\\s*\\[\\s*workspace\\s*[\\].]");
  private static final Pattern PACKAGE =
      Pattern.compile("(?ms)^\\s*\\[\\s*package\\s*\\]\\s*$(.*?)(?=^\\s*\\[|\\z)");
  private static final Pattern NAME = key("name");
  private static final Pattern VERSION = key("version");
  private static final Pattern LOCKED =
      Pattern.compile("(?ms)^\\[\\[package\\]\\]$(.*?)(?=^\\[|\\z)");
  private static final Pattern SOURCE = key("source");
  private static final Pattern CHECKSUM = key("checksum");

  private CargoManifests() {}

  /**
   * A crate of {@code Cargo.lock}.
   *
   * @param source where it comes from; null for one of a folder
   * @param line of the file
   */
  record Locked(
      String name, String version, @Nullable String source, @Nullable String checksum, int line) {
    String directory() {
      return name + "-" + version;
    }
  }

  /** Returns what may be the path of a dependency in a manifest. */
  static List<String> paths(byte[] manifest) {
    return all(PATH, text(manifest));
  }

  /** Returns the directories of crates that a configuration may name. */
  static List<String> directories(byte[] configuration) {
    return all(DIRECTORY, text(configuration));
  }

  /** Returns whether a manifest begins a workspace. */
  static boolean isWorkspace(byte[] manifest) {
    return WORKSPACE.matcher(text(manifest)).find();
  }

  /** Returns the directory of its workspace, if a manifest names it. */
  static Optional<String> workspace(byte[] manifest) {
    return section(manifest).flatMap(section -> first(WORKSPACE_OF, section));
  }

  /** Returns the name of a manifest's package. */
  static Optional<String> name(byte[] manifest) {
    return section(manifest).flatMap(section -> first(NAME, section));
  }

  /** Returns the version of a manifest's package. */
  static Optional<String> version(byte[] manifest) {
    return section(manifest).flatMap(section -> first(VERSION, section));
  }

  /** Returns the crates of a lock file, which cargo writes in one form. */
  static List<Locked> locked(byte[] lock) {
    String text = text(lock);
    List<Locked> crates = new ArrayList<>();
    Matcher found = LOCKED.matcher(text);
    while (found.find()) {
      String section = found.group(1);
      int line = (int) text.substring(0, found.start()).chars().filter(c -> c == '\n').count() + 1;
      crates.add(
          new Locked(
              first(NAME, section).orElse(""),
              first(VERSION, section).orElse(""),
              first(SOURCE, section).orElse(null),
              first(CHECKSUM, section).orElse(null),
              line));
    }
    return crates;
  }

  private static Pattern key(String name) {
    return Pattern.compile("(?m)(?<![\\w-])[\"']?" + name + "[\"']?[ \\t]*=[ \\t]*" + STRING);
  }

  private static Optional<String> section(byte[] manifest) {
    Matcher found = PACKAGE.matcher(text(manifest));
    return found.find() ? Optional.of(found.group(1)) : Optional.empty();
  }

  private static Optional<String> first(Pattern key, String text) {
    return all(key, text).stream().findFirst();
  }

  private static List<String> all(Pattern key, String text) {
    return key.matcher(text).results().map(CargoManifests::value).toList();
  }

  private static String value(MatchResult found) {
    String basic = found.group(1);
    return basic != null ? basic : found.group(2);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8).replace("\r\n", "\n");
  }
}
