// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheMissException;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** An application that asks for many kernels at once. */
public final class ManyKernels {
  private ManyKernels() {}

  /**
   * Gets each kernel for each target and prints how many there were and how many a sealed cache
   * lacked, how many nanoseconds they took, and how many it took to close the cache. It does so
   * some times, each with a new cache manager and a line of its own. Each after the first has a new
   * cache directory beside the first one's: ext4 is slow to make files where some were deleted.
   *
   * @param arguments how many times, the targets, separated by commas, and the sources
   */
  public static void main(String[] arguments) {
    long begin = System.nanoTime();
    Map<String, String> environment = new HashMap<>(System.getenv());
    for (int round = 1; round <= Integer.parseInt(arguments[0]); round++) {
      get(arguments, environment, begin);
      environment.put("KCACHE_DIR", System.getenv("KCACHE_DIR") + "-" + round);
      begin = System.nanoTime();
    }
  }

  private static void get(String[] arguments, Map<String, String> environment, long begin) {
    List<TargetId> targets = Stream.of(arguments[1].split(",", -1)).map(TargetId::parse).toList();
    List<CompletableFuture<CodeObject>> kernels = new ArrayList<>();
    long missing;
    long end;
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      for (int i = 2; i < arguments.length; i++) {
        KernelSource source = KernelSource.read(Path.of(arguments[i]));
        for (TargetId target : targets) {
          kernels.add(cache.getOrCompileAsync(source, target));
        }
      }
      missing = kernels.stream().filter(ManyKernels::isMissing).count();
      end = System.nanoTime();
    }
    System.out.printf(
        "%d kernels, %d missing, %d ns, %d ns%n",
        kernels.size() - missing, missing, end - begin, System.nanoTime() - end);
  }

  private static boolean isMissing(CompletableFuture<CodeObject> kernel) {
    try {
      kernel.join();
      return false;
    } catch (CompletionException e) {
      if (e.getCause() instanceof CacheMissException) {
        return true;
      }
      throw e;
    }
  }

  /** Returns the words of a command that gets pairs some times, in a new process. */
  static List<String> words(Pairs pairs, int rounds, String... options) {
    List<String> words = new ArrayList<>(List.of(Tools.java()));
    words.addAll(List.of(options));
    words.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            ManyKernels.class.getName(),
            String.valueOf(rounds),
            String.join(",", pairs.targets())));
    pairs.sources().forEach(source -> words.add(source.toString()));
    return words;
  }

  /**
   * What it printed.
   *
   * @param seconds until the last kernel was there
   * @param closing the seconds that it took to close the cache
   */
  record Printed(double seconds, double closing) {
    private static final Pattern LINE =
        Pattern.compile("(\\d+) kernels, (\\d+) missing, (\\d+) ns, (\\d+) ns");

    /**
     * Reads what it printed of a round.
     *
     * @throws CommandFailedException if there were not as many kernels
     */
    static Printed of(String output, int round, int kernels, int missing) {
      MatchResult line =
          LINE.matcher(output)
              .results()
              .skip(round)
              .findFirst()
              .filter(
                  found ->
                      Integer.parseInt(found.group(1)) == kernels
                          && Integer.parseInt(found.group(2)) == missing)
              .orElseThrow(
                  () ->
                      new CommandFailedException(
                          "expected %d kernels and %d missing, not: %s"
                              .formatted(kernels, missing, output.strip())));
      return new Printed(Long.parseLong(line.group(3)) / 1e9, Long.parseLong(line.group(4)) / 1e9);
    }
  }
}
