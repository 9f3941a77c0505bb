// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;

/** Any bytes are a cubin, PTX, or refused; see {@code scripts/fuzz nvidia}. */
class NvidiaImageFuzzTest {
  @DictionaryEntries({
    // The numbers where sums and casts go wrong, and the words without which little is accepted.
    "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x7f",
    "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff",
    "\\xff\\xff\\xff\\x7f",
    "\\x04\\x17\\x0c\\x00",
    "\\x04\\x05\\x0c\\x00",
    ".nv.info.",
    ".nv.shared.",
    ".version 8.0",
    ".target sm_90",
    ".address_size 64",
    ".entry",
    ".param",
    ".align",
    ".b8",
    ".shared",
    ".maxntid",
    "/*",
    "*/",
    "\\x22"
  })
  @FuzzTest
  void parse(byte[] image) {
    Invariants.checkAny(image);
  }
}
