// SPDX-License-Identifier: Apache-2.0
/** JMH benchmarks of hits, each beside the least that anybody could do in its place. */
@org.jspecify.annotations.NullMarked
package dev.kcache.bench.hits;
