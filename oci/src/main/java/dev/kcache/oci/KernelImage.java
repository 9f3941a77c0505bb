// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.sync.EntryPlace;
import dev.kcache.cache.sync.EntrySync;
import dev.kcache.cache.sync.SyncListener;
import dev.kcache.cache.sync.SyncResult;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A container image with kernels: in a registry, or in a file as {@code skopeo} and {@code podman}
 * read and write it. It has a layer for each target and label, so that an image with one more
 * target shares all other layers, and the folder {@code io.kcache.cache}, which is a layer of a
 * cache: a container that mounts it needs only {@code KCACHE_PATH}.
 *
 * <p>The same entries give the same bytes and the same digest. Credentials come from the files of
 * docker and podman. A registry has to speak TLS with a certificate that Java trusts, unless it is
 * on this machine. Safe for use by any number of threads.
 */
public final class KernelImage {
  private final Location location;
  private final Map<String, String> environment;

  private KernelImage(Location location, Map<String, String> environment) {
    this.location = location;
    this.environment = Map.copyOf(environment);
  }

  /**
   * {@return the image of a name, which need not exist} Nothing is asked for yet.
   *
   * @param name a file that ends in {@code .tar}, or a reference such as {@code
   *     registry.example.org/team/kernels:1}
   * @param environment the environment variables: {@code DOCKER_CONFIG} and {@code XDG_RUNTIME_DIR}
   *     tell where credentials are
   * @throws IllegalArgumentException if the name is neither
   */
  public static KernelImage named(String name, Map<String, String> environment) {
    requireNonNull(name, "name");
    requireNonNull(environment, "environment");
    return new KernelImage(Location.parse(name), environment);
  }

  /**
   * Writes the image, in place of what has its name. It has nothing but the entries of a directory.
   *
   * @param directory a cache directory or a layer; it is not changed
   * @param targets of which the entries are taken; all if there are none
   * @return what the image has
   * @throws IllegalArgumentException if the directory has no such entries
   * @throws ImageException if an entry is damaged, or the image can't be written
   */
  public ImageContents write(Path directory, Set<TargetId> targets) {
    return write(JibBuild.fromScratch(), directory, targets);
  }

  /**
   * Writes the image as {@link #write} does, on top of another: its layers stay, and the variable
   * {@code KCACHE_PATH} is set, so that a program in it finds the kernels.
   *
   * @param base the other image; a file has to be as {@code docker save} writes it
   * @param directory a cache directory or a layer; it is not changed
   * @param targets of which the entries are taken; all if there are none
   * @return what the image has of the directory
   * @throws IllegalArgumentException if the directory has no such entries, or there is no such base
   * @throws ImageException if an entry is damaged, the base can't be read or the image can't be
   *     written
   */
  public ImageContents writeOnto(KernelImage base, Path directory, Set<TargetId> targets) {
    requireNonNull(base, "base");
    requireNonNull(directory, "directory");
    requireNonNull(targets, "targets");
    return write(JibBuild.from(base.location, base.environment), directory, targets);
  }

  private ImageContents write(JibBuild build, Path directory, Set<TargetId> targets) {
    requireNonNull(directory, "directory");
    Set<TargetId> wanted = copy(targets);
    try (TemporaryDirectory temporary = new TemporaryDirectory()) {
      Path root = Files.createDirectory(temporary.resolve("cache"));
      Problems problems = new Problems();
      SyncResult copied = sync(directory, root, wanted, problems);
      if (copied.refused() > 0) {
        throw ImageException.damaged(
            "no image is written, since %d entries are damaged, as 'kcache verify' shows: %s"
                .formatted(copied.refused(), problems.lines.iterator().next()),
            null);
      }
      if (copied.failed() > 0) {
        throw ImageException.unavailable(
            "no image is written, since temporary files can't be: "
                + problems.lines.iterator().next(),
            null);
      }
      if (copied.copied() == 0) {
        throw new IllegalArgumentException(
            "there are no kernels%s in '%s'; fill it with 'kcache prewarm'"
                .formatted(wanted.isEmpty() ? "" : " for these targets", directory));
      }
      return build.write(root, location, environment, temporary);
    } catch (IOException e) {
      throw ImageException.unavailable(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Copies the entries of the image to a directory. Each is verified as a lookup verifies it, and
   * keeps its record's exact bytes and signatures. What is there already is not written again.
   *
   * @param directory a cache directory or a layer; if it does not exist, it is made, for this user
   *     alone
   * @param targets of which the entries are copied; all if there are none
   * @return what became of the entries; those that are damaged are not copied
   * @throws IllegalArgumentException if there is no such image, or it has no kernels
   * @throws ImageException if the image can't be read or is damaged, or nothing can be written to
   *     the directory
   */
  public PulledEntries pull(Path directory, Set<TargetId> targets) {
    requireNonNull(directory, "directory");
    Set<TargetId> wanted = copy(targets);
    try (TemporaryDirectory temporary = new TemporaryDirectory()) {
      Path root = Files.createDirectory(temporary.resolve("unpacked"));
      Path file =
          location instanceof Location.Tar tar
              ? tar.file()
              : JibBuild.from(location, environment).save(temporary);
      if (ImageFile.unpack(file, location.toString(), root) == 0) {
        throw new IllegalArgumentException(location + " has no kernels of kcache");
      }
      Problems problems = new Problems();
      SyncResult result = sync(root, directory, wanted, problems);
      return new PulledEntries(
          result.copied(),
          result.present(),
          result.refused(),
          result.failed(),
          result.skipped(),
          result.bytes(),
          List.copyOf(problems.lines));
    } catch (IOException e) {
      throw ImageException.unavailable(String.valueOf(e.getMessage()), e);
    }
  }

  private static Set<TargetId> copy(Set<TargetId> targets) {
    requireNonNull(targets, "targets");
    return Set.copyOf(targets);
  }

  private SyncResult sync(Path from, Path to, Set<TargetId> targets, Problems problems)
      throws IOException {
    try (EntryPlace source = EntryPlace.directory(from, environment);
        EntryPlace target = EntryPlace.directory(to, environment)) {
      if (!source.exists()) {
        throw new IllegalArgumentException("'" + from + "' does not exist");
      }
      SyncResult result = EntrySync.run(source, target, targets, problems, () -> false);
      EntryPlace.copyRevocations(source, target);
      return result;
    }
  }

  /** {@return the name} */
  @Override
  public String toString() {
    return location.toString();
  }

  /** Keeps each problem once. */
  private static final class Problems implements SyncListener {
    private final Set<String> lines = new LinkedHashSet<>();

    @Override
    public void progress(long done, long bad, long total) {}

    @Override
    public void problem(String line) {
      lines.add(line);
    }
  }
}
