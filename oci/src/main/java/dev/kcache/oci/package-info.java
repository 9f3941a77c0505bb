// SPDX-License-Identifier: Apache-2.0

/** Kernels as container images, in registries and in files. */
@Experimental
package dev.kcache.oci;

import dev.kcache.codeobject.Experimental;
