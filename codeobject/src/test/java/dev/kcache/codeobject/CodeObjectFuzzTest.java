// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Any bytes are a code object or refused; see {@code scripts/fuzz elf}. */
class CodeObjectFuzzTest {
  @FuzzTest(maxDuration = "60s", maxExecutions = 50_000)
  void parse(byte[] image) {
    CodeObject code;
    try {
      code = CodeObject.parse(image);
    } catch (MalformedCodeObjectException e) {
      Invariants.checkRefusal(e, image.length);
      return;
    }
    Invariants.check(code, image);
  }
}
