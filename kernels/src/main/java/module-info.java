// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Source in, running kernel out; and the shipped kernels, as HIP source, with their catalogue. */
@NullMarked
module dev.kcache.kernels {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.cache;
  requires transitive dev.kcache.hip;

  exports dev.kcache.kernels;

  // The cache reads the shipped sources as resources of this package.
  opens dev.kcache.kernels to
      dev.kcache.cache;
}
