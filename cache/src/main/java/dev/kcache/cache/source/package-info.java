// SPDX-License-Identifier: Apache-2.0

/** Source text: which files a source includes, and whether it can be keyed. */
package dev.kcache.cache.source;
