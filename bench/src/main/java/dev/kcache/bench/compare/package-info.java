// SPDX-License-Identifier: Apache-2.0
/** Measures kcache beside its alternatives: {@code bench/compare}. */
@org.jspecify.annotations.NullMarked
package dev.kcache.bench.compare;
