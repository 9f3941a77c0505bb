// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a toolchain may use.
 *
 * @param environment the environment variables that the manager was given
 * @param stagingParent returns a directory in which private directories for compiles are made
 * @param directory returns a directory for programs that are unpacked, which only this user can
 *     write and all processes share, made if need be; nothing if there is none
 * @param memoDirectory where what is found out about compilers is kept for later processes
 * @param batch whether many compiles with the same options are to come
 * @param timeout how long a compile may take; no question to a compiler may take longer
 */
public record ToolchainContext(
    Map<String, String> environment,
    Supplier<Path> stagingParent,
    Supplier<Optional<Path>> directory,
    Optional<Path> memoDirectory,
    boolean batch,
    Duration timeout) {
  /**
   * Copies the environment.
   *
   * @param environment the environment variables that the manager was given
   * @param stagingParent returns a directory in which private directories for compiles are made
   * @param directory returns a directory for programs that are unpacked, which only this user can
   *     write and all processes share, made if need be
   * @param memoDirectory where what is found out about compilers is kept for later processes
   * @param batch whether many compiles with the same options are to come
   * @param timeout how long a compile may take
   */
  public ToolchainContext {
    environment = Map.copyOf(environment);
  }
}
