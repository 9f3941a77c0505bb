// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.kcache.codeobject.KernelMetadata.Registers;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KernelNamesTest {
  private static final CodeObject CODE =
      CodeObject.parse(Fixtures.resource("/kernels/hipcc-5.2-gfx90a.co"));

  @Test
  void kernel_ofACodeObject_isFoundByEitherName() {
    assertThat(CODE.kernel("vadd").name()).isEqualTo("vadd");
    assertThat(CODE.kernel("scratch"))
        .isSameAs(CODE.kernel("_Z7scratchIfEvPT_i"))
        .isIn(CODE.kernels());
  }

  @Test
  void kernel_thatIsNotThere_namesThoseThatAre() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CODE.kernel("vsub"))
        .withMessage(
            "there is no kernel vsub in the code object; it has _Z7scratchIfEvPT_i, reverse, vadd");
    assertThatNullPointerException().isThrownBy(() -> CODE.kernel(null)).withMessage("name");
  }

  @ParameterizedTest
  @CsvSource({
    "vadd,        vadd",
    "vsub,        _Z4vsubPKfS0_Pfi",
    "my::vmul,    _ZN2my4vmulEPKfS1_Pfi",
    "my::vinst,   _ZN2my5vinstIfEEvPT_",
    "_Z4vsubPKfS0_Pfi, _Z4vsubPKfS0_Pfi"
  })
  void find_knowsMangledNames(String wanted, String found) {
    List<KernelMetadata> kernels =
        kernels(
            "vadd",
            "_Z4vaddPf",
            "_Z4vsubPKfS0_Pfi",
            "_ZN2my4vmulEPKfS1_Pfi",
            "_ZN2my4vmul5innerEPf",
            "_ZN2my5vinstIfEEvPT_");

    assertThat(KernelNames.find(wanted, kernels).name()).isEqualTo(found);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "::", "vmul", "my", "vsu", "vsubP", "inner", "Z4vsub", "4vsub"})
  void find_ofWhatIsNoName_isRefused(String wanted) {
    List<KernelMetadata> kernels = kernels("_Z4vsubPKfS0_Pfi", "_ZN2my4vmul5innerEPf");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> KernelNames.find(wanted, kernels))
        .withMessageStartingWith("there is no kernel " + wanted + " in the code object; it has _Z");
  }

  @Test
  void find_ofSeveral_asksForOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KernelNames.find("f", kernels("_Z1fPf", "_Z1fIdEvPT_")))
        .withMessage(
            "there are several kernels f in the code object; choose one of _Z1fIdEvPT_, _Z1fPf");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KernelNames.find("f", kernels()))
        .withMessage("there is no kernel f in the code object; it has none");
  }

  private static List<KernelMetadata> kernels(String... names) {
    return Stream.of(names)
        .map(
            name ->
                new KernelMetadata(
                    name,
                    name + ".kd",
                    List.of(),
                    0,
                    8,
                    new Registers(0, 0, 0, 0, 0),
                    0,
                    0,
                    false,
                    64,
                    1024,
                    Optional.empty(),
                    Optional.empty()))
        .toList();
  }
}
