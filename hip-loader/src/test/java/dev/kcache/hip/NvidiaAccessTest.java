// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NvidiaAccessTest {
  private static final String CUDA = "CUDA_VISIBLE_DEVICES";

  @TempDir private Path root;

  @Test
  void noDriver_isSaidWhateverIsHidden() throws IOException {
    Files.createDirectory(root.resolve("dev"));

    assertThat(NvidiaAccess.of(Map.of(CUDA, ""), root).whyNone())
        .isEqualTo(
            "there is no /dev/nvidiactl; load the nvidia kernel module, or give a container the GPU"
                + " with --gpus all");
  }

  @Test
  void driverThatIsThere_leavesTheVariable() throws IOException {
    Files.createDirectory(root.resolve("dev"));
    Files.createFile(root.resolve("dev/nvidiactl"));

    NvidiaAccess hidden = NvidiaAccess.of(Map.of(CUDA, "", "HIP_VISIBLE_DEVICES", "1"), root);
    assertThat(hidden.whyNone())
        .isEqualTo(
            "CUDA_VISIBLE_DEVICES='' may hide what there is; unset it, or name devices that are there");
    assertThat(hidden.hidden()).isEqualTo("; CUDA_VISIBLE_DEVICES='' may hide others");

    NvidiaAccess open = NvidiaAccess.of(Map.of(), root);
    assertThat(open.whyNone()).isEqualTo("the driver shows none; see what nvidia-smi says");
    assertThat(open.hidden()).isEmpty();
  }

  @Test
  void systemWithoutThatFile_isNotToldOfIt() throws IOException {
    assertThat(NvidiaAccess.of(Map.of(), root).missing()).isFalse();
    Files.createDirectory(root.resolve("dev"));
    assertThat(NvidiaAccess.of(Map.of(), root).missing()).isTrue();
    Files.createFile(root.resolve("dev/dxg"));
    assertThat(NvidiaAccess.of(Map.of(), root).missing()).isFalse();
  }
}
