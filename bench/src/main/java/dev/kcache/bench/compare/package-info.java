// SPDX-License-Identifier: Apache-2.0
/** Measures kcache beside what a user would pick instead: {@code bench/compare}. */
@org.jspecify.annotations.NullMarked
package dev.kcache.bench.compare;
