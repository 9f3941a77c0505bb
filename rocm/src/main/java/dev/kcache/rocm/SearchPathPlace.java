// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A directory of PATH with a driver, or without one. A driver in it stands for the root that it
 * belongs to, links followed; a script of a Python wheel stands for the wheel.
 *
 * <p>Each process that has hits looks here: hence no lambdas, which take milliseconds at first.
 */
record SearchPathPlace(Path path, boolean windows) implements RocmPlace {
  @Override
  public String origin() {
    return "PATH";
  }

  @Override
  public List<RocmRoot> roots() {
    for (String kind : RocmFinder.DRIVERS) {
      Optional<Path> file = file(kind);
      if (file.isPresent()) {
        return isScript(file.get())
            ? wheels().roots()
            : List.of(RocmRoot.ofProgram(file.get(), windows));
      }
    }
    return List.of();
  }

  @Override
  public Optional<String> problem() {
    Optional<Path> file = file(RocmFinder.HIPCC);
    if (file.isEmpty()) {
      return Optional.empty();
    }
    if (!isScript(file.get())) {
      return isBareNix(RocmRoot.ofProgram(file.get(), windows))
          ? Optional.of("has Nix's hipcc without HIP; add rocmPackages.clr, which has both")
          : Optional.empty();
    }
    return problem(file.get());
  }

  /** Returns why a wheel's script stands for nothing. */
  Optional<String> problem(Path script) {
    Wheels wheels = wheels();
    return wheels.problem().isPresent() || !wheels.roots().isEmpty()
        ? wheels.problem()
        : Optional.of(
            "has a script of a ROCm wheel, "
                + script
                + ", but not the wheel; pip install --force-reinstall 'rocm[devel]'");
  }

  /** A hipcc is taken as it is found, and an amdclang++ only where its root has no hipcc. */
  @Override
  public Optional<RocmProgram> driver(List<String> kinds) {
    if (kinds.contains(RocmFinder.HIPCC)) {
      Optional<Path> hipcc = file(RocmFinder.HIPCC);
      if (hipcc.isPresent() && !isScript(hipcc.get())) {
        RocmProgram program = RocmProgram.of(hipcc.get(), windows);
        if (!isBareNix(program.root())) {
          return Optional.of(program);
        }
      }
    }
    for (RocmRoot root : roots()) {
      // The system's own LLVM comes after all that is AMD's: see RocmFinder.
      if (!root.isDistribution() && !isBareNix(root)) {
        Optional<RocmProgram> driver = RootPlace.of(origin(), root).driver(kinds);
        if (driver.isPresent()) {
          return driver;
        }
      }
    }
    Optional<Path> clang = file(RocmFinder.AMDCLANG);
    return clang.isPresent() && kinds.contains(RocmFinder.AMDCLANG) && !isScript(clang.get())
        ? Optional.of(RocmProgram.of(clang.get(), windows))
        : Optional.empty();
  }

  @Override
  public Optional<RocmProgram> program(String name) {
    Optional<Path> file = file(name);
    if (file.isPresent() && isScript(file.get())) {
      return new RootPlace(origin(), path, wheels().roots(), Optional.empty()).program(name);
    }
    return file.map(found -> RocmProgram.of(found, windows));
  }

  private Optional<Path> file(String name) {
    return Environment.program(RocmRoot.fileName(name, windows), List.of(path));
  }

  private boolean isScript(Path file) {
    return Wheels.isScript(file, windows);
  }

  private Wheels wheels() {
    Path prefix = path.getParent();
    return Wheels.in(prefix == null ? path : prefix, windows);
  }

  /** Returns whether a root is that of Nix's package of hipcc alone, which looks for nvcc. */
  private static boolean isBareNix(RocmRoot root) {
    return root.directory().toString().contains("/nix/store/") && !root.hasHeaders();
  }
}
