// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.language;

import dev.kcache.codeobject.CodeObject;
import java.util.Optional;

/** What a code object needs that HIP's own compiler always gives it. */
final class CodeObjectRules {
  /** Older ones fix every feature of their target, whatever was asked for. */
  static final int OLDEST = 4;

  private CodeObjectRules() {}

  /**
   * Returns why a code object is refused.
   *
   * @param advice what to do about one without kernels
   */
  static Optional<String> check(CodeObject code, String advice) {
    if (code.abiVersion() < OLDEST) {
      return Optional.of(
          "the source asks for code object version "
              + code.abiVersion()
              + ", which is too old; ask for version 4, 5 or 6");
    }
    return code.kernels().isEmpty()
        ? Optional.of("the result has no kernel; " + advice)
        : Optional.empty();
  }
}
