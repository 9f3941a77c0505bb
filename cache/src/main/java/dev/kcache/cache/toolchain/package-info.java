// SPDX-License-Identifier: Apache-2.0

/** The compiler: finding it, knowing it, running it; and finding the target. */
package dev.kcache.cache.toolchain;
