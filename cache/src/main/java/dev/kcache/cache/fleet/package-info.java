// SPDX-License-Identifier: Apache-2.0
/** Entries in remotes: what they are kept as, and how they are asked. */
@org.jspecify.annotations.NullMarked
package dev.kcache.cache.fleet;
