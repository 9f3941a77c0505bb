// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Whether the files that compiles read are what they were, and what is remembered of that.
 *
 * <p>Safe for use by any number of threads.
 */
public final class UnchangedFiles {
  private final FileDigests digests;
  private final ProbeCache memo;
  private final InstantSource clock;

  public UnchangedFiles(FileDigests digests, ProbeCache memo, InstantSource clock) {
    this.digests = digests;
    this.memo = memo;
    this.clock = clock;
  }

  /** As {@link Toolchain#hasUnchanged}. */
  public boolean have(List<Toolchain.File> files) {
    boolean unchanged = digests.areUnchanged(files);
    digests.save();
    return unchanged;
  }

  /**
   * As {@link Toolchain#rememberUnchanged}. The stamps have to be older than any look at the files
   * that told their digests.
   */
  public void remember(Digest list, List<Toolchain.File> files) {
    Set<Path> paths = new LinkedHashSet<>();
    for (Toolchain.File file : files) {
      paths.add(Path.of(file.path()));
    }
    ProbeResult known =
        ProbeResult.dependingOn(paths, List.of(), clock.instant().minus(FileStamps.INTERVAL));
    if (known.settled()) {
      memo.writeStamps(list, known);
    }
  }

  /** As {@link Toolchain#isStillUnchanged}. */
  public boolean areStill(Digest list) {
    Optional<ProbeResult> known = memo.readStamps(list);
    return known.isPresent() && known.get().holds();
  }
}
