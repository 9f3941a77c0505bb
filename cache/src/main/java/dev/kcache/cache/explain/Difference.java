// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.explain;

/**
 * One thing in which an entry differs from what is asked for.
 *
 * @param kind which part of the key differs
 * @param text says so in one line, such as {@code header 'common.h' changed}; the entry's side
 *     comes first, then an arrow and what is asked for
 */
public record Difference(Kind kind, String text) {
  /** The parts of a key. */
  public enum Kind {
    /** The source's logical name. */
    NAME,
    /** What the source is written in. */
    LANGUAGE,
    /** The main file. */
    SOURCE,
    /** A file that the source includes. */
    HEADER,
    /** A compile option. */
    OPTION,
    /** A kernel that is compiled beside those that the source uses. */
    INSTANTIATION,
    /** The target. */
    TARGET,
    /** The label: another version or another kind of compiler. */
    LABEL,
    /** The compiler or a file that its identity is made of. */
    TOOLCHAIN,
    /** A file of the compiler's that the source includes, such as a system header. */
    DEPENDENCY,
    /** The code object of the entry is missing or damaged. */
    CODE_OBJECT,
    /** The entry is revoked, or lacks a signature that it needs. */
    TRUST,
    /** What no record names, such as the order of include directories. */
    OTHER
  }
}
