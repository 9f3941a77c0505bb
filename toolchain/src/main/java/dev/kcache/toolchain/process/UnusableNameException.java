// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import java.io.IOException;

/** Thrown if a file of a source has a name for which this system has no file. */
public final class UnusableNameException extends IOException {
  private static final long serialVersionUID = 1L;

  UnusableNameException(String message) {
    super(message);
  }
}
