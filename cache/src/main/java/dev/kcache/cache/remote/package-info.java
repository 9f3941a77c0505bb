// SPDX-License-Identifier: Apache-2.0

/** What brings a remote engine behind the cache directory, such as Redis: one artifact for each. */
@Experimental
package dev.kcache.cache.remote;

import dev.kcache.codeobject.Experimental;
