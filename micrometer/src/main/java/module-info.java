// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Meters of a cache for Micrometer. */
@NullMarked
@SuppressWarnings("requires-transitive-automatic") // Micrometer has no module descriptor.
module dev.kcache.micrometer {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.cache;
  requires transitive micrometer.core;

  exports dev.kcache.micrometer;
}
