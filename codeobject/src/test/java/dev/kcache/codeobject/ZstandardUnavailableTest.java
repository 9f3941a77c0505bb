// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A machine where zstd's native library can't be loaded, as a JVM of its own. */
class ZstandardUnavailableTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"ZstdTempFolder", "ZstdNativePath"})
  void parse_ofZstd_saysWhatToDoEachTime_andZlibIsReadAllTheSame(String property) throws Exception {
    assertThat(run("-D" + property + "=" + directory.resolve("gone")))
        .matches(
            "(?s)(the bundle is compressed with zstd, whose library cannot be loaded \\(.+\\); set"
                + " -DZstdTempFolder to a directory that programs may be run from, or make the"
                + " bundle with --no-offload-compress\n){2}3 entries\n");
  }

  @Test
  void parse_whereNothingIsWrong_readsBoth() throws Exception {
    assertThat(run("-Dnothing=")).isEqualTo("2 entries\n2 entries\n3 entries\n");
  }

  private static String run(String argument) throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process child =
        new ProcessBuilder(
                java, argument, "-cp", System.getProperty("java.class.path"), Main.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(child.getInputStream().readAllBytes(), UTF_8);
    assertThat(child.waitFor()).isZero();
    return output;
  }

  /** Reads a zstd bundle twice, then one of zlib. */
  static final class Main {
    public static void main(String[] args) {
      byte[] plain = Fixtures.resource("/bundle/hip-5.2.hsaco");
      read(Fixtures.resource("/bundle/hip-6.4-compressed.hsaco"));
      read(Fixtures.resource("/bundle/hip-6.4-compressed.hsaco"));
      read(new Compression(2, 0).compress(plain));
    }

    private static void read(byte[] image) {
      try {
        System.out.println(OffloadBundle.parse(image).entries().size() + " entries");
      } catch (ZstandardUnavailableException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
