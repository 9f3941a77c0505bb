// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** The clang and lld behind the embedded LLVM. */
class LlvmLanguagesTest extends LanguageContract {
  @Override
  String name() {
    return "llvm";
  }
}
