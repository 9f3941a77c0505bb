// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Variables that have the address of a kernel, as each compiler and linker writes them. */
class KernelAddressesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/kernels/instances-gfx90a.co",
        "/kernels/instances-default-gfx90a.co",
        "/nvidia/instances-sm_75.cubin",
        "/nvidia/instances-sm_90.cubin",
        "/nvidia/instances-compute_90.ptx"
      })
  void kernel_isFoundByTheVariableThatHasItsAddress(String image) {
    CodeObject code = CodeObject.parse(Fixtures.resource(image));

    assertThat(code.kernels())
        .extracting(KernelMetadata::name)
        .containsExactlyInAnyOrder("_Z4fillIfEvPT_S0_", "plain");
    assertThat(code.kernelInVariable("of_instance")).contains("_Z4fillIfEvPT_S0_");
    assertThat(code.kernelInVariable("of_plain")).contains("plain");
    for (String other :
        new String[] {"of_number", "of_nothing", "of_a_number", "number", "of_", "", "plain"}) {
      assertThat(code.kernelInVariable(other)).as(other).isEmpty();
    }
  }
}
