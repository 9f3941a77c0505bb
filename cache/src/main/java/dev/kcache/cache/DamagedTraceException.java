// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.KcacheException;
import java.nio.file.Path;

/** Thrown when a file of a {@link Trace} is damaged or missing. Nothing is changed. */
public final class DamagedTraceException extends KcacheException {
  private static final long serialVersionUID = 1L;

  private final transient Path request;

  /** Creates the exception with a one-line message. */
  DamagedTraceException(String message, Path request, Throwable cause) {
    super(message, cause);
    this.request = request;
  }

  /** {@return the file of the request that cannot be had; null in a copy that was serialized} */
  public Path request() {
    return request;
  }
}
