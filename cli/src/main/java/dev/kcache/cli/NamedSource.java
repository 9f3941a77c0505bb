// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.KernelSource;

/**
 * A source and how the user calls it.
 *
 * @param label the file as it was given, or the name in the catalogue
 * @param source the source
 */
record NamedSource(String label, KernelSource source) {}
