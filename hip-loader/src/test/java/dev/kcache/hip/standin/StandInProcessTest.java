// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What needs a process of its own: what the environment says, and images that end a process. */
class StandInProcessTest {
  private static final int ABORTED = 128 + 6;
  private static final int SEGFAULT = 128 + 11;

  @TempDir private Path directory;

  private static Finished probe(Version version, Map<String, String> environment, String... more)
      throws IOException {
    String library = StandIn.build(version).library().toString();
    String[] command = new String[more.length + 2];
    command[0] = Compilation.program("probe").toString();
    command[1] = library;
    System.arraycopy(more, 0, command, 2, more.length);
    return Finished.run(List.of(command), Path.of("."), environment);
  }

  private Finished load(Version version, String device, byte[] image) throws IOException {
    Path file = Files.write(directory.resolve("image"), image);
    return probe(
        version, Map.of(StandIn.ENVIRONMENT, "devices=" + device), "load", file.toString());
  }

  private static Finished answer(int error) {
    return new Finished(0, error + "\n");
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = StandInProcessTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HIP_5_2 | gfx90a,gfx1030,gfx942 |       |       | gfx90a gfx1030 gfx942",
        "HIP_6_4 | gfx90a,gfx1030,gfx942 | 2,0   |       | gfx942 gfx90a",
        "HIP_6_4 | gfx90a,gfx1030,gfx942 | 2,0   | 1     | gfx90a",
        "HIP_6_4 | gfx90a,gfx1030,gfx942 | 0,7,1 |       | gfx90a",
        "HIP_6_4 | gfx90a,gfx1030,gfx942 | 1,1   |       | gfx1030",
        "HIP_6_4 | gfx90a,gfx1030,gfx942 | GPU-1E12 |    | gfx1030",
        "HIP_6_4 | gfx90a,gfx1030,gfx942 | GPU-  |       | ''",
        "HIP_7_2 | gfx90a,gfx1030,gfx942 |       | -1    | ''",
        "HIP_7_2 | gfx90a,gfx1030,gfx942 |       | GPU-2 | gfx942",
        "HIP_5_2 | gfx90a,gfx1030,gfx942 |       | GPU-2 | ''",
        "HIP_7_2 | ''                    |       |       | ''",
      })
  void devices_ofTheEnvironment_areThoseThatItLetsSee(
      Version version, String devices, String rocr, String hip, String expected) throws Exception {
    Map<String, String> environment = new HashMap<>();
    environment.put(StandIn.ENVIRONMENT, "async=1;devices=" + devices);
    if (rocr != null) {
      environment.put("ROCR_VISIBLE_DEVICES", rocr);
    }
    if (hip != null) {
      environment.put("HIP_VISIBLE_DEVICES", hip);
    }

    Finished process = probe(version, environment, "devices");

    String[] lines = process.output().split("\n", -1);
    String seen = String.join(" ", Arrays.copyOfRange(lines, 1, lines.length)).strip();
    assertThat(seen).isEqualTo(expected);
    assertThat(lines[0]).endsWith(expected.isEmpty() ? "error 100" : "error 0");
  }

  @ParameterizedTest
  @CsvSource({
    "gfx90a:sramecc+:xnack-, known-5.2-gfx90a.co, 0, 0, 0",
    "gfx90a:sramecc+:xnack+, known-5.2-gfx90a.co, 0, 0, 0",
    "gfx1030, known-5.2-gfx90a.co, 303, 209, 200",
    "gfx90a:sramecc+:xnack-, known-6.4-gfx90a.co, 303, 0, 0",
    "gfx90a:sramecc+:xnack-, /kernels/hipcc-6.4-gfx90a_xnack-.co, 303, 0, 0",
    "gfx90a:sramecc+:xnack-, /kernels/hipcc-6.4-gfx90a_xnack+.co, 303, 209, 200",
    "gfx90a:sramecc-:xnack-, /kernels/hipcc-6.4-gfx90a_sramecc+_xnack-.co, 303, 209, 200",
    "gfx906:sramecc+:xnack+, /kernels/hipcc-5.2-v3-gfx906_xnack+.co, 0, 0, 0",
    "gfx906:sramecc+:xnack-, /kernels/hipcc-5.2-v3-gfx906_xnack+.co, 303, 209, 200",
    "gfx942:sramecc+:xnack-, /kernels/hipcc-6.4-gfx9-4-generic.co, 303, 0, 0",
    "gfx90a:sramecc+:xnack-, /kernels/hipcc-6.4-gfx9-4-generic.co, 303, 209, 200",
  })
  void load_codeObject_isTakenIfItSuitsDeviceAndRuntime(
      String device, String name, int in5, int in6, int in7) throws Exception {
    byte[] image = resource(name.startsWith("/") ? name : "kernels/" + name);

    assertThat(load(Version.HIP_5_2, device, image)).isEqualTo(answer(in5));
    assertThat(load(Version.HIP_6_4, device, image)).isEqualTo(answer(in6));
    assertThat(load(Version.HIP_7_2, device, image)).isEqualTo(answer(in7));
  }

  @ParameterizedTest
  @HipVersions
  void load_whatIsNoCodeObject_isRefused(Version version) throws Exception {
    Finished refused = answer(version == Version.HIP_5_2 ? 218 : 200);
    byte[] ptx = "//\n.version 8.0\n.target sm_90\n".repeat(5).getBytes(StandardCharsets.UTF_8);

    assertThat(load(version, "gfx90a", ptx)).isEqualTo(refused);
    assertThat(load(version, "gfx90a", new byte[8])).isEqualTo(refused);
    assertThat(probe(version, Map.of(), "load")).isEqualTo(answer(1));
  }

  @ParameterizedTest
  @HipVersions
  void load_truncatedCodeObject_segfaults(Version version) throws Exception {
    byte[] whole = resource("kernels/known-5.2-gfx90a.co");

    for (int size : new int[] {70, 1000, whole.length / 2, whole.length - 1}) {
      byte[] image = Arrays.copyOf(whole, size);
      assertThat(load(version, "gfx90a", image).status()).as("%d bytes", size).isEqualTo(SEGFAULT);
    }
  }

  @ParameterizedTest
  @HipVersions
  void load_damagedMetadata_aborts(Version version) throws Exception {
    byte[] image = resource("kernels/known-5.2-gfx90a.co");
    int kernels = new String(image, StandardCharsets.ISO_8859_1).indexOf("amdhsa.kernels");
    image[kernels + "amdhsa.kernels".length()] = (byte) 0xc1; // MessagePack never uses it

    assertThat(load(version, "gfx90a", image).status()).isEqualTo(ABORTED);
  }

  @ParameterizedTest
  @HipVersions
  void load_bundleWithoutTheDevice_abortsWithTheRealMessage(Version version) throws Exception {
    byte[] image = resource("/bundle/hip-5.2.hsaco");

    assertThat(load(version, "gfx1201", image))
        .isEqualTo(
            new Finished(
                ABORTED,
                "\"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!\"\n"));
  }

  @ParameterizedTest
  @HipVersions
  void load_bundleWithTheDevice_takesItsEntry(Version version) throws Exception {
    byte[] image = resource("/bundle/hip-5.2.hsaco");

    assertThat(load(version, firstDevice(image), image)).isEqualTo(answer(0));
  }

  /** The processor of the first entry that is for a GPU. */
  private static String firstDevice(byte[] bundle) {
    ByteBuffer bytes = ByteBuffer.wrap(bundle).order(ByteOrder.LITTLE_ENDIAN);
    bytes.position("__CLANG_OFFLOAD_BUNDLE__".length());
    for (long left = bytes.getLong(); left > 0; left--) {
      byte[] id = new byte[(int) bytes.position(bytes.position() + 16).getLong()];
      bytes.get(id);
      String text = new String(id, StandardCharsets.UTF_8);
      if (text.contains("amdhsa--")) {
        return text.substring(text.indexOf("amdhsa--") + "amdhsa--".length());
      }
    }
    throw new AssertionError("the bundle holds nothing for a GPU");
  }
}
