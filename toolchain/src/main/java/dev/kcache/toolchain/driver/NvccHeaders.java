// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.Toolchain.SourceFile;
import java.util.List;

/**
 * The headers that stand in for HIP's where nvcc compiles. HIP's own follow certain releases of
 * CUDA (those of HIP 5.2 give 38 errors with CUDA 13.0), and are there only where HIP is installed.
 */
final class NvccHeaders {
  static final List<SourceFile> ALL =
      HeaderSet.hip(
          NvccHeaders.class::getResourceAsStream,
          "nvidia/",
          List.of(),
          List.of("hip_cooperative_groups"),
          "for NVIDIA; include it only where __HIP_PLATFORM_AMD__ is defined");

  private NvccHeaders() {}
}
