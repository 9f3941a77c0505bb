// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import dev.kcache.toolchain.Environment;
import dev.kcache.toolchain.Installations;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/*
 * Not here, because what they print isn't what the runtime shows: rocm_agent_enumerator and amd-smi,
 * which HSA_OVERRIDE_GFX_VERSION doesn't reach, and amdgpu-arch and offload-arch, which give a
 * processor with or without its features, depending on how they were built.
 */

/** A program that lists the GPUs of this machine. */
@SuppressWarnings("ImmutableEnumChecker") // the lists are unmodifiable, and the functions stateless
enum DeviceTool {
  /** ROCm's own, for the layer below HIP: HIP's visibility is left to us. */
  ROCMINFO(
      List.of("rocminfo"),
      List.of("ROCR_", "HSA_", "LD_LIBRARY_PATH"),
      printed -> RocminfoReport.parse(printed).gpus()),

  /** That of the HIP SDK for Windows, a HIP program: it shows what HIP shows. */
  HIPINFO(
      List.of("hipinfo", "hipInfo", "hipinfo.exe"),
      List.of("ROCR_", "HSA_", "LD_LIBRARY_PATH", "HIP_", "CUDA_VISIBLE_DEVICES"),
      HipinfoReport::parse);

  private final List<String> names;
  private final List<String> prefixes;

  private final Function<String, List<ListedGpu>> parser;

  DeviceTool(List<String> names, List<String> prefixes, Function<String, List<ListedGpu>> parser) {
    this.names = names;
    this.prefixes = prefixes;
    this.parser = parser;
  }

  /** Returns where this program is, if it is installed. */
  Optional<Path> find(Installations directories) {
    return names.stream().flatMap(name -> directories.find(name).stream()).findFirst();
  }

  /** Returns the variables that decide what it lists, sorted; it is given no others. */
  Map<String, String> environment(Environment variables) {
    Map<String, String> decisive = new TreeMap<>();
    variables
        .startingWith(prefixes.toArray(String[]::new))
        .forEach(variable -> decisive.put(variable.getKey(), variable.getValue()));
    return decisive;
  }

  /** Returns the GPUs in what it printed, in order. */
  List<ListedGpu> parse(String printed) {
    return parser.apply(printed);
  }
}
