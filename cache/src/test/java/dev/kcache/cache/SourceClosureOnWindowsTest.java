// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.toolchain.standin.OnWindows;

/** The same with sources on a stand-in for Windows, in memory. */
class SourceClosureOnWindowsTest extends SourceClosureTest implements OnWindows {
  /** The directory is found by {@code /}. */
  @Override
  String shown(String name) {
    return name;
  }

  /** There are no pipes. */
  @Override
  void read_namesAnIncludeThatIsNoFile() {}

  /** Windows takes {@code linked/..} away before it looks for a link. */
  @Override
  void read_refusesAnIncludeThatClimbsOutOfALink() {}
}
