// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The ROCm that pip installed below a prefix. Neither {@code rocm-sdk} nor a script of a wheel is
 * run: it may unpack half a gigabyte first.
 *
 * @param roots {@code _rocm_sdk_devel} and {@code _rocm_sdk_core} as far as they are there
 * @param problem what keeps a compiler from being taken from them, and what to do
 */
record Wheels(List<RocmRoot> roots, Optional<String> problem) {
  private static final String DEVEL = "_rocm_sdk_devel";
  private static final String CORE = "_rocm_sdk_core";

  /** Where a script names the module that it calls, this far from its start. */
  private static final int SCRIPT_BYTES = 4096;

  /** Looks below a prefix: that of a virtual environment, of conda, or of the system's Python. */
  static Wheels in(Path prefix, boolean windows) {
    List<Path> sites = new ArrayList<>();
    for (Path site : sites(prefix, windows)) {
      if (Files.isDirectory(site.resolve(DEVEL)) || Files.isDirectory(site.resolve(CORE))) {
        sites.add(site);
      }
    }
    if (sites.isEmpty()) {
      return new Wheels(List.of(), Optional.empty());
    }
    if (sites.size() > 1) {
      String both = sites.get(0) + " and " + sites.get(1);
      return new Wheels(
          List.of(),
          Optional.of("has two ROCm wheels, in " + both + "; uninstall one, or set ROCM_PATH"));
    }
    return of(sites.get(0), windows);
  }

  private static Wheels of(Path site, boolean windows) {
    List<RocmRoot> roots = new ArrayList<>();
    for (String name : List.of(DEVEL, CORE)) {
      if (Files.isDirectory(site.resolve(name))) {
        roots.add(RocmRoot.of(site.resolve(name), windows));
      }
    }
    return new Wheels(roots, problem(roots));
  }

  /** Returns what keeps a compiler from being taken from the parts of a wheel, and what to do. */
  static Optional<String> problem(List<RocmRoot> roots) {
    Path first = roots.get(0).directory();
    boolean hasCompiler = false;
    for (RocmRoot root : roots) {
      boolean compiles = root.driver(RocmFinder.DRIVERS).isPresent();
      if (compiles && root.deviceLibrary().isPresent()) {
        return Optional.empty();
      }
      hasCompiler |= compiles;
    }
    if (hasCompiler) {
      return Optional.of(
          "has a ROCm wheel without ROCm's device library, "
              + first
              + "; pip install --force-reinstall 'rocm[devel]'");
    }
    for (String archive : List.of("_devel.tar", "_devel.tar.xz")) {
      if (Files.exists(first.resolveSibling("rocm_sdk_devel").resolve(archive))) {
        return Optional.of("has a ROCm wheel whose compiler is still packed; run 'rocm-sdk init'");
      }
    }
    return Optional.of(
        "has a ROCm wheel without a compiler, " + first + "; pip install 'rocm[devel]'");
  }

  private static List<Path> sites(Path prefix, boolean windows) {
    if (windows) {
      return List.of(prefix.resolve("Lib").resolve("site-packages"));
    }
    List<Path> sites = new ArrayList<>();
    for (Path python : Newest.first(prefix.resolve("lib"), "python3*")) {
      sites.add(python.resolve("site-packages"));
      sites.add(python.resolve("dist-packages"));
    }
    return sites;
  }

  /** Returns whether two roots are the same, or parts of one wheel. */
  static boolean areOne(Path left, Path right) {
    return left.equals(right)
        || (isPart(left) && isPart(right) && Objects.equals(left.getParent(), right.getParent()));
  }

  /** Returns whether a directory is a part of a wheel. */
  static boolean isPart(Path directory) {
    return directory.endsWith(DEVEL) || directory.endsWith(CORE);
  }

  /** Returns whether a program is a script of a wheel, which stands for the wheel's root. */
  static boolean isScript(Path program, boolean windows) {
    if (windows) {
      // A launcher, with the script at its end. pip puts nothing else there.
      return program.getParent() != null && program.getParent().endsWith("Scripts");
    }
    try (InputStream in = Files.newInputStream(program)) {
      if (in.read() != '#' || in.read() != '!') {
        return false;
      }
      return new String(in.readNBytes(SCRIPT_BYTES), ISO_8859_1).contains("rocm_sdk");
    } catch (IOException e) {
      return false;
    }
  }
}
