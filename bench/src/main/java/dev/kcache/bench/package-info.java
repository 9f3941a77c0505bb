// SPDX-License-Identifier: Apache-2.0
/** Benchmarks of kcache beside C programs that do the same. */
@org.jspecify.annotations.NullMarked
package dev.kcache.bench;
