// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Platform;
import org.junit.jupiter.api.Test;

class HipLibraryTest {
  @Test
  void fault_endsTheProcessByHsaAlone_whichWindowsHasNot() {
    assertThat(HipLibrary.endsProcessAtFault(Platform.AMD, false)).isTrue();
    assertThat(HipLibrary.endsProcessAtFault(Platform.AMD, true)).isFalse();
    assertThat(HipLibrary.endsProcessAtFault(Platform.NVIDIA, false)).isFalse();
  }
}
