// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A directory of PATH. A program of ROCm's in it stands for the root that it belongs to, links
 * followed; a script of a Python wheel stands for the wheel.
 */
record SearchPathPlace(Path path, boolean windows) implements RocmPlace {
  /** The programs by which a root is known; the first are those that compile. */
  private static final List<String> PROGRAMS =
      List.of(
          RocmFinder.HIPCC, RocmFinder.AMDCLANG, "hipconfig", "rocminfo", "rocm_agent_enumerator");

  @Override
  public String origin() {
    return "PATH";
  }

  @Override
  public List<RocmRoot> roots() {
    Set<RocmRoot> roots = new LinkedHashSet<>();
    for (String name : PROGRAMS) {
      Optional<Path> file = file(name);
      if (file.isPresent() && isScript(file.get())) {
        roots.addAll(wheels().roots());
      } else if (file.isPresent()) {
        roots.add(RocmRoot.ofProgram(file.get(), windows));
      }
    }
    return List.copyOf(roots);
  }

  @Override
  public Optional<String> problem() {
    for (String name : PROGRAMS) {
      Optional<Path> file = file(name);
      if (file.isPresent() && isScript(file.get())) {
        Wheels wheels = wheels();
        if (wheels.problem().isPresent() || !wheels.roots().isEmpty()) {
          return wheels.problem();
        }
        return Optional.of(
            "has a script of a ROCm wheel, "
                + file.get()
                + ", but not the wheel; pip install --force-reinstall 'rocm[devel]'");
      }
    }
    return file(RocmFinder.HIPCC)
        .filter(file -> isBareNix(RocmRoot.ofProgram(file, windows)))
        .map(file -> "has Nix's hipcc without HIP; add rocmPackages.clr, which has both");
  }

  @Override
  public Optional<RocmProgram> driver(List<String> kinds) {
    Optional<RocmProgram> hipcc =
        plain(RocmFinder.HIPCC, kinds).filter(found -> !isBareNix(found.root()));
    if (hipcc.isPresent()) {
      return hipcc;
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
    return plain(RocmFinder.AMDCLANG, kinds);
  }

  @Override
  public Optional<RocmProgram> program(String name) {
    Optional<Path> file = file(name);
    if (file.isPresent() && isScript(file.get())) {
      return new RootPlace(origin(), path, wheels().roots(), Optional.empty()).program(name);
    }
    return file.map(found -> RocmProgram.of(found, windows));
  }

  /** Returns a driver of a kind that may be run as it is. */
  private Optional<RocmProgram> plain(String kind, List<String> kinds) {
    return kinds.contains(kind)
        ? file(kind).filter(file -> !isScript(file)).map(file -> RocmProgram.of(file, windows))
        : Optional.empty();
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
