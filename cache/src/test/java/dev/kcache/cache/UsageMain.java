// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.TargetId;

/** Uses a cache and ends without closing it: by itself, or by a kill. */
final class UsageMain {
  private UsageMain() {}

  /** Asks three times for a kernel; then ends, or waits to be killed if the argument is "wait". */
  public static void main(String[] arguments) throws Exception {
    CacheManager cache = CacheManager.builder().toolchain(new FakeToolchain()).build();
    for (int i = 0; i < 3; i++) {
      cache.getOrCompile(LayerReaderMain.SOURCE, TargetId.parse("gfx90a"));
    }
    if (arguments[0].equals("wait")) {
      System.out.println("waiting");
      System.in.read();
    }
  }
}
