// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Diagnostic;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/** The embedded LLVM, asked what it takes. */
final class EmbeddedCompiler implements AutoCloseable {
  private static final String SOURCE = "kernel.hip";

  private final CacheManager cache;

  /**
   * Creates one.
   *
   * @param directory where the cache is
   * @param deviceLibrary where ROCm's device library is, or is not; null for where it is installed
   */
  EmbeddedCompiler(Path directory, String deviceLibrary) {
    Map<String, String> environment = new HashMap<>();
    environment.put("KCACHE_DIR", directory.toString());
    environment.put("KCACHE_TOOLCHAIN", "llvm");
    if (deviceLibrary != null) {
      environment.put("HIP_DEVICE_LIB_PATH", deviceLibrary);
    }
    cache = CacheManager.builder().environment(environment).build();
  }

  CacheResult compile(String text, String target) {
    return compile(text, target, List.of("-std=c++17", "-Wall", "-Wextra"));
  }

  private CacheResult compile(String text, String target, List<String> options) {
    KernelSource source = KernelSource.of(SOURCE, text).withOptions(CompileOptions.of(options));
    return cache.resolveAsync(source, TargetId.parse(target)).join();
  }

  /**
   * Returns which lines of a source are refused, from 1, and why; none where it compiles. What a
   * template of a header refuses belongs to the line that asks for it.
   */
  SortedMap<Integer, String> refusals(String text, String target) {
    List<String> options = List.of("-std=c++17", "-ferror-limit=0", "-ftemplate-backtrace-limit=0");
    try {
      compile(text, target, options);
      return new TreeMap<>();
    } catch (CompletionException e) {
      if (e.getCause() instanceof CompilationException failure) {
        return refusals(failure.diagnostics(), SOURCE);
      }
      throw e;
    }
  }

  /** Returns the lines of a file that errors are about, themselves or in their notes. */
  static SortedMap<Integer, String> refusals(List<Diagnostic> diagnostics, String file) {
    SortedMap<Integer, String> refusals = new TreeMap<>();
    for (Diagnostic diagnostic : diagnostics) {
      if (diagnostic.severity().isError()) {
        int line =
            Stream.concat(Stream.of(diagnostic), diagnostic.notes().stream())
                .flatMap(one -> one.location().stream())
                .filter(location -> location.file().endsWith(file))
                .mapToInt(Diagnostic.Location::line)
                .findFirst()
                .orElse(0);
        refusals.putIfAbsent(line, diagnostic.message());
      }
    }
    return refusals;
  }

  @Override
  public void close() {
    cache.close();
  }
}
