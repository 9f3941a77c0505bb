// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.ToolchainCandidate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The check of {@code kcache doctor} of which compilers there are, and why one of them is in use.
 *
 * @param wanted the name of the compiler that is asked for, if one is
 * @param origin who asks for it, such as {@code KCACHE_TOOLCHAIN=nvcc}
 * @param all the compilers of the platform, in the order in which they are taken
 */
record ToolchainsCheck(
    Platform platform, Optional<String> wanted, String origin, List<ToolchainCandidate> all) {
  private static final String NAME = "toolchains";
  private static final String VARIABLE = "KCACHE_TOOLCHAIN";

  /** Asks each compiler of a platform, which may start processes. */
  static ToolchainsCheck of(
      CacheManager cache, Map<String, String> environment, Platform platform) {
    Optional<String> wanted = cache.wantedToolchain();
    String name = wanted.orElse("");
    boolean byVariable = name.equals(environment.getOrDefault(VARIABLE, ""));
    return new ToolchainsCheck(
        platform,
        wanted,
        (byVariable ? VARIABLE + "=" : "--toolchain ") + name,
        cache.toolchains(platform));
  }

  /** Returns the name of the compiler in use; empty if there is none, or if it is a builder's. */
  Optional<String> used() {
    return all.stream()
        .filter(each -> each.used() && each.present())
        .map(ToolchainCandidate::name)
        .findFirst();
  }

  /** A compiler of the other platform may be asked for: then this platform's own serves. */
  Check check() {
    Optional<String> used = used();
    String names =
        all.stream()
            .map(each -> each.name() + " (" + state(each) + ")")
            .collect(Collectors.joining(", "));
    if (used.isEmpty()) {
      // What is missing, the check of the compiler says.
      return Check.note(NAME, names);
    }
    if (wanted.isEmpty() || wanted.equals(used)) {
      return Check.ok(NAME, names);
    }
    boolean amd = platform == Platform.AMD;
    return Check.warn(
        NAME,
        "%s does not compile for %s targets, for which %s is used: %s"
            .formatted(origin, amd ? "AMD's" : "NVIDIA's", used.get(), names),
        amd
            ? "name a target of NVIDIA's such as KCACHE_ARCH=sm_90, or ask for a compiler of AMD's"
            : "name a target of AMD's such as KCACHE_ARCH=gfx90a, or ask for a compiler of"
                + " NVIDIA's");
  }

  private String state(ToolchainCandidate candidate) {
    String there =
        candidate
            .pending()
            .map("not there yet: "::concat)
            .orElse(candidate.present() ? "there" : "not there");
    if (!candidate.used()) {
      return there;
    }
    return wanted.filter(candidate.name()::equals).isPresent()
        ? "asked for, " + there
        : "in use, " + candidate.pending().map(unused -> there).orElse("the first that is there");
  }
}
