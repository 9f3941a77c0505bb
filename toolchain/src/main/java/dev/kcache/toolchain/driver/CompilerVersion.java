// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.probe.ProbeResult;
import java.util.List;

/** What a compiler says that it is. */
sealed interface CompilerVersion permits HipVersion, CudaVersion, LlvmVersion, LibraryVersion {
  /** Returns the product that the version is one of, such as {@code HIP}. */
  String product();

  /** Returns the version, such as {@code 6.4.43484-9999}. */
  String version();

  /** Returns everything that the compiler printed when it was asked. */
  String text();

  /** Returns the label under which this version's results are kept. */
  ToolchainLabel label();

  /** Returns this version as the lines of an {@link ProbeResult}. */
  default List<List<String>> toLines() {
    return List.of(List.of(version(), text()));
  }
}
