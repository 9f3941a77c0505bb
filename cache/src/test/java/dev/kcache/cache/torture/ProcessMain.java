// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.torture.KnownCompiler.Kernel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** What the processes of {@link ProcessesTest} do; the first argument says which. */
final class ProcessMain {
  /** Long enough for others to come while it lasts; nothing tells when they wait. */
  private static final long COMPILE_MILLIS = 300;

  private static final Kernel KERNEL = new Kernel(0, 0);

  private ProcessMain() {}

  public static void main(String[] arguments) throws Exception {
    Path root = Path.of(arguments[1]);
    switch (arguments[0]) {
      case "ask" -> ask(root, Path.of(arguments[2]));
      case "hold" -> hold(root);
      case "small" -> manyInASmallHeap(root, Integer.parseInt(arguments[2]));
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Returns what a manager of its own gives, having added a line to a file for each compile. */
  static String ask(Path root, Path compiles, Callable<?> ready) throws Exception {
    KnownCompiler compiler =
        new KnownCompiler(
            () -> {
              Files.writeString(
                  compiles, "compiled\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
              Thread.sleep(COMPILE_MILLIS);
              return "";
            },
            0);
    try (CacheManager cache = builder(root, compiler).build()) {
      Object unused = ready.call();
      return KERNEL.served(cache.getOrCompile(KERNEL.source(), KnownCompiler.TARGETS.get(0)));
    }
  }

  private static CacheManagerBuilder builder(Path root, KnownCompiler compiler) {
    return CacheManager.builder()
        .environment(Map.of("KCACHE_DIR", root.toString()))
        .toolchain(compiler);
  }

  /** Asks as soon as there is a line to read. */
  private static void ask(Path root, Path compiles) throws Exception {
    System.out.print(
        ask(
            root,
            compiles,
            () -> {
              System.out.println("process " + ProcessHandle.current().pid());
              return System.in.read();
            }));
  }

  /** Compiles until it is killed. */
  private static void hold(Path root) {
    KnownCompiler compiler =
        new KnownCompiler(
            () -> {
              System.out.println("process " + ProcessHandle.current().pid());
              new CountDownLatch(1).await();
              return "";
            },
            0);
    try (CacheManager cache = builder(root, compiler).build()) {
      var unused = cache.getOrCompile(KERNEL.source(), KnownCompiler.TARGETS.get(0));
    }
  }

  /** Has far more than the heap can hold compiled, found again, and evicted. */
  private static void manyInASmallHeap(Path root, int kernels) {
    KnownCompiler compiler = new KnownCompiler(() -> "", 1 << 20);
    try (CacheManager cache = builder(root, compiler).maxSize((kernels / 2L) << 20).build()) {
      for (int round = 0; round < 2; round++) {
        int compiled = 0;
        for (int i = 0; i < kernels; i++) {
          KernelSource source =
              KernelSource.of("k" + i + ".hip", "__global__ void k" + i + "() {}\n");
          CacheResult result = cache.resolveAsync(source, KnownCompiler.TARGETS.get(0)).join();
          compiled += result.origin() == CacheResult.Origin.COMPILED ? 1 : 0;
        }
        System.out.println("compiled " + compiled);
        System.out.println("evicted " + cache.maintenance().collect().entriesRemoved());
      }
      System.out.println("findings " + cache.maintenance().verify((d, n, t) -> {}).findings());
    }
  }
}
