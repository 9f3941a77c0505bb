// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.Finished;
import dev.kcache.hip.standin.HipVersions;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * No file takes the JVM down: images of every kind, and cut and damaged ones, in a process of their
 * own that checks JNI.
 */
class HostileImagesTest {
  private static final List<String> DIRECTORIES =
      List.of(
          "/killers",
          "/kernels",
          "/elf",
          "/bundle",
          "/dev/kcache/hip/standin/kernels",
          "/dev/kcache/codeobject/CodeObjectFuzzTestInputs/parse",
          "/dev/kcache/codeobject/OffloadBundleFuzzTestInputs/parse",
          "/dev/kcache/codeobject/MetadataNoteFuzzTestInputs/parse");

  /** An odd number, so that each field of a table is changed somewhere. */
  private static final int STEP = Boolean.getBoolean("kcache.tables.all") ? 1 : 5;

  /** The versions of one stand-in read tables by the same code. */
  private static final int WITHOUT_TABLES = 0;

  /** The stand-in ends the process where the real library would. */
  @ParameterizedTest
  @HipVersions
  void load_onTheStandIn_neverEndsTheProcess(Version version)
      throws IOException, URISyntaxException {
    String output =
        run(
            StandIn.build(version).library().toString(),
            Map.of(StandIn.ENVIRONMENT, "devices=gfx90a:sramecc+:xnack-,gfx1030"),
            version == Version.HIP_6_4 ? STEP : WITHOUT_TABLES);

    assertThat(output).matches("loaded [1-9]\\d{2,}, refused [1-9]\\d{3,}, .*");
  }

  @Test
  void load_onTheRealLibraryWithoutADevice_neverEndsTheProcess()
      throws IOException, URISyntaxException {
    String output = run("", Map.of(), STEP);

    assertThat(output).matches("loaded 0, refused [1-9]\\d{3,}, refused by the runtime [1-9].*");
  }

  /** What HSA is given beyond HIP's is the size of the image; the tables may lie about it. */
  @Test
  void load_onHsasStandIn_neverEndsTheProcess() throws IOException, URISyntaxException {
    String output =
        run(
            StandIn.build(Version.HSA_6_4).library().toString(),
            Map.of(StandIn.ENVIRONMENT, "devices=gfx90a:sramecc+:xnack-,gfx1030"),
            WITHOUT_TABLES);

    assertThat(output).matches("loaded [1-9]\\d{2,}, refused [1-9]\\d{3,}, .*");
  }

  private static String run(String library, Map<String, String> environment, int step)
      throws IOException, URISyntaxException {
    List<String> command = RuntimeProbe.java();
    command.addAll(List.of("-Xcheck:jni", "-cp", System.getProperty("java.class.path")));
    command.addAll(
        List.of(HostileImages.class.getName(), library, directories(), Integer.toString(step)));
    Finished child = Finished.run(command, Path.of("."), environment);
    String output = child.output();
    assertThat(child.status()).as(output).isZero();
    // JNA's own library is loaded before that, and warned of.
    String ours =
        output.substring(output.indexOf(HostileImages.READY) + HostileImages.READY.length());
    assertThat(ours).doesNotContain("FATAL ERROR", "WARNING");
    return ours.strip();
  }

  private static String directories() throws URISyntaxException {
    StringBuilder all = new StringBuilder();
    for (String name : DIRECTORIES) {
      Path directory = Path.of(HostileImagesTest.class.getResource(name).toURI());
      all.append(all.isEmpty() ? "" : File.pathSeparator).append(directory);
    }
    return all.toString();
  }
}
