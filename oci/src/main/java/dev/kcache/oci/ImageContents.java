// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.List;

/**
 * What an image was made of. Immutable.
 *
 * @param digest the digest of its manifest, by which a registry has it, such as {@code sha256:…}
 * @param layers a name for each layer of kernels, such as {@code gfx90a-6.4}, in their order
 * @param targets the targets, sorted by their text, each once
 * @param labels the labels of the toolchains, sorted, each once
 * @param entries how many entries there are
 * @param bytes the size of all their files in bytes, uncompressed
 * @param contents the digest of the entries: of what {@code sha256sum} prints for each record
 */
public record ImageContents(
    String digest,
    List<String> layers,
    List<TargetId> targets,
    List<ToolchainLabel> labels,
    long entries,
    long bytes,
    Digest contents) {
  /**
   * Copies the lists.
   *
   * @param digest the digest of its manifest, by which a registry has it, such as {@code sha256:…}
   * @param layers a name for each layer of kernels, such as {@code gfx90a-6.4}, in their order
   * @param targets the targets, sorted by their text, each once
   * @param labels the labels of the toolchains, sorted, each once
   * @param entries how many entries there are
   * @param bytes the size of all their files in bytes, uncompressed
   * @param contents the digest of the entries: of what {@code sha256sum} prints for each record
   */
  public ImageContents {
    layers = List.copyOf(layers);
    targets = List.copyOf(targets);
    labels = List.copyOf(labels);
  }
}
