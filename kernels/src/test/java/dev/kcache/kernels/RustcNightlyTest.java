// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.Map;
import java.util.Optional;

/** A nightly rustc of rustup's, which needs no unlocking; if this machine has one. */
class RustcNightlyTest extends RustContract {
  @Override
  Optional<Map<String, String>> variables() {
    return Rustcs.nightly().map(rustc -> Map.of("KCACHE_RUSTC", rustc.toString()));
  }
}
