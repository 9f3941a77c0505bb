// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * From an application to an image that has all that it needs, with the compiler of this machine.
 */
@Timeout(300)
class ProofHipccTest {
  private static final String TARGETS = "gfx906,gfx908,gfx1030";

  @TempDir private Path directory;

  @Test
  void tracedApplication_isPrewarmedProvenCopiedAndProvenAgain() throws Exception {
    assumeTrue(Files.getAttribute(directory, "unix:uid").equals(0), "only root can be another");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    CommandRunner command = new CommandRunner(directory);
    Path header = command.write("app/common.h", "#define FACTOR 2\n");
    String scale = "#include \"common.h\"\n%sk(float* x) { *x *= FACTOR; }\n";
    String kernel = "#include <hip/hip_runtime.h>\nextern \"C\" __global__ void ";
    Path scaling = command.write("app/scale.hip", scale.formatted(kernel));
    Path plain = command.write("app/plain.hip", kernel + "k(float* x) { *x = 1; }\n");
    Path list =
        command.write(
            "app/kernels.json",
            """
            {"schema": "kcache.manifest/1", "kernels": [{"source": "scale.hip"}, {"source": "plain.hip"}]}
            """);
    Path trace = directory.resolve("trace");
    Path image = directory.resolve("image");
    command.realCompiler = true;
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", command.cache.toString());
    command.environment.putAll(environment);

    environment.put("KCACHE_TRACE", trace.toString());
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      cache.getOrCompile(KernelSource.read(scaling), Fixtures.GFX90A);
      cache.getOrCompile(KernelSource.read(plain), Fixtures.GFX90A);
    }
    Run prewarmed =
        command.run("prewarm", "--manifest", trace, "--arch", TARGETS, "--cache-dir", image);
    Run proven = command.run("prove", "--manifest", trace, "--arch", TARGETS, "--layer", image);

    assertThat(prewarmed.exitCode()).as(prewarmed.err()).isZero();
    assertThat(prewarmed.out()).contains("0 hits, 6 compiled");
    assertThat(proven.exitCode()).as(proven.out() + proven.err()).isZero();
    assertThat(proven.out()).contains("6 hits, 0 missing, 0 findings of damage");

    Path copy = copyForNobody(image);
    Run traced = proveAsNobody(copy, trace);
    assertThat(traced.exitCode()).as(traced.out() + traced.err()).isZero();
    assertThat(traced.err()).isEmpty();
    Run listed = proveAsNobody(copy, list);
    assertThat(listed.exitCode()).as(listed.out() + listed.err()).isZero();

    Path damaged = damage(copy, listed.out());
    Files.writeString(header, "#define FACTOR 3\n");
    Run refuted = proveAsNobody(copy, list);

    assertThat(refuted.exitCode()).isEqualTo(ExitCode.DAMAGED);
    assertThat(refuted.out())
        .contains("miss  gfx1030  " + scaling + "  header 'common.h' changed")
        .contains("miss  gfx906   " + plain + "  its code object is missing or damaged")
        .contains("hit   gfx908   " + plain + "  ")
        .contains("\ndamaged  " + damaged + "  ")
        .contains("2 hits, 4 missing, 1 finding of damage");
    assertThat(damaged).exists();
  }

  /** Flips a bit of the code object that the plain kernel has for gfx906. */
  private static Path damage(Path copy, String proof) throws IOException {
    String digest =
        proof
            .lines()
            .filter(line -> line.contains("gfx906 ") && line.contains("plain.hip"))
            .map(line -> line.replaceFirst(".* ", ""))
            .findFirst()
            .orElseThrow();
    Path file = CommandRunner.files(copy, digest + ".co").get(0);
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
    return file;
  }

  private Path copyForNobody(Path image) throws IOException {
    Path copy = directory.resolve("copy");
    for (Path file : CommandRunner.files(image, "")) {
      Path to = copy.resolve(image.relativize(file).toString());
      Files.copy(file, to, StandardCopyOption.COPY_ATTRIBUTES);
      Files.setAttribute(to, "unix:uid", Programs.NOBODY);
    }
    return copy;
  }

  /** Proves as another user, without a PATH. */
  private Run proveAsNobody(Path cache, Path manifest) throws Exception {
    List<String> command =
        Programs.asNobody(
            List.of("--clear-groups"),
            Programs.kcache(
                "prove",
                "--manifest",
                manifest.toString(),
                "--arch",
                TARGETS,
                "--cache-dir",
                cache.toString()));
    Map<String, String> environment = Map.of("PATH", directory.resolve("nothing").toString());
    return Programs.run(Programs.builder(directory, environment, command));
  }
}
