// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.standin.FakeHipcc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Has a cache make every kind of file that it makes, with what the environment says. */
final class FileModesMain {
  private final Path root;
  private final boolean layer;

  private FileModesMain(Path root, boolean layer) {
    this.root = root;
    this.layer = layer;
  }

  public static void main(String[] arguments) throws Exception {
    new FileModesMain(Path.of(arguments[0]), arguments.length > 1).fill();
  }

  private void fill() throws IOException {
    compile("one");
    // Damaged, it goes to quarantine.
    for (Path file : CacheTestBase.files(root, ".co")) {
      Files.writeString(file, "damaged");
    }
    compile("one");
    compile("two");
    try (CacheManager cache = cache()) {
      var unused = cache.maintenance().collect();
    }
  }

  private CacheManager cache() {
    return layer
        ? CacheManager.builder().directory(root).layers(List.of()).build()
        : CacheManager.create();
  }

  private void compile(String name) {
    KernelSource source =
        KernelSource.of("src/" + name + ".hip", "__global__ void " + name + "() {}\n")
            .withHeader("deep/" + name + ".h", "");
    try (CacheManager cache = cache()) {
      Optional<?> code =
          Optional.of(cache.getOrCompile(source, TargetId.parse(FakeHipcc.TARGET.toString())));
      System.out.println(code.isPresent());
    }
  }
}
