// SPDX-License-Identifier: Apache-2.0
/** JMH benchmarks of hits, each beside the minimal work in its place. */
@org.jspecify.annotations.NullMarked
package dev.kcache.bench.hits;
