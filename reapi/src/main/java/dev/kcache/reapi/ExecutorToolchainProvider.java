// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider;
import dev.kcache.toolchain.executor.RemoteToolchain;
import java.util.Map;
import java.util.Set;

/**
 * Compiles with the hipcc of a server's workers: {@code KCACHE_EXECUTOR} is {@code
 * grpc://HOST[:PORT][/INSTANCE]}, or {@code grpcs://…} with TLS, and {@code
 * KCACHE_EXECUTOR_PLATFORM} has the properties of the workers, as {@code name=value,name=value}.
 * {@code KCACHE_GRPC_HEADERS} holds credentials, as for a remote.
 */
public final class ExecutorToolchainProvider implements ToolchainProvider {
  private static final int ORDER = 10;

  /** Creates the provider; does nothing. */
  public ExecutorToolchainProvider() {}

  @Override
  public String name() {
    return "remote";
  }

  @Override
  public Set<Platform> platforms() {
    return Set.of(Platform.AMD);
  }

  @Override
  public int order() {
    return ORDER;
  }

  @Override
  public boolean isUsable(Map<String, String> environment) {
    requireNonNull(environment, "environment");
    return new Environment(environment).get(ExecutorSettings.SERVER).isPresent();
  }

  /** Which version the workers have is known only when they are asked. */
  @Override
  public boolean standsInFor(ToolchainLabel set, ToolchainLabel label) {
    requireNonNull(set, "set");
    requireNonNull(label, "label");
    return false;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if {@code KCACHE_EXECUTOR}, {@code KCACHE_EXECUTOR_PLATFORM}
   *     or {@code KCACHE_GRPC_HEADERS} has an invalid value
   */
  @Override
  public Toolchain open(Platform platform, ToolchainContext context) {
    requireNonNull(platform, "platform");
    requireNonNull(context, "context");
    ExecutorSettings settings =
        ExecutorSettings.of(context.environment())
            .orElseThrow(
                () ->
                    new ToolchainNotFoundException(
                        ExecutorSettings.SERVER
                            + " names no server that compiles; set it to grpc://HOST:PORT"));
    return RemoteToolchain.of(new ReapiExecutor(settings.address(), settings.platform()), context);
  }
}
