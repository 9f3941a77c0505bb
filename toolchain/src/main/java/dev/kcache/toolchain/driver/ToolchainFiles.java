// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.util.Objects.requireNonNull;

import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.probe.FileDigests;
import dev.kcache.toolchain.probe.FileStamps;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.ProbeCache;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * The contents of a toolchain's own files, by their digests. A file is read once: later processes
 * know its digest for as long as its stamp is what it was.
 *
 * <p>Safe for use by any number of threads.
 */
public final class ToolchainFiles {
  private final FileDigests digests;

  /**
   * Reads nothing yet.
   *
   * @param context says where digests are remembered
   */
  public ToolchainFiles(ToolchainContext context) {
    requireNonNull(context, "context");
    digests =
        new FileDigests(
            ProbeCache.in(context.memoDirectory(), Host.local()),
            new FileStamps(InstantSource.system()));
  }

  /**
   * {@return files with their contents; without those that can't be read}
   *
   * @param files absolute paths
   */
  public List<Toolchain.File> read(List<Path> files) {
    requireNonNull(files, "files");
    List<Toolchain.File> read = new ArrayList<>();
    for (Path file : files) {
      digests
          .digest(file)
          .ifPresent(digest -> read.add(new Toolchain.File(file.toString(), digest)));
    }
    digests.save();
    return read;
  }

  /**
   * {@return whether every one of {@code files} still has the content that it is listed with}
   *
   * @param files absolute paths with the digests of earlier contents
   */
  public boolean areUnchanged(List<Toolchain.File> files) {
    requireNonNull(files, "files");
    boolean unchanged = digests.areUnchanged(files);
    digests.save();
    return unchanged;
  }

  /**
   * As {@link #areUnchanged}, for many files: looks at each anew, on all processors.
   *
   * @param files absolute paths with the digests of earlier contents
   * @return whether each file has the content that it is listed with
   */
  public boolean areSound(List<Toolchain.File> files) {
    requireNonNull(files, "files");
    digests.readAhead(files.stream().map(Toolchain.File::path).toList());
    return areUnchanged(files);
  }
}
