// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.standin.Options;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
    return new Toolchain.Job(
        Digest.of(text.getBytes(UTF_8)),
        new StagedSource(
            name,
            Map.of("src/main.hip", name, "inc0/scale.h", "lib/scale.h"),
            "src/main.hip",
            List.of(file("src/main.hip", text), file("inc0/scale.h", "#define SCALE 2.0f\n")),
            List.of("inc0")),
        target,
        Options.of(options),
        Duration.ofMinutes(2));
  }

  static Toolchain.SourceFile file(String path, String text) {
    return new Toolchain.SourceFile(path, ByteBuffer.wrap(text.getBytes(UTF_8)));
  }

  static byte[] bytes(Toolchain.Output output) {
    ByteBuffer view = output.codeObject().bytes();
    byte[] bytes = new byte[view.remaining()];
    view.get(bytes);
    return bytes;
  }
}
