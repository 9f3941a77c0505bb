// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.binding.LibraryPlaces.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryPlacesTest {
  private static final List<String> NAMES =
      List.of("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so");

  @TempDir private Path root;
  private LibraryPlaces places;

  @BeforeEach
  void createPlaces() {
    places = new LibraryPlaces(false, root);
  }

  @Test
  void nothingInstalled_isTheSystemsLoaderAndOpt() {
    assertThat(list(Map.of()))
        .containsExactly(
            new Place("the system's loader", "", NAMES, ""),
            new Place(root.resolve("opt/rocm").toString(), "", List.of(), "does not exist"));
  }

  @Test
  void order_isVariablesThenLoaderThenInstallationsNewestFirst() throws IOException {
    Path rocm = file("a/lib/libamdhip64.so.5");
    Path hip = file("b/lib64/libamdhip64.so.6");
    Path current = file("opt/rocm/lib/libamdhip64.so.7");
    Path older = file("opt/rocm-6.4.1/lib/libamdhip64.so.6");
    Path newer = file("opt/rocm-6.10.0/lib/libamdhip64.so.6");
    Path oldest = file("opt/rocm-5.7/lib/libamdhip64.so.5");

    List<Place> list =
        list(Map.of("HIP_PATH", parent(hip).toString(), "ROCM_PATH", parent(rocm).toString()));

    assertThat(list)
        .extracting(Place::candidates)
        .containsExactly(
            List.of(rocm.toString()),
            List.of(hip.toString()),
            NAMES,
            List.of(current.toString()),
            List.of(newer.toString()),
            List.of(older.toString()),
            List.of(oldest.toString()));
    assertThat(list.get(0).name()).isEqualTo(root.resolve("a").toString());
    assertThat(list).extracting(Place::origin).startsWith(" (ROCM_PATH)", " (HIP_PATH)", "");
  }

  /** Unless LD_LIBRARY_PATH has another, which the system's loader finds. */
  @Test
  void compilersRoot_isBeforeTheSystemsLoader() throws IOException {
    Path hipcc = file("opt/rocm/bin/hipcc");
    Files.setPosixFilePermissions(hipcc, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path library = file("opt/rocm/lib/libamdhip64.so.6");
    Path own = file("own/libamdhip64.so.6");

    assertThat(list(Map.of()))
        .extracting(Place::candidates)
        .containsExactly(List.of(library.toString()), NAMES);
    assertThat(list(Map.of("LD_LIBRARY_PATH", own.getParent().toString())))
        .extracting(Place::candidates)
        .containsExactly(NAMES, List.of(library.toString()));
  }

  @Test
  void wheelAndCorePackages_haveTheRuntimeToo() throws IOException {
    Path wheel = file("venv/lib/python3.12/site-packages/_rocm_sdk_core/lib/libamdhip64.so.7");
    Path core = file("opt/rocm/core-10.1/lib/libamdhip64.so.7");

    assertThat(list(Map.of("VIRTUAL_ENV", root.resolve("venv").toString())))
        .extracting(Place::candidates)
        .containsExactly(NAMES, List.of(wheel.toString()), List.of(), List.of(core.toString()));
    assertThat(list(Map.of("VIRTUAL_ENV", root.resolve("empty").toString())))
        .extracting(Place::origin)
        .containsOnly("");
  }

  @Test
  void wsl_hasTheRuntimeInTheDriversDirectoryToo() throws IOException {
    Path driver = file("usr/lib/wsl/lib/libamdhip64.so.7");
    Path hsa = file("usr/lib/wsl/lib/libhsa-runtime64.so.1");
    Path rocm = file("opt/rocm/lib/libamdhip64.so.6");

    assertThat(list(Map.of()))
        .extracting(Place::candidates)
        .containsExactly(NAMES, List.of(driver.toString()), List.of(rocm.toString()));
    assertThat(places.list(RuntimeKind.HSA, Map.of()))
        .extracting(Place::candidates)
        .contains(List.of(hsa.toString()));
  }

  @Test
  void severalVersionsInOneDirectory_areTriedNewestFirst() throws IOException {
    file("opt/rocm/lib/libamdhip64.so");
    file("opt/rocm/lib/libamdhip64.so.5");
    file("opt/rocm/lib/libamdhip64.so.6");
    file("opt/rocm/lib64/libamdhip64.so.7");
    file("opt/rocm/lib/libamdhip64.so.4");

    assertThat(list(Map.of()).get(1).candidates().stream().map(Path::of))
        .containsExactly(
            root.resolve("opt/rocm/lib/libamdhip64.so.6"),
            root.resolve("opt/rocm/lib/libamdhip64.so.5"),
            root.resolve("opt/rocm/lib/libamdhip64.so"),
            root.resolve("opt/rocm/lib64/libamdhip64.so.7"));
  }

  @Test
  void variable_isTheOnlyPlace() throws IOException {
    Path library = file("x/mine.so");

    assertThat(chosen(library))
        .contains(
            new Place(
                library.toString(), " (KCACHE_HIP_LIBRARY)", List.of(library.toString()), ""));
  }

  @Test
  void variableThatNamesADirectory_isWhatItHolds() throws IOException {
    Path library = file("x/libamdhip64.so.6");
    Path below = file("y/lib/libamdhip64.so.6");

    assertThat(chosen(root.resolve("x")).map(Place::candidates))
        .contains(List.of(library.toString()));
    assertThat(chosen(root.resolve("y")).map(Place::candidates))
        .contains(List.of(below.toString()));
  }

  @Test
  void variableThatNamesADirectory_isForBothPlatforms() throws IOException {
    Path nvidia = file("x/libcuda.so.1");
    assertThat(chosen(root.resolve("x")).map(Place::candidates))
        .contains(List.of(nvidia.toString()));

    Path amd = file("x/libamdhip64.so.5");
    assertThat(chosen(root.resolve("x")).map(Place::candidates))
        .contains(List.of(amd.toString(), nvidia.toString()));
  }

  @Test
  void variableThatLeadsNowhere_saysSo() {
    assertThat(places.chosen(Map.of("KCACHE_HIP_LIBRARY", root + "/gone"), Optional.empty()))
        .contains(new Place(root + "/gone", " (KCACHE_HIP_LIBRARY)", List.of(), "does not exist"));
    assertThat(chosen(root).map(Place::absence))
        .contains("has no libamdhip64.so or libcuda.so.1 there, nor in lib or lib64");
    assertThat(places.chosen(Map.of("KCACHE_HIP_LIBRARY", "\0"), Optional.empty()))
        .map(Place::absence)
        .contains("does not exist");
  }

  @Test
  void emptyVariable_isUnset() {
    Map<String, String> empty = Map.of("KCACHE_HIP_LIBRARY", "", "ROCM_PATH", "", "HIP_PATH", "");

    assertThat(places.chosen(empty, Optional.empty())).isEmpty();
    assertThat(list(empty)).isEqualTo(list(Map.of()));
  }

  @Test
  void explicitPath_goesBeforeTheVariable() throws IOException {
    Path library = file("x/libamdhip64.so.5");

    assertThat(places.chosen(Map.of("KCACHE_HIP_LIBRARY", "/y"), Optional.of(library)))
        .contains(new Place(library.toString(), "", List.of(library.toString()), ""));
  }

  @Test
  void windows_isTheDriversDirectoryThenTheSdks() throws IOException {
    Path driver = file("W/System32/amdhip64_7.dll");
    Path elder = file("W/System32/amdhip64.dll");
    Path named = file("sdk/bin/amdhip64_6.dll");
    Path newer = file("PF/AMD/ROCm/6.10/bin/amdhip64_6.dll");
    Path older = file("PF/AMD/ROCm/6.4/bin/amdhip64_6.dll");
    file("PF/AMD/ROCm/5.7/bin/hipInfo.exe");
    file("opt/rocm/lib/libamdhip64.so");

    Map<String, String> environment =
        Map.of("SystemRoot", root + "/W", "ProgramFiles", root + "/PF", "HIP_PATH", root + "/sdk");
    assertThat(new LibraryPlaces(true, root).list(RuntimeKind.HIP, environment))
        .extracting(Place::candidates)
        .containsExactly(
            List.of(driver.toString(), elder.toString()),
            List.of(named.toString()),
            List.of(newer.toString()),
            List.of(older.toString()),
            List.of());
  }

  /** Its loader would look for a name in the working directory and in PATH. */
  @Test
  void windows_isAskedForFilesAlone() throws IOException {
    String path = root.resolve("path").toString();
    file("path/amdhip64_7.dll");
    file("path/nvcuda.dll");
    LibraryPlaces windows = new LibraryPlaces(true, root);
    Map<String, String> environment = Map.of("PATH", path);

    String system = root.resolve("Windows/System32").toString();
    assertThat(windows.list(RuntimeKind.HIP, environment))
        .containsExactly(
            new Place(
                system, "", List.of(), "has no amdhip64_7.dll, amdhip64_6.dll, amdhip64.dll"));
    assertThat(windows.list(RuntimeKind.CUDA, environment))
        .containsExactly(new Place(system, "", List.of(), "has no nvcuda.dll"));
    Path driver = file("Windows/System32/nvcuda.dll");
    assertThat(windows.list(RuntimeKind.CUDA, environment))
        .containsExactly(new Place(system, "", List.of(driver.toString()), ""));
  }

  @Test
  void variableWithARelativePath_isRefusedOnWindows() throws IOException {
    Map<String, String> relative = Map.of("KCACHE_HIP_LIBRARY", "amdhip64_6.dll");
    Path library = file("x/amdhip64_6.dll");

    assertThat(new LibraryPlaces(true, root).chosen(relative, Optional.empty()))
        .contains(
            new Place(
                "amdhip64_6.dll",
                " (KCACHE_HIP_LIBRARY)",
                List.of(),
                "is no absolute path, as Windows needs one"));
    assertThat(
            new LibraryPlaces(true, root)
                .chosen(Map.of("KCACHE_HIP_LIBRARY", library.toString()), Optional.empty())
                .map(Place::candidates))
        .contains(List.of(library.toString()));
  }

  /** The name without a number would lead to the stub that CUDA's toolkit has to link with. */
  @Test
  void nvidias_isTheSystemsLoaderAndWhereContainersHaveIt() throws IOException {
    Path container = file("usr/local/nvidia/lib64/libcuda.so.1");
    file("usr/lib64-nvidia/libcuda.so");

    assertThat(places.list(RuntimeKind.CUDA, Map.of("ROCM_PATH", root.toString())))
        .containsExactly(
            new Place("the system's loader", "", List.of("libcuda.so.1"), ""),
            new Place(container.toString(), "", List.of(container.toString()), ""));
  }

  private Optional<Place> chosen(Path named) {
    return places.chosen(
        Map.of("KCACHE_HIP_LIBRARY", named.toString(), "ROCM_PATH", "/x"), Optional.empty());
  }

  private List<Place> list(Map<String, String> environment) {
    return places.list(RuntimeKind.HIP, environment);
  }

  private static Path parent(Path library) {
    return library.getParent().getParent();
  }

  private Path file(String name) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.createFile(file);
  }
}
