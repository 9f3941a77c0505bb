// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import java.util.List;

/**
 * What became of a revocation.
 *
 * @param serial the number of the list that has it
 * @param places where that list is now
 * @param problems why it is nowhere else
 */
public record Published(long serial, List<String> places, List<String> problems) {}
