// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.source.AssemblyScanner;
import dev.kcache.cache.source.CrateScanner;
import dev.kcache.cache.source.DiskTree;
import dev.kcache.cache.source.IncludeClosure;
import dev.kcache.cache.source.IncludeClosure.Root;
import dev.kcache.cache.source.IncludeScanner;
import dev.kcache.cache.source.OverlayTree;
import dev.kcache.cache.source.RustScanner;
import dev.kcache.cache.source.SourcePath;
import dev.kcache.cache.source.SourceProblem;
import dev.kcache.cache.source.SourceSnapshot;
import dev.kcache.cache.source.SourceTree;
import dev.kcache.cache.source.StagedTree;
import dev.kcache.cache.source.StagingLayout;
import dev.kcache.cache.source.TextTree;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.StagedSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What the scanner of its language found of a source.
 *
 * @param undeclared why it cannot be compiled until a header is declared, or null
 */
record ScannedSource(StagedSource staged, @Nullable SourceProblem undeclared, boolean hasKernel) {

  /**
   * Scans a source.
   *
   * @param headers the declared headers by name, with a slash before it
   * @throws SourceProblem if a file cannot be read or the source cannot be keyed
   */
  static ScannedSource scan(
      MainFile main,
      SortedMap<String, byte[]> headers,
      List<Root> directories,
      CompileOptions options,
      SourceSnapshot snapshot) {
    if (main.language() == Language.RUST && main.path().tree() instanceof StagedTree staged) {
      List<SourcePath> places = directories.stream().map(Root::directory).toList();
      return new ScannedSource(staged.source(main.name(), main.path(), places), null, true);
    }
    IncludeClosure closure =
        switch (main.language()) {
          case HIP, ASSEMBLY -> included(main, headers, directories, options, snapshot);
          case RUST -> main.isCrate() ? crate(main, snapshot) : rust(main, headers, snapshot);
          case LLVM_IR -> IncludeClosure.of(snapshot, main.path(), main.display(), true);
        };
    return new ScannedSource(
        StagingLayout.stage(main.language(), main.name(), closure),
        closure.undeclared(),
        closure.hasKernel());
  }

  private static IncludeClosure included(
      MainFile main,
      SortedMap<String, byte[]> headers,
      List<Root> directories,
      CompileOptions options,
      SourceSnapshot snapshot) {
    SourceTree tree = new TextTree(headers);
    List<Root> roots = new ArrayList<>();
    if (!headers.isEmpty()) {
      roots.add(new Root(new SourcePath(tree, "/"), "", "hdr"));
    }
    roots.addAll(directories);
    List<SourcePath> declared =
        headers.keySet().stream().map(path -> new SourcePath(tree, path)).toList();
    return main.language() == Language.ASSEMBLY
        ? AssemblyScanner.scan(snapshot, main.path(), main.display(), declared, roots)
        : IncludeScanner.scan(
            snapshot, main.path(), main.display(), declared, roots, options.decisive());
  }

  private static IncludeClosure crate(MainFile main, SourceSnapshot snapshot) {
    if (!(main.path().tree() instanceof DiskTree)) {
      throw new InvalidKernelSourceException(
          main.display(), "a crate is read from a folder; pass its path to KernelSource.rust");
    }
    return CrateScanner.scan(snapshot, main.path(), main.display(), cargoHome());
  }

  /** Where cargo keeps the crates that it has fetched. */
  private static String cargoHome() {
    Environment variables = new Environment(System.getenv());
    return DiskTree.pathOf(
        variables
            .path("CARGO_HOME")
            .orElse(Path.of(System.getProperty("user.home"), ".cargo"))
            .toAbsolutePath()
            .normalize());
  }

  /** Rust has no directories to search, so a declared file lies beside the source. */
  private static IncludeClosure rust(
      MainFile main, SortedMap<String, byte[]> headers, SourceSnapshot snapshot) {
    if (headers.isEmpty()) {
      return RustScanner.scan(snapshot, main.path(), main.display(), List.of());
    }
    if (headers.containsKey("/" + main.path().name())) {
      throw new InvalidKernelSourceException(
          "header '" + main.path().name() + "'", "has the name of the source; rename it");
    }
    OverlayTree tree = new OverlayTree(main.path().parent(), headers);
    SourcePath path = new SourcePath(tree, main.path().path());
    return RustScanner.scan(snapshot, path, main.display(), tree.files());
  }
}
