// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.driver.Unpacked;
import dev.kcache.toolchain.standin.FakeHipcc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Has a cache make every kind of file that it makes, with what the environment says. */
final class FileModesMain {
  private FileModesMain() {}

  public static void main(String[] arguments) throws Exception {
    Path root = Path.of(arguments[0]);
    compile("one");
    // Damaged, it goes to quarantine.
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".co")).toList()) {
        Files.writeString(file, "damaged");
      }
    }
    compile("one");
    compile("two");
    try (CacheManager cache = CacheManager.create()) {
      var unused = cache.maintenance().collect(false);
    }
    Unpacked.in(
        Path.of(arguments[1]),
        "tools",
        directory -> Files.exists(directory.resolve("bin/clang")),
        FileModesMain::unpack);
  }

  private static void unpack(Path directory) throws IOException {
    Path program = Files.createDirectory(directory.resolve("bin")).resolve("clang");
    Files.write(program, "x".getBytes(US_ASCII));
    if (!program.toFile().setExecutable(true, false)) {
      throw new IOException("not executable: " + program);
    }
    Files.write(directory.resolve("header.h"), "x".getBytes(US_ASCII));
  }

  private static void compile(String name) {
    KernelSource source =
        KernelSource.of("src/" + name + ".hip", "__global__ void " + name + "() {}\n")
            .withHeader("deep/" + name + ".h", "");
    try (CacheManager cache = CacheManager.create()) {
      Optional<?> code =
          Optional.of(cache.getOrCompile(source, TargetId.parse(FakeHipcc.TARGET.toString())));
      System.out.println(code.isPresent());
    }
  }
}
