// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.trace;

import dev.kcache.cache.explain.RequestFields;

/**
 * A request as a trace has it.
 *
 * @param fields what was asked for
 * @param hit whether the cache had it when it was first asked for
 */
public record TracedRequest(RequestFields fields, boolean hit) {}
