// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.io.File;

/**
 * The operating system that this process runs on. Nothing else asks for it; what differs on Windows
 * takes the answer as a parameter where a test plays Windows.
 */
public final class HostSystem {
  private HostSystem() {}

  /** {@return whether this is Windows} No variable or property of a user's changes it. */
  public static boolean isWindows() {
    return File.separatorChar == '\\';
  }
}
