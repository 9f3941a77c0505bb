// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.RocmRoot;
import dev.kcache.toolchain.Toolchain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The files of this machine's ROCm, from which {@link RocmLayout} makes others.
 *
 * @param clang the real file
 * @param version the name of clang's directory of headers, such as {@code 21}
 * @param bitcode the directory of the device library
 * @param release the label of its release, such as {@code 6.4}
 */
record RocmParts(Path hipcc, Path clang, String version, Path bitcode, String release) {
  private static final Path USR = Path.of("/usr");

  static RocmParts find(Path memo) throws IOException {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_TOOLCHAIN", "hipcc");
    environment.put("KCACHE_DIR", memo.toString());
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      Toolchain toolchain = cache.toolchain(Platform.AMD);
      List<Path> files =
          toolchain.identityFiles(TargetId.parse("gfx90a"), List.of("-O3")).stream()
              .map(file -> Path.of(file.path()))
              .toList();
      Path clang = only(files, "bin/clang").toRealPath();
      return new RocmParts(
          Path.of(toolchain.describe().replaceFirst(", .*", "")),
          clang,
          version(clang.getParent().resolveSibling("lib/clang")),
          only(files, "ocml.bc").getParent(),
          toolchain.label().text());
    }
  }

  private static Path only(List<Path> files, String end) {
    return files.stream().filter(file -> file.endsWith(end)).findFirst().orElseThrow();
  }

  private static String version(Path versions) throws IOException {
    for (Path each : children(versions)) {
      if (Files.isDirectory(each.resolve("include"))) {
        return each.getFileName().toString();
      }
    }
    throw new AssertionError("clang without headers of its own below " + versions);
  }

  private static List<Path> children(Path directory) throws IOException {
    try (Stream<Path> children = Files.list(directory)) {
      return children.sorted().toList();
    }
  }

  /**
   * It finds its ROCm from its own place: a link would lead it back to this machine's.
   *
   * @param llvm where Debian's hipcc 6.4 looks for the compiler, beside what AMD's tries
   */
  void copyHipcc(Path directory, Path llvm) throws IOException {
    Files.createDirectories(directory);
    for (String name : List.of("hipcc", "hipcc.pl", "hipvars.pm")) {
      Path real = hipcc.resolveSibling(name);
      if (Files.exists(real)) {
        Files.copy(real, directory.resolve(name));
      }
    }
    Path debians = directory.resolveSibling("lib/llvm-" + major());
    if (!debians.equals(llvm)) {
      Files.createDirectories(debians.getParent());
      Files.createSymbolicLink(debians, llvm);
    }
    Path share = Files.createDirectories(directory.resolveSibling("share/hip"));
    Files.createSymbolicLink(share.resolve("version"), USR.resolve("share/hip/version"));
  }

  /** Copies the small clang, which looks for files beside itself; all else is links. */
  void copyClang(Path llvm) throws IOException {
    Path bin = Files.createDirectories(llvm.resolve("bin"));
    Files.copy(clang, bin.resolve("clang"));
    // The last two are the names by which Debian's hipcc runs it.
    for (String name : List.of("clang++", "clang-" + major(), "clang++-" + major())) {
      Files.createSymbolicLink(bin.resolve(name), Path.of("clang"));
    }
    for (String name : List.of("lld", "ld.lld")) {
      Files.createSymbolicLink(bin.resolve(name), clang.resolveSibling(name));
    }
    Path own = clang.getParent().resolveSibling("lib/clang").resolve(version);
    linkChildren(own, llvm.resolve("lib/clang").resolve(version));
  }

  /** Links what a directory has, but for the device library, which each layout has elsewhere. */
  private void linkChildren(Path real, Path directory) throws IOException {
    Files.createDirectories(directory);
    for (Path child : children(real)) {
      Path name = directory.resolve(child.getFileName());
      if (child.endsWith("lib")) {
        linkChildren(child, name);
      } else if (!child.endsWith("amdgcn")) {
        Files.createSymbolicLink(name, child);
      }
    }
  }

  /** Returns a line with what differs between machines in place of the words in braces. */
  String inserted(String line) {
    return line.replace("{bitcode}", USR.relativize(bitcode.getParent().getParent()).toString())
        .replace("{llvm}", major())
        .replace("{clang}", version)
        .replace("{major}", release.replaceFirst("\\..*", ""))
        .replace("{minor}", release.replaceFirst(".*\\.", ""))
        .replace("{release}", release);
  }

  private String major() {
    return version.replaceFirst("\\..*", "");
  }

  Path headers() {
    return USR.resolve("include/hip");
  }

  Path runtime() {
    return RocmRoot.of(USR, false).runtimes().get(0);
  }

  Path program(String name) {
    return USR.resolve("bin").resolve(name);
  }
}
