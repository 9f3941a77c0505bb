// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The check of {@code kcache doctor} of which of two compilers hipcc would start. */
final class PlatformCheck {
  private static final String NAME = "platform";
  private static final String VARIABLE = "HIP_PLATFORM";

  private PlatformCheck() {}

  /** Returns a check if {@code HIP_PLATFORM} is against the target, or if its absence is. */
  static Optional<Check> of(Map<String, String> environment, Platform platform) {
    if (platform != Platform.AMD) {
      return Optional.empty();
    }
    Optional<Platform> named = Platform.named(environment.getOrDefault(VARIABLE, ""));
    if (named.isEmpty()) {
      return Environment.program("nvcc", new Environment(environment).searchPath())
          .map(PlatformCheck::nvcc);
    }
    return named.filter(each -> each != platform).isEmpty()
        ? Optional.empty()
        : Optional.of(
            Check.warn(
                NAME,
                "%s=%s, but the target is AMD's: GPUs and runtime are looked for among NVIDIA's"
                    .formatted(VARIABLE, environment.get(VARIABLE)),
                "unset " + VARIABLE + ", or name a target of NVIDIA's such as sm_90"));
  }

  /** Returns whether {@code HIP_PLATFORM} names no platform, which the compiler's check tells. */
  static boolean isUnknown(Map<String, String> environment) {
    return KcacheVariables.isSet(VARIABLE, environment)
        && Platform.named(environment.getOrDefault(VARIABLE, "")).isEmpty();
  }

  /** HIP 5.2's hipcc was seen to take nvcc as soon as there is one in PATH. */
  private static Check nvcc(Path nvcc) {
    return Check.note(
        NAME,
        "hipcc started by hand may take %s, unless %s=amd is set; kcache sets it for its compiles"
            .formatted(nvcc, VARIABLE));
  }
}
