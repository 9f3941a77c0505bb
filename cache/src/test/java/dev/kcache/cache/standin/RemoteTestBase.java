// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.standin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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

  /**
   * Has a process whose cache directory is on a small disk of its own ask a remote that has {@link
   * #SOURCE}; the kernel is served or compiled, one line says why it is not kept, and nothing
   * half-written gets an entry's name.
   */
  protected void assertServesOnAFullDisk(String url) throws Exception {
    assumeTrue(Files.getAttribute(temp, "unix:uid").equals(0), "only root can mount");
    Path disk = Files.createDirectory(temp.resolve("disk"));
    String script =
        "mount -t tmpfs -o size=256k,mode=0700 none $0; head -c 256k /dev/zero >$0/full; exec \"$@\"";
    List<String> command =
        new ArrayList<>(
            List.of("unshare", "--mount", "--propagation", "private", "sh", "-c", script));
    command.addAll(List.of(disk.toString(), System.getProperty("java.home") + "/bin/java"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp"));
    command.addAll(List.of(System.getProperty("java.class.path"), FullDiskMain.class.getName()));
    command.addAll(List.of(disk.toString(), url, disk + "/full"));
    Path errors = temp.resolve("errors");
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(Files.readString(errors)).isZero();
    assertThat(out.lines())
        .containsExactly(
            "full: REMOTE COMPILED, not kept: 1, records: 0, torn: 0, temporary: 0",
            "nearly: REMOTE COMPILED, not kept: 2, records: 0, torn: 0, temporary: 0",
            "room: REMOTE COMPILED, not kept: 0, records: 2, torn: 0, temporary: 0",
            "again: DISK DISK, not kept: 0, records: 2, torn: 0, temporary: 0");
    assertThat(Files.readAllLines(errors).stream().filter(line -> line.contains("kept")))
        .singleElement()
        .asString()
        .contains("(No space left on device); make room there or choose another one");
  }

  /** Returns the answer of a store. */
  protected static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }
}
