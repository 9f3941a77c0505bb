// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.store.Layer;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The part of a cache directory that has the entries of one target and label: a folder, which needs
 * nothing outside of it.
 *
 * @param target the target
 * @param label the label of the toolchains
 * @param files its files, sorted, each below the directory that was named
 */
public record EntryFolder(TargetId target, ToolchainLabel label, List<Path> files) {
  /**
   * {@return the folders of a directory, sorted by name} Only names are looked at.
   *
   * @param root the directory
   */
  public static List<EntryFolder> in(Path root) {
    requireNonNull(root, "root");
    return Layer.in(root).files().entrySet().stream()
        .map(
            each -> new EntryFolder(each.getKey().target(), each.getKey().label(), each.getValue()))
        .toList();
  }

  /** {@return the records among the files} */
  public List<Path> records() {
    return files.stream().filter(Layer::isRecord).toList();
  }

  /**
   * {@return the list of what is revoked, which belongs to no folder, if a directory has one}
   *
   * @param root the directory
   */
  public static Optional<Path> revocations(Path root) {
    requireNonNull(root, "root");
    return Optional.of(Layer.in(root).revocationsFile()).filter(Files::isRegularFile);
  }

  /**
   * {@return whether a cache directory has a file of this name that belongs to an entry, or is the
   * list of what is revoked}
   *
   * @param name the name, from the directory's root on
   */
  public static boolean mayHave(Path name) {
    requireNonNull(name, "name");
    return Layer.mayHave(name);
  }
}
