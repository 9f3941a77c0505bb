// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** The clang and lld behind ROCm's hipcc. */
class HipccLanguagesTest extends LanguageContract {
  @Override
  String name() {
    return "hipcc";
  }
}
