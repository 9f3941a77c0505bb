// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.standin;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Nodes with directories of their own, which share remotes and one compiler. */
public abstract class RemoteTestBase {
  /** A target that the compiler has. */
  protected static final TargetId GFX90A = TargetId.parse("gfx90a");

  /** A kernel. */
  protected static final KernelSource SOURCE = source("k");

  /** The setting of a node that uploads. */
  protected static final Map<String, String> WRITES = Map.of("KCACHE_REMOTE_MODE", "read-write");

  /** Has what nodes and servers keep. */
  @TempDir protected Path temp;

  /** The compiler of all nodes. */
  protected FixtureToolchain toolchain = new FixtureToolchain();

  /** What the nodes warn of. */
  protected Warnings warnings = Warnings.of("dev.kcache.cache");

  /** Lets each test hear what is told once. */
  @BeforeEach
  void forgetNotices() {
    Notices.clear();
  }

  @AfterEach
  void stopListening() {
    warnings.close();
  }

  /** Forgets what was warned of, so that it is told again. */
  protected void forgetWarnings() {
    warnings.close();
    warnings = Warnings.of("dev.kcache.cache");
    Notices.clear();
  }

  /** Returns a source with a kernel of that name. */
  protected static KernelSource source(String kernel) {
    return KernelSource.of("k.hip", "extern \"C\" __global__ void " + kernel + "() {}\n");
  }

  /** Returns a manager of a node. */
  protected CacheManager node(String name, String url, Map<String, String> variables) {
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("KCACHE_REMOTE", url);
    return CacheManager.builder()
        .environment(environment)
        .toolchain(toolchain)
        .directory(temp.resolve(name))
        .build();
  }

  /** Returns from where a node has a kernel. */
  protected Origin origin(
      String name, String url, Map<String, String> variables, KernelSource source) {
    try (CacheManager cache = node(name, url, variables)) {
      return cache.resolve(source, GFX90A).origin();
    }
  }

  /** Returns from where a node has {@link #SOURCE}. */
  protected Origin origin(String name, String url, Map<String, String> variables) {
    return origin(name, url, variables, SOURCE);
  }

  /** Returns the answer of a store. */
  protected static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }
}
