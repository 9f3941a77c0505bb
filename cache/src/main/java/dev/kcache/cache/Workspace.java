// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.trust.PathTrust;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The directories in which the compiler works and its probe cache is kept.
 *
 * <p>The compiler works in the system's temporary directory: a cache directory may be on a full
 * disk or out of reach, and a compile must not fail for that. The probe cache is in the user's own
 * cache directory, also when results go into a layer, of which it must not become a part, or into a
 * directory that a group shares: kcache runs the commands that the probe cache names.
 *
 * <p>Safe for use by any number of threads.
 */
final class Workspace implements Supplier<Path> {
  /** Far more than a compile writes. */
  private static final long ROOM = 64L << 20;

  private final List<Path> temporary;
  private final Optional<DiskStore> own;

  /** Takes the system's temporary directories, the preferred one first. */
  Workspace(List<Path> temporary, Optional<DiskStore> own) {
    this.temporary = temporary;
    this.own = own;
  }

  /** Returns the workspace of a manager with a store in its cache directory. */
  static Workspace of(
      Map<String, String> environment, CacheSettings settings, Optional<DiskStore> store) {
    return new Workspace(
        directories(environment), settings.access() == Access.PRIVATE ? store : own(settings));
  }

  /** Returns a workspace without a cache, for programs that are no compilers. */
  static Workspace temporary(Map<String, String> environment) {
    return new Workspace(directories(environment), Optional.empty());
  }

  private static List<Path> directories(Map<String, String> environment) {
    Set<Path> temporary = new LinkedHashSet<>();
    CacheSettings.absolutePath(new Environment(environment), "TMPDIR", FileSystems.getDefault())
        .ifPresent(temporary::add);
    temporary.add(Path.of(System.getProperty("java.io.tmpdir")));
    return List.copyOf(temporary);
  }

  /** Returns the user's own directory, unless it is the one that is filled for others. */
  private static Optional<DiskStore> own(CacheSettings settings) {
    Optional<Path> root = settings.ownDirectory();
    return settings.disabled() || root.equals(settings.directory())
        ? Optional.empty()
        : root.map(own -> DiskStore.open(own, Access.PRIVATE));
  }

  /**
   * Returns the directory to make private directories in: one with room, if any. Warns once per
   * process if the preferred one is passed over because of what others could do there.
   *
   * @throws ToolchainNotFoundException if none serves
   */
  @Override
  public Path get() {
    Optional<Path> fit = fitStagingParent();
    Optional<String> objection = objection(temporary.get(0));
    if (objection.isPresent()) {
      Notices.warn(
          System.getLogger(Workspace.class.getName()),
          "temporary files are not made in " + temporary.get(0) + ": it " + objection.get());
    }
    return fit.orElseThrow(
        () ->
            new ToolchainNotFoundException(
                "cannot run a program: "
                    + fault().orElse("no temporary directory has room; set TMPDIR to one")));
  }

  /** As {@link #get}, but nothing if none has room. */
  Optional<Path> fitStagingParent() {
    return temporary.stream()
        .filter(directory -> hasRoom(directory) && objection(directory).isEmpty())
        .findFirst()
        .or(() -> own.flatMap(DiskStore::stagingParent).filter(Workspace::hasRoom));
  }

  /** Returns one line that says why the preferred directory does not serve, if it doesn't. */
  Optional<String> fault() {
    Path preferred = temporary.get(0);
    Optional<Path> fit = fitStagingParent();
    Optional<String> objection = objection(preferred);
    if (fit.isEmpty()) {
      return Optional.of(
          objection.isPresent()
              ? "no temporary directory serves: %s %s".formatted(preferred, objection.get())
              : "no temporary directory, %s, can be written and has %d MiB free; make room there or set TMPDIR to one that has"
                  .formatted(
                      temporary.stream().map(Path::toString).collect(Collectors.joining(" or ")),
                      ROOM >> 20));
    }
    if (fit.get().equals(preferred)) {
      return Optional.empty();
    }
    return Optional.of(
        "the compiler works in %s, since %s %s"
            .formatted(
                fit.get(),
                preferred,
                objection.orElse(
                    "cannot be written or has less than "
                        + (ROOM >> 20)
                        + " MiB free; make room there or set TMPDIR to another")));
  }

  /** Returns why others could exchange what is made in a directory, if they could. */
  private static Optional<String> objection(Path directory) {
    try {
      return PathTrust.objectionToMakingIn(directory.toAbsolutePath());
    } catch (IOException e) {
      // It has no room either.
      return Optional.empty();
    }
  }

  Optional<DiskStore> own() {
    return own;
  }

  ToolchainContext toolchainContext(
      Map<String, String> environment, boolean batch, Duration timeout) {
    return new ToolchainContext(
        environment,
        this,
        () -> own.flatMap(DiskStore::toolchainDirectory),
        memoDirectory(),
        batch,
        timeout);
  }

  Optional<Path> memoDirectory() {
    return own.flatMap(DiskStore::probeCacheDirectory);
  }

  /** By way of {@link java.io.File}: a chroot often lacks the mount table that NIO looks into. */
  private static boolean hasRoom(Path directory) {
    return Files.isDirectory(directory)
        && Files.isWritable(directory)
        && directory.toFile().getUsableSpace() >= ROOM;
  }
}
