// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Provides the stand-in GPU that an environment with {@code KCACHE_RUNTIME=stand-in} leads to. The
 * module {@code dev.kcache.testing} has the only one.
 */
public interface StandInProvider {
  /** The runtime's name in {@link RuntimeKind#VARIABLE}. */
  String NAME = "stand-in";

  /** What was tried where there is no provider. */
  String ABSENCE =
      RuntimeKind.VARIABLE + "='" + NAME + "': no kcache-testing on the class path or module path";

  /** What to do where there is no provider. */
  String REMEDY = "add the artifact dev.kcache:kcache-testing, or unset " + RuntimeKind.VARIABLE;

  /** Returns the library of the process's stand-in GPU; the same each time. */
  HipLibrary library();

  /** Returns whether an environment asks for the stand-in. */
  static boolean isChosen(Map<String, String> environment) {
    return NAME.equals(environment.get(RuntimeKind.VARIABLE));
  }

  /** Returns the provider that the thread's class loader finds, or else this class's. */
  static Optional<StandInProvider> find() {
    return ServiceLoader.load(StandInProvider.class, ContextLoader.of(StandInProvider.class))
        .findFirst()
        .or(
            () ->
                ServiceLoader.load(StandInProvider.class, StandInProvider.class.getClassLoader())
                    .findFirst());
  }
}
