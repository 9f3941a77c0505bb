// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.rocm.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryPlacesTest {
  @TempDir Path root;

  @Test
  void nothing_isNothing() {
    assertThat(find(Map.of())).isNull();
  }

  @Test
  void places_areTriedInOrder() throws IOException {
    Path opt = put("opt/rocm-6.4.0/lib/libhiprtc.so.6");
    assertThat(find(Map.of())).isEqualTo(opt);
    Path newer = put("opt/rocm-6.10.0/lib/libhiprtc.so.6");
    assertThat(find(Map.of())).isEqualTo(newer);
    Path unversioned = put("opt/rocm/lib/libhiprtc.so");
    assertThat(find(Map.of())).isEqualTo(unversioned);
    Path system = put("usr/lib/x86_64-linux-gnu/libamdhip64.so.5");
    assertThat(find(Map.of())).isEqualTo(system);
    Path listed = put("listed/libhiprtc.so.6");
    Map<String, String> listing = Map.of("LD_LIBRARY_PATH", "relative::" + root.resolve("listed"));
    assertThat(find(listing)).isEqualTo(listed);
    Path rocm = put("rocm/lib/libhiprtc.so.7");
    Map<String, String> setting =
        Map.of(
            "ROCM_PATH", root.resolve("rocm").toString(),
            "LD_LIBRARY_PATH", root.resolve("listed").toString());
    assertThat(find(setting)).isEqualTo(rocm);
  }

  /** From HIP 6 on the runtime has no hiprtc in it. */
  @Test
  void runtime_isTakenOnlyIfHiprtcIsInIt() throws IOException {
    put("usr/lib/libamdhip64.so.6");
    assertThat(find(Map.of())).isNull();
    Path older = put("usr/lib/libamdhip64.so.5");
    assertThat(find(Map.of())).isEqualTo(older);
    Path own = put("usr/lib/libhiprtc.so.5");
    assertThat(find(Map.of())).isEqualTo(own);
  }

  @Test
  void chosenRuntime_hasItsHiprtcBesideIt() throws IOException {
    put("usr/lib/libhiprtc.so.6");
    Path runtime = put("mine/lib/libamdhip64.so.7");
    assertThat(find(Map.of("KCACHE_HIP_LIBRARY", runtime.toString()))).isNull();
    Path hiprtc = put("mine/lib/libhiprtc.so.7");
    assertThat(find(Map.of("KCACHE_HIP_LIBRARY", runtime.toString()))).isEqualTo(hiprtc);
    assertThat(find(Map.of("KCACHE_HIP_LIBRARY", root.resolve("mine").toString())))
        .isEqualTo(hiprtc);
  }

  @Test
  void emptyVariable_countsAsUnset() throws IOException {
    Path system = put("usr/lib64/libhiprtc.so.6");
    assertThat(find(Map.of("KCACHE_HIP_LIBRARY", "", "ROCM_PATH", ""))).isEqualTo(system);
  }

  @Test
  void windows_hasNone() throws IOException {
    Path library = put("sdk/lib/libhiprtc.so.7");
    put("sdk/bin/hiprtc0702.dll");
    Map<String, String> named = Map.of("KCACHE_HIP_LIBRARY", root + "/sdk");
    LibraryPlaces windows = new LibraryPlaces(root, new Environment(named), true);

    assertThat(find(named)).isEqualTo(library);
    assertThat(windows.find()).isEmpty();
    assertThat(windows.absence())
        .isEqualTo("hiprtc is used on Linux alone; on Windows take hipcc of a HIP SDK, or wsl");
  }

  private Path find(Map<String, String> environment) {
    return new LibraryPlaces(root, new Environment(environment), false).find().orElse(null);
  }

  private Path put(String name) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.createFile(file);
  }
}
