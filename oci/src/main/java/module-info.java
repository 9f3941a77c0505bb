// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Kernels as container images, by Jib. */
@NullMarked
module dev.kcache.oci {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.cache;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.databind; // whose annotations Jib's classes have
  requires com.google.cloud.tools.jib;
  requires com.google.cloud.tools.jib.api.buildplan;
  requires org.apache.commons.compress;

  exports dev.kcache.oci;
}
