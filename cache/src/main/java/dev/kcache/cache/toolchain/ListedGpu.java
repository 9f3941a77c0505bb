// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import java.util.Optional;

/**
 * A GPU as a tool lists it, not yet checked.
 *
 * @param target such as {@code gfx90a:sramecc+:xnack-}; perhaps of a processor that is unknown here
 * @param name the marketing name; perhaps empty
 * @param uuid empty for a device that has none
 */
record ListedGpu(String target, String name, Optional<String> uuid) {
  /** Returns the target with the name, for a message. */
  String describe() {
    return name.isEmpty() ? target : target + " (" + name + ")";
  }
}
