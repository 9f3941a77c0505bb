// SPDX-License-Identifier: Apache-2.0

/** Finding compilers, hipcc and nvcc among them; what other rooms with a compiler build upon. */
@Experimental
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Experimental;
