// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.standin.Finished;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A container for running: a process whose class path and environment have no compiler, with a
 * stand-in for the runtime, and the cache that a builder with two compilers filled.
 */
class RuntimeContainerTest {
  private static final String NOTICE =
      "there is neither code for %s nor a compiler that makes it; code for %s is taken";

  @TempDir private static Path built;
  private static ToolchainLabel hipcc;
  private static ToolchainLabel llvm;

  @TempDir private Path temp;

  @BeforeAll
  static void build() {
    assumeFalse(Files.exists(Path.of("/opt/rocm")), "a compiler is found without PATH");
    hipcc = compile("hipcc", "gfx90a");
    llvm = compile("llvm", "gfx1030", "gfx11-generic", "gfx9-4-generic");
  }

  private static ToolchainLabel compile(String toolchain, String... targets) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.putAll(
        Map.of("KCACHE_DIR", built.toString(), "KCACHE_TOOLCHAIN", toolchain, "ROCM_VERSION", ""));
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      for (String target : targets) {
        cache.getOrCompile(ProbeKernels.SOURCE, TargetId.parse(target));
      }
      return cache.toolchain(Platform.AMD).label();
    }
  }

  /** Returns what a process prints that has these variables and no others. */
  private List<String> run(Version version, String device, String... variables) throws IOException {
    List<String> command = new ArrayList<>(List.of("env", "-i", "PATH=/nowhere"));
    command.add("KCACHE_DIR=" + built);
    command.add("KCACHE_HIP_LIBRARY=" + StandIn.build(version).library());
    command.add(StandIn.ENVIRONMENT + "=devices=" + device);
    command.addAll(List.of(variables));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Djna.tmpdir=" + temp));
    command.addAll(List.of("-cp", classPathWithoutCompilers(), ContainerProbe.class.getName()));
    return Finished.run(command, temp, Map.of()).output().lines().toList();
  }

  /** The embedded LLVM's own files are the optional part of its module. */
  private static String classPathWithoutCompilers() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.contains("bytedeco") && !entry.contains("hiprtc"))
        .collect(joining(File.pathSeparator));
  }

  @ParameterizedTest
  @CsvSource({"gfx90a, gfx90a:sramecc+:xnack-", "gfx1030, gfx1030"})
  void archAndRocmVersionSet_findsWhatEitherCompilerMade(String arch, String device)
      throws IOException {
    assertThat(run(Version.HIP_6_4, device, "ARCH=" + arch, "ROCM_VERSION=" + hipcc))
        .containsExactly(arch + " of " + (arch.equals("gfx90a") ? hipcc : llvm) + " is right");
  }

  @ParameterizedTest
  @CsvSource({"gfx90a, gfx90a:sramecc+:xnack-", "gfx1030, gfx1030"})
  void nothingButTheRuntime_findsWhatEitherCompilerMade(String arch, String device)
      throws IOException {
    assertThat(run(Version.HIP_7_2, device))
        .containsExactly(arch + " of " + (arch.equals("gfx90a") ? hipcc : llvm) + " is right");
  }

  @Test
  void nothingButTheRuntime_itsReleaseIsTriedFirst() throws IOException {
    CodeObject code = FixedToolchain.fixture("/kernels/hipcc-5.2-gfx90a.co");
    String directory = "KCACHE_DIR=" + temp.resolve("cache");
    for (String label : List.of("5.7", "6.4", "9.9")) {
      FixedToolchain toolchain =
          new FixedToolchain(code, new ToolchainLabel(label), new CountDownLatch(0));
      try (CacheManager cache =
          CacheManager.builder()
              .environment(Map.of("KCACHE_DIR", temp.resolve("cache").toString()))
              .toolchain(toolchain)
              .build()) {
        cache.getOrCompile(ProbeKernels.SOURCE, TargetId.parse("gfx90a"));
      }
    }
    assertThat(run(Version.HIP_6_4, "gfx90a", directory)).containsExactly("gfx90a of 6.4 is right");
    assertThat(run(Version.HIP_7_2, "gfx90a", directory)).containsExactly("gfx90a of 9.9 is right");

    // HIP 6.4 of ROCm 5.7, as HIP 7.15 is of ROCm 10.0
    Path rocm = temp.resolve("rocm");
    Path library = StandIn.build(Version.HIP_6_4).library();
    Files.createDirectories(rocm.resolve("lib"));
    Files.copy(library, rocm.resolve("lib").resolve(library.getFileName()));
    Files.createDirectories(rocm.resolve(".info"));
    Files.writeString(rocm.resolve(".info/version"), "5.7.1-42\n");
    assertThat(run(Version.HIP_6_4, "gfx90a", directory, "KCACHE_HIP_LIBRARY=" + rocm + "/lib"))
        .containsExactly("gfx90a of 5.7 is right");
  }

  @ParameterizedTest
  @CsvSource({
    "gfx1100,                gfx1100, gfx11-generic,  ROCM_VERSION=",
    "gfx1151,                gfx1151, gfx11-generic,  ROCM_VERSION=6.4",
    "gfx942:sramecc+:xnack-, gfx942,  gfx9-4-generic, ROCM_VERSION=",
  })
  void noCodeForTheDevice_codeForItsGenericTargetIsLaunchedAndTold(
      String device, String processor, String generic, String version) throws IOException {
    assertThat(run(Version.HIP_6_4, device, version))
        .hasSize(3)
        .endsWith(generic + " of " + llvm + " is right")
        .element(1)
        .asString()
        .contains(NOTICE.formatted(processor, generic));
  }

  @Test
  void runtimeThatDoesNotLoadGenericCode_isNotGivenIt() throws IOException {
    List<String> told = run(Version.HIP_5_2, "gfx1100");
    assertThat(told)
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains("generic code of code object version 6 cannot be loaded by HIP 5.2")
                    .endsWith("compile for the device's own processor"));
    assertThat(told).last().asString().startsWith("ToolchainNotFoundException: ");
  }

  @Test
  void deviceOfNoGenericTarget_saysThatThereIsNoCompiler() throws IOException {
    assertThat(run(Version.HIP_6_4, "gfx908:sramecc+:xnack-"))
        .singleElement()
        .asString()
        .startsWith("ToolchainNotFoundException: ");
  }
}
