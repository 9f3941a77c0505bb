// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.toolchain.Notices;

/** The notices that this process has had, which another test may have caused. */
public final class GivenNotices {
  private GivenNotices() {}

  /** Forgets them all. */
  public static void forget() {
    Notices.clear();
  }
}
