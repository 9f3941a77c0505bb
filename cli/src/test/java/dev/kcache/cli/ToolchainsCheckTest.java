// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.ToolchainCandidate;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who asks for a compiler, and what is used. */
class ToolchainsCheckTest {
  private static final ToolchainCandidate NVCC =
      new ToolchainCandidate("nvcc", true, true, "", Optional.empty());
  private static final ToolchainCandidate LLVM =
      new ToolchainCandidate("llvm", true, false, "", Optional.empty());

  @Test
  void nobodyAsks_isWell() {
    assertThat(check(Optional.empty(), NVCC, LLVM))
        .isEqualTo(Check.ok("toolchains", "nvcc (in use, the first that is there), llvm (there)"));
  }

  @Test
  void oneIsAskedForAndUsed_isWell() {
    assertThat(check(Optional.of("nvcc"), NVCC, LLVM))
        .isEqualTo(Check.ok("toolchains", "nvcc (asked for, there), llvm (there)"));
  }

  @Test
  void oneOfTheOtherPlatform_isAWarningWithWhatIsUsed() {
    assertThat(check(Optional.of("hipcc"), NVCC, LLVM))
        .isEqualTo(
            Check.warn(
                "toolchains",
                "--toolchain hipcc does not compile for NVIDIA's targets, for which nvcc is used:"
                    + " nvcc (in use, the first that is there), llvm (there)",
                "name a target of AMD's such as KCACHE_ARCH=gfx90a, or ask for a compiler of"
                    + " NVIDIA's"));
  }

  @Test
  void oneThatIsGotLater_isNotThereYet() {
    Optional<String> how = Optional.of("Maven gets its 147 MB");
    assertThat(check(Optional.empty(), NVCC, new ToolchainCandidate("llvm", true, false, "", how)))
        .isEqualTo(
            Check.ok(
                "toolchains",
                "nvcc (in use, the first that is there), llvm (not there yet: Maven gets its 147"
                    + " MB)"));
    assertThat(check(Optional.empty(), new ToolchainCandidate("llvm", true, true, "", how)))
        .isEqualTo(Check.ok("toolchains", "llvm (in use, not there yet: Maven gets its 147 MB)"));
  }

  @Test
  void oneIsAskedForAndMissing_isANoteBesideTheCompilersOwnCheck() {
    assertThat(
            check(
                Optional.of("nvcc"),
                new ToolchainCandidate("nvcc", false, true, "", Optional.empty()),
                LLVM))
        .isEqualTo(Check.note("toolchains", "nvcc (asked for, not there), llvm (there)"));
  }

  private static Check check(Optional<String> wanted, ToolchainCandidate... all) {
    String origin = "--toolchain " + wanted.orElse("");
    return new ToolchainsCheck(Platform.NVIDIA, wanted, origin, List.of(all)).check();
  }
}
