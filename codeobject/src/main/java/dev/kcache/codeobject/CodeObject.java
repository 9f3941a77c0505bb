// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * A code object: one image for one target, checked when it is made. For AMD it is a plain AMDGPU
 * ELF, for NVIDIA a cubin or PTX.
 *
 * <pre>{@code
 * CodeObject code = CodeObject.parse(Files.readAllBytes(Path.of("saxpy.co")));
 * for (KernelMetadata kernel : code.kernels()) {
 *   System.out.println(
 *       "%s for %s: %d vector registers"
 *           .formatted(kernel.name(), code.target(), kernel.registers().vgprs()));
 * }
 * }</pre>
 *
 * <p>Immutable and safe for use by any number of threads. It holds one private copy of its bytes;
 * two code objects are equal if their bytes are.
 */
public final class CodeObject {
  /** The formats that the image of a code object may have. */
  public enum Format {
    /** A linked ELF image of AMDGPU's, as hipcc makes it. */
    AMDGPU_ELF,
    /** A linked ELF image of NVIDIA's, as {@code nvcc -cubin} makes it. */
    CUBIN,
    /**
     * The text that {@code nvcc -ptx} makes and the driver compiles for its device. It may or may
     * not end in NUL.
     */
    PTX
  }

  private final ByteBuffer bytes;
  private final Digest digest;
  private final ImageContents contents;

  private CodeObject(ByteBuffer bytes, Digest digest, ImageContents contents) {
    this.bytes = bytes;
    this.digest = digest;
    this.contents = contents;
  }

  /**
   * {@return the code object with a copy of the given bytes}
   *
   * @param bytes an AMDGPU ELF image, a cubin, or PTX
   * @throws MalformedCodeObjectException if they are none of these: an AMDGPU ELF image whose
   *     header, bounds and target are in order, and whose notes, symbols and kernel descriptors
   *     agree; a cubin for a processor known here whose header and sections are in order, and whose
   *     kernels each have code and a description; PTX for a processor known here and 64-bit
   *     addresses whose kernels are declared in order. What the code itself does is not looked at
   */
  public static CodeObject parse(byte[] bytes) {
    requireNonNull(bytes, "bytes");
    return parse(ByteBuffer.wrap(bytes));
  }

  /**
   * {@return the code object with a copy of the remaining bytes of {@code bytes}, whose position is
   * left alone}
   *
   * @param bytes as for {@link #parse(byte[])}
   * @throws MalformedCodeObjectException as {@link #parse(byte[])}
   */
  public static CodeObject parse(ByteBuffer bytes) {
    requireNonNull(bytes, "bytes");
    if (bytes.remaining() > ImageReader.MOST_COPIED_UNCHECKED) {
      // The copy is what counts, since the caller may change the bytes, but it has to be worth it.
      ImageContents.read(bytes);
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return wrap(copy);
  }

  /**
   * {@return the code object in {@code bytes}, as {@link #parse(byte[])} does but without a copy:
   * the array is given away, and nobody may change it from now on}
   *
   * @param bytes as for {@link #parse(byte[])}; belongs to the code object afterwards
   * @throws MalformedCodeObjectException as {@link #parse(byte[])}
   */
  public static CodeObject wrap(byte[] bytes) {
    requireNonNull(bytes, "bytes");
    ByteBuffer image = ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    Digest digest = Digest.of(bytes);
    return new CodeObject(image, digest, ImageContents.read(image));
  }

  /** {@return a read-only view of the image, from its first byte to its last} */
  public ByteBuffer bytes() {
    return bytes.asReadOnlyBuffer();
  }

  /** {@return the size of the image in bytes} */
  public int size() {
    return bytes.capacity();
  }

  /**
   * {@return how much memory of the device the image takes once it is loaded, in bytes; 0 for PTX,
   * of which the driver's compiler decides it}
   */
  public long loadedSize() {
    return contents.loadedSize();
  }

  /** {@return the SHA-256 of the image} */
  public Digest digest() {
    return digest;
  }

  /** {@return the format of the image} */
  public Format format() {
    return contents.format();
  }

  /**
   * {@return the target that the image names: an AMDGPU ELF or a cubin in {@code e_flags}, PTX in
   * {@code .target}, of which {@code sm_90} gives {@code compute_90}}
   */
  public TargetId target() {
    return contents.target();
  }

  /**
   * {@return the code object version (3 to 6), which {@code EI_ABIVERSION} of an AMDGPU ELF
   * encodes; 0 for NVIDIA's formats}
   */
  public int abiVersion() {
    return contents.abiVersion();
  }

  /** {@return the version of a generic processor's code (1 to 255), or 0 for any other} */
  public int genericVersion() {
    return contents.genericVersion();
  }

  /**
   * {@return why AMD's runtime cannot load the image although it is well-formed, such as that it
   * was stripped; nothing if no reason is known, and of NVIDIA's formats}
   */
  public Optional<String> whyNotLoadable() {
    return contents.obstacle().map(LoadObstacle::reason);
  }

  /**
   * {@return whether the image lost symbols that every compiler writes and AMD's runtime needs;
   * {@link #whyNotLoadable()} says which}
   */
  public boolean isStripped() {
    return contents.obstacle().map(LoadObstacle::stripped).orElse(false);
  }

  /** {@return what the image says of its kernels, in its own order; none if it has no kernel} */
  public List<KernelMetadata> kernels() {
    return contents.kernels();
  }

  /**
   * Returns what the image says of one of its kernels.
   *
   * @param name the name in the image, or, of a C++ function that is not {@code extern "C"}, the
   *     one in the source, with its namespaces, if only one kernel has that
   * @return the description of the kernel
   * @throws IllegalArgumentException if there is no such kernel, or there are several; the message
   *     names those that are there
   */
  public KernelMetadata kernel(String name) {
    return KernelNames.find(requireNonNull(name, "name"), contents.kernels());
  }

  /**
   * Returns the kernel whose address a variable has as its value.
   *
   * @param variable the name in the source of a variable outside all namespaces
   * @return the kernel's name; nothing if there is no such variable, or its value is another
   * @throws MalformedCodeObjectException if its symbols or relocations, of which no other method of
   *     a cubin depends, are not in order
   */
  public Optional<String> kernelInVariable(String variable) {
    requireNonNull(variable, "variable");
    return KernelAddresses.kernelIn(variable, this);
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
