// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.toolchain.standin.OnWindows;

/** The same with sources on a stand-in for Windows, in memory. */
class KernelSourceOnWindowsTest extends KernelSourceTest implements OnWindows {}
