// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A code object: one plain ELF image for one target, checked when it is made.
 *
 * <p>Immutable and safe for use by any number of threads. It holds one private copy of its bytes;
 * two code objects are equal if their bytes are.
 */
public final class CodeObject {
  private final ByteBuffer bytes;
  private final Digest digest;
  private final ElfImage elf;
  private final List<KernelMetadata> kernels;

  private CodeObject(ByteBuffer bytes, Digest digest, ElfImage elf, List<KernelMetadata> kernels) {
    this.bytes = bytes;
    this.digest = digest;
    this.elf = elf;
    this.kernels = kernels;
  }

  /**
   * Returns the code object with a copy of the given bytes.
   *
   * @throws MalformedCodeObjectException if they are not an AMDGPU ELF image whose header, bounds
   *     and target are in order, and whose notes, symbols and kernel descriptors agree
   */
  public static CodeObject parse(byte[] bytes) {
    return parse(ByteBuffer.wrap(bytes));
  }

  /**
   * Returns the code object with a copy of the remaining bytes of {@code bytes}, whose position is
   * left alone.
   *
   * @throws MalformedCodeObjectException if they are not an AMDGPU ELF image whose header, bounds
   *     and target are in order, and whose notes, symbols and kernel descriptors agree
   */
  public static CodeObject parse(ByteBuffer bytes) {
    if (bytes.remaining() > ImageReader.MOST_COPIED_UNCHECKED) {
      // The copy is what counts, since the caller may change the bytes, but it has to be worth it.
      kernels(new ImageReader(bytes), ElfImage.check(bytes));
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    ByteBuffer image = ByteBuffer.wrap(copy).asReadOnlyBuffer();
    ElfImage elf = ElfImage.check(image);
    List<KernelMetadata> kernels = kernels(new ImageReader(image), elf);
    return new CodeObject(image, Digest.of(image), elf, kernels);
  }

  /** Returns the kernels of an image with this header, if all that is said of them agrees. */
  static List<KernelMetadata> kernels(ImageReader image, ElfImage elf) {
    List<KernelMetadata> kernels = MetadataNote.kernels(image, elf);
    KernelDescriptors.check(image, elf, kernels);
    LoaderTables.check(image, elf);
    return kernels;
  }

  /** Returns a read-only view of the image, from its first byte to its last. */
  public ByteBuffer bytes() {
    return bytes.asReadOnlyBuffer();
  }

  /** Returns the size of the image in bytes. */
  public int size() {
    return bytes.capacity();
  }

  /** Returns how much memory of the device the image takes once it is loaded, in bytes. */
  public long loadedSize() {
    return elf.loadedSize();
  }

  /** Returns the SHA-256 of the image. */
  public Digest digest() {
    return digest;
  }

  /** Returns the target that the image's {@code e_flags} name. */
  public TargetId target() {
    return elf.flags().target();
  }

  /** Returns the code object version (3 to 6), which {@code EI_ABIVERSION} encodes. */
  public int abiVersion() {
    return elf.version();
  }

  /** Returns the version of a generic processor's code (1 to 255), or 0 for one GPU's own. */
  public int genericVersion() {
    return elf.flags().genericVersion();
  }

  /** Returns what the image says of its kernels, in its own order; none if it has no kernel. */
  public List<KernelMetadata> kernels() {
    return kernels;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CodeObject that && digest.equals(that.digest);
  }

  @Override
  public int hashCode() {
    return digest.hashCode();
  }

  @Override
  public String toString() {
    return target() + " " + digest;
  }
}
