// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.hits;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A kernel with a table of adjustable size; the machine's hipcc compiles it. */
final class SampleKernel {
  static final TargetId TARGET = TargetId.parse("gfx90a");

  private static final String TEXT =
      """
      #include <hip/hip_runtime.h>
      __constant__ unsigned char table[TABLE_BYTES] = {1};
      extern "C" __global__ void sample(unsigned char *out) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        out[i] = table[i % TABLE_BYTES];
      }
      """;

  private SampleKernel() {}

  /** Returns a source whose code object has about {@code bytes} bytes, at least some 5,000. */
  static KernelSource ofSize(int bytes) {
    int rest = 1;
    try (TemporaryDirectory directory = new TemporaryDirectory();
        CacheManager cache = manager(directory.path()).build()) {
      CodeObject least = cache.getOrCompile(withTable(rest), TARGET);
      return withTable(Math.max(rest, bytes - least.size() + rest));
    }
  }

  /** Returns a builder for a manager of one directory. */
  static CacheManagerBuilder manager(Path directory) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", directory.toString());
    environment.remove("KCACHE_PATH");
    environment.remove("KCACHE_POLICY");
    return CacheManager.builder().environment(environment);
  }

  private static KernelSource withTable(int bytes) {
    return KernelSource.of("sample.hip", TEXT)
        .withOptions(CompileOptions.of("-DTABLE_BYTES=" + bytes));
  }
}
