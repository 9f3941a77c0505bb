// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;

/**
 * One piece of a prewarm's work: a source and a target to have a code object for.
 *
 * @param label the source as the user knows it: the file as it was given, or the catalogue's name
 * @param source the source
 * @param target the target
 */
record Task(String label, KernelSource source, TargetId target) {}
