// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** For the tests of applications: a GPU in Java, and a cache in memory. */
@NullMarked
module dev.kcache.testing {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.cache;
  requires transitive dev.kcache.hip;

  exports dev.kcache.testing;

  uses dev.kcache.testing.StandInSetup;

  provides dev.kcache.hip.binding.StandInProvider with
      dev.kcache.testing.ProcessStandIn;
}
