// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Platform;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A compiler beside {@code hipcc} and {@code nvcc}, such as one that comes with the class path;
 * found by {@link java.util.ServiceLoader}.
 *
 * <p>A manager looks for providers only where the platform's own compiler is not there, or where
 * {@code KCACHE_TOOLCHAIN} names one. Implementations have a public constructor without parameters,
 * which does nothing.
 */
public interface ToolchainProvider {
  /**
   * {@return the name by which {@code KCACHE_TOOLCHAIN} asks for this compiler, such as {@code
   * llvm}: lower-case letters and digits, no other provider's and neither {@code hipcc} nor {@code
   * nvcc}}
   */
  String name();

  /**
   * {@return whether a name asks for this compiler} One whose name may be followed by more, such as
   * a place, finds the whole name in {@code KCACHE_TOOLCHAIN} of its context.
   *
   * @param name what a user has set
   */
  default boolean answersTo(String name) {
    requireNonNull(name, "name");
    return name().equals(name);
  }

  /**
   * {@return whether users of this system are told of it; if not, only its name asks for it}
   *
   * @param environment the environment variables that the manager was given
   */
  default boolean isListed(Map<String, String> environment) {
    requireNonNull(environment, "environment");
    return true;
  }

  /** {@return the platforms whose code objects it makes} */
  Set<Platform> platforms();

  /** {@return where it stands among those that nobody asked for: the least is tried first} */
  int order();

  /**
   * {@return whether it has on this machine what it needs to compile, or can get it} Has to be
   * cheap. One that has not is used only if it is asked for by name, for what others made with it.
   *
   * @param environment the environment variables that the manager was given
   */
  boolean isUsable(Map<String, String> environment);

  /**
   * {@return what this compiler has yet to get before it compiles, and how that is got, as one
   * phrase; empty if all is there} For who asks what there is; it may start a program of its own,
   * and gets nothing.
   *
   * @param context what the toolchain may use
   */
  default Optional<String> pending(ToolchainContext context) {
    requireNonNull(context, "context");
    return Optional.empty();
  }

  /**
   * {@return whether what this compiler makes may stand in for the platform's own compiler of a
   * version that is set, where that one can't do a target or is not there to make it}
   *
   * @param set the version that a user set
   * @param label the label of this compiler, or of one like it whose entries are found
   */
  boolean standsInFor(ToolchainLabel set, ToolchainLabel label);

  /**
   * {@return the toolchain for one of its platforms} Has to be cheap: nothing is unpacked,
   * downloaded or started before it is needed.
   *
   * @param platform one of those that this compiler is for
   * @param context what the toolchain may use
   * @throws ToolchainNotFoundException if it can't be had on this machine; the message says what is
   *     lacking
   */
  Toolchain open(Platform platform, ToolchainContext context);
}
