// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.TargetId;
import java.util.List;

/**
 * What one element of {@code --arch} stands for. A type of its own, since picocli takes a list that
 * a converter returns apart.
 *
 * @param targets the target IDs, in order
 */
record TargetGroup(List<TargetId> targets) {}
