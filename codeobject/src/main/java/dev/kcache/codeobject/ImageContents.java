// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import dev.kcache.codeobject.CodeObject.Format;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * What an image says of itself, checked.
 *
 * @param abiVersion the code object version of an AMDGPU ELF, 0 for the other formats
 * @param genericVersion 1 to 255 for a generic processor, 0 for any other
 * @param loadedSize the memory that it takes once it is loaded, in bytes; 0 for PTX
 * @param obstacle why the runtime cannot load it although it is well-formed, if that is known
 */
record ImageContents(
    Format format,
    TargetId target,
    int abiVersion,
    int genericVersion,
    long loadedSize,
    List<KernelMetadata> kernels,
    Optional<LoadObstacle> obstacle) {

  /**
   * Reads an image of any of the formats that a code object has.
   *
   * @throws MalformedCodeObjectException if it has none of them, or is not well-formed
   */
  static ImageContents read(ByteBuffer bytes) {
    ImageReader image = new ImageReader(bytes);
    if (ElfImage.isCubin(image)) {
      return CubinReader.read(image);
    }
    if (!ImageFormat.ELF.begins(image) && PtxReader.isPtx(image)) {
      return PtxReader.read(image);
    }
    ImageFormat.require(ImageFormat.ELF, "a code object (AMDGPU ELF, cubin or PTX)", image);
    return of(image, ElfImage.check(image));
  }

  /**
   * Reads an AMDGPU ELF with this header.
   *
   * @throws MalformedCodeObjectException if what it says of its kernels does not agree, or the
   *     runtime's loader would follow a wrong field
   */
  static ImageContents of(ImageReader image, ElfImage elf) {
    List<KernelMetadata> kernels =
        KernelDescriptors.check(image, elf, MetadataNote.kernels(image, elf));
    return new ImageContents(
        Format.AMDGPU_ELF,
        elf.flags().target(),
        elf.version(),
        elf.flags().genericVersion(),
        elf.loadedSize(),
        kernels,
        LoaderTables.check(image, elf).or(() -> LoadObstacle.ofArguments(kernels)));
  }
}
