// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** What a code object is: target IDs, ELF images, offload bundles. Bytes only, no I/O. */
@NullMarked
module dev.kcache.codeobject {
  requires com.github.luben.zstd_jni;
  requires static transitive org.jspecify;

  exports dev.kcache.codeobject;
}
