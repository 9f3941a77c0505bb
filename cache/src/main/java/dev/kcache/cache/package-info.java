// SPDX-License-Identifier: Apache-2.0

/** The kernel cache: a facade over memory, disk and compiler, and the values it deals in. */
package dev.kcache.cache;
