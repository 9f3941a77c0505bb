// SPDX-License-Identifier: Apache-2.0

/** Redis as a remote of a cache: it is there as soon as the artifact is on the class path. */
@Experimental
package dev.kcache.redis;

import dev.kcache.codeobject.Experimental;
