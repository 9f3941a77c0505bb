// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Source in, code object out: works wherever a compiler runs, needs no GPU. */
@NullMarked
module dev.kcache.cache {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.codeobject;
  requires com.fasterxml.jackson.core;
  requires com.github.benmanes.caffeine;

  exports dev.kcache.cache;
}
