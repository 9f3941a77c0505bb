// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

/** kcache's artifacts that are added where they are needed: engines for remotes, images. */
public final class Artifacts {
  private Artifacts() {}

  /**
   * {@return what to do where an artifact is missing, without a full stop} It fits applications,
   * which have a class path, and the command, to which Maven adds the artifact.
   *
   * @param engine the artifact's name without {@code kcache-}, such as {@code redis}
   */
  public static String advice(String engine) {
    requireNonNull(engine, "engine");
    return "add the artifact dev.kcache:kcache-%1$s, to the command by 'mvn -f kcache-*/share/engine.xml -Dengine=%1$s dependency:copy-dependencies'"
        .formatted(engine);
  }
}
