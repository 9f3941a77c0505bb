// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.KcacheException;
import dev.kcache.hip.HipDevice;

/**
 * Thrown when the driver refuses the code object of a source even after a fresh compile; the cause
 * is the last refusal. Nothing is loaded, and the cache's entries are unchanged.
 */
public final class KernelLoadException extends KcacheException {
  private static final long serialVersionUID = 1;

  /** The logical name of the source. */
  private final String source;

  /** The digest of the code object, as text: exceptions are serializable. */
  private final String digest;

  KernelLoadException(String source, HipDevice device, CodeObject codeObject, Throwable cause) {
    super(
        "%s: the driver of device %s refuses code object %s, compiled for %s: %s; see whether the compiler is newer than the driver"
            .formatted(
                source, device, codeObject.digest(), codeObject.target(), cause.getMessage()),
        cause);
    this.source = source;
    this.digest = codeObject.digest().toString();
  }

  private KernelLoadException(KernelLoadException cause) {
    super(String.valueOf(cause.getMessage()), cause);
    this.source = cause.source;
    this.digest = cause.digest;
  }

  /** {@return the {@linkplain dev.kcache.cache.KernelSource#name logical name} of the source} */
  public String source() {
    return source;
  }

  /** {@return the digest of the code object that was refused last} */
  public Digest codeObject() {
    return Digest.parse(digest);
  }

  @Override
  protected KcacheException copy() {
    return new KernelLoadException(this);
  }
}
