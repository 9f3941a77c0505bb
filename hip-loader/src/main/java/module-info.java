// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Code object in, running kernel out: needs a GPU's driver, and neither cache nor compiler. */
@NullMarked
@SuppressWarnings("module") // the binding is exported to a module that is built after this one
module dev.kcache.hip {
  requires jdk.jfr;
  requires static transitive org.jspecify;
  requires transitive dev.kcache.codeobject;
  requires dev.kcache.rocm;
  requires com.sun.jna;

  exports dev.kcache.hip;
  exports dev.kcache.hip.binding to
      dev.kcache.testing;

  uses dev.kcache.hip.binding.StandInProvider;

  // JNA makes a callback of what stands in for a function that the library lacks.
  opens dev.kcache.hip.binding to
      com.sun.jna;
  opens dev.kcache.hip.fault to
      com.sun.jna;
  opens dev.kcache.hip.hsa to
      com.sun.jna;
}
