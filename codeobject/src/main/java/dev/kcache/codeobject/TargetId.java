// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/**
 * A target ID: a processor and, per feature it has, whether the feature must be on or off, such as
 * {@code gfx90a:sramecc+:xnack-}. A feature that is not named may be in either state ("any").
 *
 * <p>Immutable; the canonical text form has the features sorted. Grammar: clang's <a
 * href="https://clang.llvm.org/docs/ClangOffloadBundler.html#target-id">target ID</a>.
 */
public final class TargetId {
  private final String text;

  private TargetId(String text) {
    this.text = text;
  }

  /**
   * Returns the target with the given text form; features may come in any order.
   *
   * @throws IllegalArgumentException if the text is malformed, or names an unknown processor or a
   *     feature that the processor lacks; the message lists what there is
   */
  public static TargetId parse(String text) {
    return new TargetId(text);
  }

  /**
   * Returns the target whose {@link #pathSegment()} is {@code segment}.
   *
   * @throws IllegalArgumentException if no target has that path segment
   */
  public static TargetId fromPathSegment(String segment) {
    return new TargetId(segment.replace('_', ':'));
  }

  /** Returns this target's processor, such as {@code gfx90a}. */
  public String processor() {
    int colon = text.indexOf(':');
    return colon < 0 ? text : text.substring(0, colon);
  }

  /** Returns the same processor with every feature in any state. */
  public TargetId withAnyFeatures() {
    return new TargetId(processor());
  }

  /** Returns whether a code object for this target runs on a device that reports {@code device}. */
  public boolean runsOn(TargetId device) {
    return equals(device);
  }

  /** Returns this target in a form that is one path segment on every file system. */
  public String pathSegment() {
    return text.replace(':', '_');
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TargetId target && text.equals(target.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** Returns the canonical text form, such as {@code gfx90a:sramecc+:xnack-}. */
  @Override
  public String toString() {
    return text;
  }
}
