// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.wsl;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.HostSystem;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider;
import dev.kcache.toolchain.executor.RemoteToolchain;
import java.util.Map;
import java.util.Set;

/**
 * Compiles on Windows with the hipcc in a distribution of the Windows Subsystem for Linux: {@code
 * KCACHE_TOOLCHAIN} is {@code wsl}, or {@code wsl:DISTRIBUTION}.
 */
public class WslToolchainProvider implements ToolchainProvider {
  private static final String NAME = "wsl";
  private static final String PREFIX = NAME + ":";
  private static final String VARIABLE = "KCACHE_TOOLCHAIN";

  /** After all that compile on Windows itself. */
  private static final int ORDER = 300;

  private final boolean windows;

  /** Creates the provider; does nothing. */
  public WslToolchainProvider() {
    this(HostSystem.isWindows());
  }

  /** Creates one that takes this machine for one with Windows, or not. */
  WslToolchainProvider(boolean windows) {
    this.windows = windows;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public boolean answersTo(String name) {
    requireNonNull(name, "name");
    return name.equals(NAME) || name.startsWith(PREFIX);
  }

  @Override
  public Set<Platform> platforms() {
    return Set.of(Platform.AMD);
  }

  @Override
  public int order() {
    return ORDER;
  }

  /** Only Windows needs it. In WSL wsl.exe is in PATH, too. */
  @Override
  public boolean isListed(Map<String, String> environment) {
    requireNonNull(environment, "environment");
    return windows;
  }

  @Override
  public boolean isUsable(Map<String, String> environment) {
    requireNonNull(environment, "environment");
    boolean meant = isListed(environment) || answersTo(environment.getOrDefault(VARIABLE, ""));
    return meant && WslProgram.find(environment).isPresent();
  }

  /** Its hipcc is the platform's own compiler, of the version that it has. */
  @Override
  public boolean standsInFor(ToolchainLabel set, ToolchainLabel label) {
    requireNonNull(set, "set");
    requireNonNull(label, "label");
    return set.equals(label);
  }

  /** {@inheritDoc} Asks wsl.exe for the distributions, which starts none of them. */
  @Override
  public Toolchain open(Platform platform, ToolchainContext context) {
    requireNonNull(platform, "platform");
    requireNonNull(context, "context");
    String asked = new Environment(context.environment()).get(VARIABLE).orElse(NAME);
    WslProgram wsl =
        new WslProgram(
            WslProgram.find(context.environment())
                .orElseThrow(
                    () ->
                        new ToolchainNotFoundException(
                            "wsl.exe is not there, neither in Windows' System32 nor in PATH;"
                                + " KCACHE_TOOLCHAIN=wsl is for a JVM on Windows with WSL")),
            System.getenv());
    try {
      Distributions all = Distributions.of(wsl);
      String distribution =
          asked.startsWith(PREFIX) ? all.named(asked.substring(PREFIX.length())) : all.standard();
      return RemoteToolchain.of(
          new WslExecutor(wsl, distribution, all.instead(distribution)), context);
    } catch (ToolchainNotFoundException e) {
      wsl.close();
      throw e;
    }
  }
}
