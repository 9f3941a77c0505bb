// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;
import java.util.Set;

/**
 * What a file of Rust names. Names that begin at its modules' directory are to be looked up there,
 * which is that of the file or one below it; all others begin at the file's directory.
 *
 * @param references the files that it names for sure where they stand
 * @param bases the directories of its own modules and of those that it has inline
 * @param words the identifiers, as modules' names
 * @param literals the strings that may be names of files
 * @param paths those of the strings that an attribute has as a path
 * @param doubts what decides which of these count
 * @param problems what cannot be keyed
 * @param hasKernel whether a string is the ABI of a kernel
 */
record ScannedRust(
    List<Reference> references,
    Set<Base> bases,
    Set<String> words,
    Set<String> literals,
    Set<String> paths,
    Set<Doubt> doubts,
    List<ScannedFile.Problem> problems,
    boolean hasKernel) {

  enum Kind {
    /** A module: {@code name.rs} or {@code name/mod.rs}. */
    MODULE,
    /** A module's file. */
    PATH,
    /** Code, as {@code include!} reads it. */
    CODE,
    /** What {@code include_str!} or {@code include_bytes!} reads. */
    DATA
  }

  /** What only the expansion of a macro tells, and what then may be meant. */
  enum Doubt {
    /** A module's name may be any word. */
    MODULE,
    /** The path of a module may be any literal. */
    PATH,
    /** The name of an included file may be any literal. */
    INCLUDE
  }

  /**
   * A file that is named.
   *
   * @param anywhere whether it stands in a macro, so that it counts for every file that uses that
   */
  record Reference(Kind kind, Base base, String name, boolean anywhere, int line) {}

  /**
   * A directory.
   *
   * @param own whether it begins at the modules' directory
   * @param prefix what follows, empty or with a slash at its end
   */
  record Base(boolean own, String prefix) {
    static final Base FILE = new Base(false, "");
    static final Base MODULES = new Base(true, "");

    Base resolve(String name) {
      return new Base(own, prefix + name + "/");
    }
  }
}
