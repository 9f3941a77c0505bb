// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.explain;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.ToolchainLabel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Whether a request is a hit, and if not, why.
 *
 * <pre>{@code
 * Explanation explanation = cache.explain(source, TargetId.parse("gfx90a"));
 * if (!explanation.isHit()) {
 *   for (NearEntry near : explanation.nearest()) {
 *     near.differences().forEach(difference -> System.err.println(difference.text()));
 *   }
 * }
 * }</pre>
 *
 * @param request what is asked for
 * @param encoding each field of the request in the order in which it is digested, as {@code text
 *     VALUE} or {@code number VALUE}
 * @param label under which it is looked up first; empty if there is neither a compiler nor a
 *     version that is set
 * @param toolchain the identity that an entry must have; empty if any will do
 * @param path of its record in the manager's own directory, or of the directory that holds the
 *     records of any toolchain; empty without a label or a directory
 * @param resource what the class path has, which serves before any directory
 * @param hits the entries that may serve, in the order in which they are taken
 * @param nearest if there is no hit, the entries that are most like the request, the nearest first;
 *     none if none has a file or a name in common with it
 */
public record Explanation(
    RequestFields request,
    List<String> encoding,
    Optional<ToolchainLabel> label,
    Optional<Digest> toolchain,
    Optional<Path> path,
    ResourceLookup resource,
    List<NearEntry> hits,
    List<NearEntry> nearest) {
  /**
   * Copies the lists.
   *
   * @param request as {@link #request()}
   * @param encoding as {@link #encoding()}; copied
   * @param label as {@link #label()}
   * @param toolchain as {@link #toolchain()}
   * @param path as {@link #path()}
   * @param resource as {@link #resource()}
   * @param hits as {@link #hits()}; copied
   * @param nearest as {@link #nearest()}; copied
   */
  public Explanation {
    encoding = List.copyOf(encoding);
    hits = List.copyOf(hits);
    nearest = List.copyOf(nearest);
  }

  /** {@return whether the request is a hit: the class path has what serves, or a directory has} */
  public boolean isHit() {
    return resource.url().isPresent() || !hits.isEmpty();
  }
}
