// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Where ROCm is: its compilers, libraries and tools. Looks at files and runs nothing. */
@NullMarked
module dev.kcache.rocm {
  requires static transitive org.jspecify;

  exports dev.kcache.rocm;
}
