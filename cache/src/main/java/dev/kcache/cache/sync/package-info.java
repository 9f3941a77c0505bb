// SPDX-License-Identifier: Apache-2.0
/** Copies of entries between cache directories, layers and remotes. */
@org.jspecify.annotations.NullMarked
package dev.kcache.cache.sync;
