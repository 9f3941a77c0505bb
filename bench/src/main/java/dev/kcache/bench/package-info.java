// SPDX-License-Identifier: Apache-2.0
/** Benchmarks of kcache beside equivalent C programs. */
@org.jspecify.annotations.NullMarked
package dev.kcache.bench;
