// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The clang and lld behind the amdclang++ of AMD's packages. */
class AmdClangLanguagesTest extends LanguageContract {
  @Override
  String name() {
    return "amdclang";
  }

  @Override
  Map<String, String> place(Path directory) throws IOException {
    Path machine = Files.createDirectory(directory.toRealPath().resolve("machine"));
    RocmLayouts.AMDS_PACKAGES.write(machine, RocmParts.find(directory.resolve("own")));
    Path rocm = machine.resolve("opt/rocm");
    Files.delete(rocm.resolve("bin/hipcc"));
    return Map.of("ROCM_PATH", rocm.toString());
  }
}
