// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.standin.TestJob;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** The machine's real nvcc, and jobs for it. */
final class RealNvcc {
  static final TargetId SM_90 = TargetId.parse("sm_90");
  static final TargetId COMPUTE_90 = TargetId.parse("compute_90");

  private RealNvcc() {}

  /** Returns where it is; a test ends here, as skipped, where the PATH has none. */
  static Path orSkip() {
    Environment variables = new Environment(System.getenv());
    Assumptions.assumeTrue(
        variables.searchPath().stream().anyMatch(entry -> Files.exists(entry.resolve("nvcc"))),
        "no nvcc on the PATH");
    return FoundDriver.find(List.of(DriverKind.NVCC), variables, Path.of("/")).program();
  }

  static Toolchain.Job job(String name, String text, String... options) {
    return job(SM_90, name, text, options);
  }

  /** Returns a job of one source, which may include {@code scale.h}. */
  static Toolchain.Job job(TargetId target, String name, String text, String... options) {
    return TestJob.of(name, text)
        .header("inc0/scale.h", "lib/scale.h", "#define SCALE 2.0f\n")
        .target(target)
        .options(options)
        .job();
  }
}
