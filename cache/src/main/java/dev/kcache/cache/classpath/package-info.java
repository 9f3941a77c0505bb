// SPDX-License-Identifier: Apache-2.0
/** Entries that lie as resources on the class path. */
@org.jspecify.annotations.NullMarked
package dev.kcache.cache.classpath;
