// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;

/** Any bytes are a code object or refused; see {@code scripts/fuzz elf}. */
class CodeObjectFuzzTest {
  @DictionaryEntries({
    // The numbers where sums and casts go wrong, and the words without which little is accepted.
    "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x7f",
    "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x80",
    "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff",
    "\\xff\\xff\\xff\\x7f",
    "\\xff\\xff\\xff\\xff",
    "\\x7fELF",
    ".kd",
    "AMDGPU\\x00"
  })
  @FuzzTest
  void parse(byte[] image) {
    Invariants.checkAny(image);
  }
}
