// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Remembers the sources that call functions of ROCm's device library, so that they are not compiled
 * in vain for each target. What holds for one target holds for the others, unless the source can
 * depend on its target; such a source is not remembered.
 *
 * <p>Safe for use by any number of threads.
 */
final class LibraryUsers {
  /**
   * Parts of names by which a source can depend on its target: macros that clang 20 predefines for
   * some processors only, builtin functions, and tests for either. Names that are pasted together
   * are missed; then the library is linked needlessly, which does no harm.
   */
  private static final Pattern TELLS_TARGETS =
      Pattern.compile(
          "gfx|amdgcn|wavefront|__has_|FP_FAST_FMAF|NO_IMAGE_SUPPORT", Pattern.CASE_INSENSITIVE);

  private final Set<Digest> known = ConcurrentHashMap.newKeySet();

  /** Adds the source of a job that failed because the library was missing. */
  void add(Toolchain.Job job) {
    if (!canTellTargets(job)) {
      known.add(source(job));
    }
  }

  /** Returns whether a job's source is known to need the library. */
  boolean contains(Toolchain.Job job) {
    return !known.isEmpty() && known.contains(source(job));
  }

  private static boolean canTellTargets(Toolchain.Job job) {
    for (String option : job.options()) {
      if (TELLS_TARGETS.matcher(option).find()) {
        return true;
      }
    }
    for (Toolchain.SourceFile file : job.source().files()) {
      if (TELLS_TARGETS.matcher(ISO_8859_1.decode(file.content().duplicate())).find()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the digest of everything that decides what the compiler reads, except for the target.
   */
  private static Digest source(Toolchain.Job job) {
    Digest.Builder source = Digest.builder().text(job.source().mainFile());
    source.number(job.options().size());
    job.options().forEach(source::text);
    source.number(job.source().includeDirectories().size());
    job.source().includeDirectories().forEach(source::text);
    for (Toolchain.SourceFile file : job.source().files()) {
      source.text(file.path()).text(Digest.of(file.content()).toString());
    }
    return source.build();
  }
}
