// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import dev.kcache.rocm.Environment;
import dev.kcache.rocm.RocmFinder;
import dev.kcache.rocm.RocmProgram;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/*
 * Not here: amd-smi, which HSA_OVERRIDE_GFX_VERSION doesn't reach, and which on Windows may ask for
 * an administrator's rights.
 */

/** A program that lists the GPUs of this machine. */
@SuppressWarnings("ImmutableEnumChecker") // the lists are unmodifiable, and the functions stateless
enum DeviceTool {
  /** ROCm's own tool for the layer below HIP, which ignores HIP's visibility. */
  ROCMINFO(List.of("rocminfo"), List.of(), printed -> RocminfoReport.parse(printed).gpus()),

  /** The tool of the HIP SDK for Windows, a HIP program, which applies HIP's visibility. */
  HIPINFO(
      List.of("hipinfo", "hipInfo", "hipinfo.exe"),
      List.of("HIP_", "CUDA_VISIBLE_DEVICES"),
      HipinfoReport::parse),

  /** LLVM's tools; whether they print features depends on how they were built. */
  LLVM(List.of("amdgpu-arch", "offload-arch"), List.of(), ArchitectureList::parse),

  /** A script of ROCm's, which HSA_OVERRIDE_GFX_VERSION doesn't reach. */
  ENUMERATOR(List.of("rocm_agent_enumerator"), List.of(), ArchitectureList::parse);

  /** The variables of the layer below HIP, which all tools heed. */
  private static final List<String> HSA = List.of("ROCR_", "HSA_", "LD_LIBRARY_PATH");

  private final List<String> names;
  private final List<String> more;
  private final Function<String, List<ListedGpu>> parser;

  DeviceTool(List<String> names, List<String> more, Function<String, List<ListedGpu>> parser) {
    this.names = names;
    this.more = more;
    this.parser = parser;
  }

  /** Returns the program, if it is installed. */
  Optional<RocmProgram> find(RocmFinder finder) {
    return finder.tool(names);
  }

  /** Returns whether HIP's own variables are not applied to the list yet. */
  boolean isBelowHip() {
    return this != HIPINFO;
  }

  /** Returns the variables that decide the list, sorted; the tool gets no others. */
  Map<String, String> environment(Environment variables) {
    Map<String, String> decisive = new TreeMap<>();
    variables
        .startingWith(Stream.concat(HSA.stream(), more.stream()).toArray(String[]::new))
        .forEach(variable -> decisive.put(variable.getKey(), variable.getValue()));
    return decisive;
  }

  /** Returns the GPUs in the tool's output, in order. */
  List<ListedGpu> parse(String printed) {
    return parser.apply(printed);
  }
}
