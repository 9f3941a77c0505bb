// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.Request;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a member of the group does with the shared directory; the first argument says which. */
final class MemberMain {
  static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final Request REQUEST =
      new Request(Digest.of(new byte[0]), GFX90A, new ToolchainLabel("5.2"));

  private MemberMain() {}

  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "get" -> get(arguments[1]);
      case "hold" -> hold();
      case "try" -> tryLock();
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Says where a kernel came from, whether it was kept, and where the memo is. */
  private static void get(String name) {
    try (CacheManager cache = CacheManager.builder().toolchain(new FakeToolchain()).build()) {
      KernelSource source = KernelSource.of(name, "__global__ void k() {}\n");
      CacheResult result = cache.resolveAsync(source, GFX90A).join();
      System.out.println(result.origin() + (result.kept() ? " kept" : " not kept"));
      System.out.println("memo " + cache.maintenance().health().probeCache().orElse(null));
    }
  }

  /** Holds the lock of a request until its standard input ends. */
  private static void hold() throws Exception {
    lock(
        () -> {
          System.out.println("held");
          System.in.read();
          return Optional.of("done");
        });
  }

  /** Says whether it has to wait for the lock of the request, or gets it. */
  private static void tryLock() throws Exception {
    lock(() -> Optional.of("works"));
  }

  private static void lock(Work work) throws Exception {
    List<String> polls = new ArrayList<>();
    Path root = Path.of(System.getenv("KCACHE_DIR"));
    Optional<String> end =
        DiskStore.open(root, Access.GROUP)
            .requestLock()
            .exclusively(
                REQUEST,
                () -> {
                  polls.add("poll");
                  return polls.size() > 3 ? Optional.of(Optional.of("waits")) : Optional.empty();
                },
                work::run);
    System.out.println(end.orElseThrow());
  }

  private interface Work {
    Optional<String> run() throws IOException;
  }
}
