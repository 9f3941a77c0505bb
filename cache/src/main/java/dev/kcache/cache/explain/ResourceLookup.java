// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.explain;

import java.util.Optional;

/**
 * What a request finds on the class path.
 *
 * @param name the name of the resource that its record would be
 * @param url where that is; empty if the class path has none that may serve
 */
public record ResourceLookup(String name, Optional<String> url) {}
