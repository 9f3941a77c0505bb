// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of a source for one target, and what is not believed for another. */
class LibraryUsersTest {
  private static final String SOURCE = "__global__ void f(float* p) { *p = tanhf(*p); }\n";

  private final LibraryUsers users = new LibraryUsers();

  private static Toolchain.Job job(String target, String text, String... options) {
    Toolchain.SourceFile file =
        new Toolchain.SourceFile("src/x.hip", UTF_8.encode(text).asReadOnlyBuffer());
    return new Toolchain.Job(
        Digest.of((target + text).getBytes(UTF_8)),
        new StagedSource("x.hip", Map.of(), file.path(), List.of(file), List.of()),
        TargetId.parse(target),
        List.of(options),
        Duration.ofMinutes(1));
  }

  @Test
  void contains_sameSourceForAnotherTarget_isKnown() {
    users.add(job("gfx90a", SOURCE, "-O3"));

    assertThat(users.contains(job("gfx90a", SOURCE, "-O3"))).isTrue();
    assertThat(users.contains(job("gfx1030", SOURCE, "-O3"))).isTrue();
  }

  @Test
  void contains_anythingElse_isNotKnown() {
    assertThat(users.contains(job("gfx90a", SOURCE))).isFalse();

    users.add(job("gfx90a", SOURCE, "-O3"));

    assertThat(users.contains(job("gfx90a", SOURCE + " ", "-O3"))).isFalse();
    assertThat(users.contains(job("gfx90a", SOURCE, "-O2"))).isFalse();
    assertThat(users.contains(job("gfx90a", SOURCE, "-O3", "-DX"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#ifdef __gfx90a__",
        "#if defined(__GFX9__)",
        "#if __AMDGCN_WAVEFRONT_SIZE == 64",
        "#ifdef __amdgcn_feature_xnack__",
        "#if __has_builtin(__builtin_trap)",
        "#ifdef FP_FAST_FMAF",
        "#ifdef __HIP_NO_IMAGE_SUPPORT",
      })
  void add_sourceThatCanTellTargets_isNeverKnown(String line) {
    Toolchain.Job job = job("gfx90a", line + "\n#endif\n" + SOURCE);

    users.add(job);

    assertThat(users.contains(job)).isFalse();
  }

  @Test
  void add_optionThatCanTellTargets_isNeverKnown() {
    Toolchain.Job job = job("gfx90a", SOURCE, "-DNEW=__GFX12__");

    users.add(job);

    assertThat(users.contains(job)).isFalse();
  }
}
