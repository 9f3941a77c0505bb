// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.CodeObject;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Asks for a kernel as another user would, with what the environment says; compiles nothing. */
final class LayerReaderMain {
  static final KernelSource SOURCE =
      KernelSource.of("k.hip", "extern \"C\" __global__ void k() {}\n");

  private LayerReaderMain() {}

  /** Prints the user's number, the digest of what was found, and the layers in use. */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = System.out;
    out.println("uid " + Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    try (CacheManager cache = CacheManager.create()) {
      Optional<CodeObject> found = cache.getIfPresent(SOURCE);
      out.println(found.map(code -> "hit " + code.digest()).orElse("miss"));
      out.println("layers " + cache.maintenance().layers());
    }
  }
}
