// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.Artifacts;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The compiler of the machines that {@code KCACHE_EXECUTOR} names. */
final class ExecutorChoice {
  /** By which {@code KCACHE_TOOLCHAIN} asks for it, too. */
  static final String NAME = "remote";

  private static final String VARIABLE = "KCACHE_EXECUTOR";
  private static final Pattern ADDRESS = Pattern.compile("\\s*grpcs?:", Pattern.CASE_INSENSITIVE);

  private ExecutorChoice() {}

  /** Returns whether an executor is named for a platform. */
  static boolean isMade(Platform platform, Map<String, String> environment) {
    return platform == Platform.AMD && new Environment(environment).get(VARIABLE).isPresent();
  }

  /**
   * Returns the executor's compiler, or if no machine answers, this machine's.
   *
   * @param here finds the compiler of this machine
   * @throws ToolchainNotFoundException if there is neither, or nothing that speaks to an executor
   * @throws IllegalArgumentException if the address of the executor is wrong
   */
  static Toolchain open(
      Platform platform, ToolchainContext context, Supplier<DriverToolchain> here) {
    ToolchainProvider provider =
        Providers.of(platform).stream()
            .filter(each -> each.name().equals(NAME))
            .findFirst()
            .orElseThrow(() -> missing(context.environment()));
    Toolchain remote = provider.open(platform, context);
    try {
      ToolchainLabel unused = remote.label();
      return remote;
    } catch (ToolchainNotFoundException e) {
      remote.close();
      return instead(e, here);
    }
  }

  /** What speaks to executors would refuse a wrong address, so that adding it does not help. */
  private static RuntimeException missing(Map<String, String> environment) {
    return ADDRESS.matcher(environment.getOrDefault(VARIABLE, "")).lookingAt()
        ? new ToolchainNotFoundException(
            "nothing here speaks to the executor that KCACHE_EXECUTOR or --executor names; "
                + Artifacts.advice("reapi")
                + ", or name none")
        : new IllegalArgumentException(
            VARIABLE
                + " holds no address of a server that runs commands; write it like"
                + " grpc://HOST[:PORT][/INSTANCE] or grpcs://…");
  }

  private static Toolchain instead(
      ToolchainNotFoundException gone, Supplier<DriverToolchain> here) {
    DriverToolchain local;
    try {
      local = here.get();
    } catch (ToolchainNotFoundException | IllegalArgumentException e) {
      gone.addSuppressed(e);
      throw gone;
    }
    Notices.warn(
        System.getLogger(ExecutorChoice.class.getName()),
        gone.getMessage() + "; compiling with " + local.program() + " here");
    return local;
  }
}
