// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Variables that lead to the compiler and its files, or that have no effect. */
class PlacesCheckTest {
  private static final List<String> NAMES =
      List.of("KCACHE_COMPILER", "KCACHE_HIPCC", "ROCM_PATH", "HIP_CLANG_PATH");

  @TempDir private Path directory;

  @Test
  void placesThatAreThere_areWell() {
    assertThat(checks("hipcc", Map.of("KCACHE_HIPCC", "" + directory, "ROCM_PATH", "" + directory)))
        .containsExactly(
            Check.ok(
                "places",
                "the compiler and its files are looked for in KCACHE_HIPCC='%1$s', ROCM_PATH='%1$s'"
                    .formatted(directory)));
  }

  @Test
  void programOfACompilerThatIsNotUsed_isAWarning() {
    assertThat(checks("llvm", Map.of("KCACHE_COMPILER", "" + directory)))
        .containsExactly(
            Check.warn(
                "places",
                "KCACHE_COMPILER='" + directory + "' has no effect, since llvm is used",
                "unset KCACHE_COMPILER"));
  }

  @Test
  void oldNameBesideTheNewOne_isAWarning() {
    assertThat(
            checks("amdclang", Map.of("KCACHE_COMPILER", "" + directory, "KCACHE_HIPCC", "/old")))
        .containsExactly(
            Check.ok(
                "places",
                "the compiler and its files are looked for in KCACHE_COMPILER='" + directory + "'"),
            Check.warn(
                "places",
                "KCACHE_HIPCC='/old' has no effect beside KCACHE_COMPILER",
                "unset KCACHE_HIPCC, its old name"));
  }

  @Test
  void placeThatIsMissing_isAWarningUnlessAnotherCheckHasSaidSo() {
    Map<String, String> missing = Map.of("HIP_CLANG_PATH", "/missing", "ROCM_PATH", "/missing");

    assertThat(checks("hipcc", missing))
        .containsExactly(
            Check.warn(
                "places",
                "HIP_CLANG_PATH='/missing' does not exist",
                "correct HIP_CLANG_PATH or unset it"));
    assertThat(new PlacesCheck(missing, NAMES, Optional.empty()).checks(true)).isEmpty();
  }

  @Test
  void programOfThePath_isNotLookedForHere() {
    PlacesCheck check =
        new PlacesCheck(Map.of("NVCC_CCBIN", "g++-9"), List.of("NVCC_CCBIN"), Optional.of("nvcc"));

    assertThat(check.checks(false)).extracting(Check::status).containsExactly(Check.Status.OK);
  }

  private static List<Check> checks(String used, Map<String, String> environment) {
    return new PlacesCheck(environment, NAMES, Optional.of(used)).checks(false);
  }
}
