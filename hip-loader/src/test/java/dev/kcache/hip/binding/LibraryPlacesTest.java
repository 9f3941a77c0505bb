// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.binding.LibraryPlaces.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    assertThat(list(Map.of("KCACHE_HIP_LIBRARY", library.toString(), "ROCM_PATH", "/x")))
        .containsExactly(
            new Place(
                library.toString(), " (KCACHE_HIP_LIBRARY)", List.of(library.toString()), ""));
  }

  @Test
  void variableThatNamesADirectory_isWhatItHolds() throws IOException {
    Path library = file("x/libamdhip64.so.6");
    Path below = file("y/lib/libamdhip64.so.6");

    assertThat(list(Map.of("KCACHE_HIP_LIBRARY", root.resolve("x").toString())))
        .extracting(Place::candidates)
        .containsExactly(List.of(library.toString()));
    assertThat(list(Map.of("KCACHE_HIP_LIBRARY", root.resolve("y").toString())))
        .extracting(Place::candidates)
        .containsExactly(List.of(below.toString()));
  }

  @Test
  void variableThatLeadsNowhere_saysSo() {
    assertThat(list(Map.of("KCACHE_HIP_LIBRARY", root + "/gone")))
        .containsExactly(
            new Place(root + "/gone", " (KCACHE_HIP_LIBRARY)", List.of(), "does not exist"));
    assertThat(list(Map.of("KCACHE_HIP_LIBRARY", root.toString())))
        .extracting(Place::absence)
        .containsExactly("has no libamdhip64.so there, nor in lib or lib64");
    assertThat(list(Map.of("KCACHE_HIP_LIBRARY", "\0")))
        .extracting(Place::absence)
        .containsExactly("does not exist");
  }

  @Test
  void emptyVariable_isUnset() {
    Map<String, String> empty = Map.of("KCACHE_HIP_LIBRARY", "", "ROCM_PATH", "", "HIP_PATH", "");

    assertThat(list(empty)).isEqualTo(list(Map.of()));
  }

  @Test
  void explicitPath_goesBeforeTheVariable() throws IOException {
    Path library = file("x/libamdhip64.so.5");

    assertThat(places.list(Map.of("KCACHE_HIP_LIBRARY", "/y"), Optional.of(library)))
        .containsExactly(new Place(library.toString(), "", List.of(library.toString()), ""));
  }

  @Test
  void windows_hasOtherNamesAndNoOpt() throws IOException {
    Path library = file("ROCm/bin/amdhip64_6.dll");
    Path old = file("ROCm/bin/amdhip64.dll");
    file("opt/rocm/lib/libamdhip64.so");

    assertThat(
            new LibraryPlaces(true, root)
                .list(Map.of("HIP_PATH", root.resolve("ROCm").toString()), Optional.empty()))
        .extracting(Place::candidates)
        .containsExactly(
            List.of(library.toString(), old.toString()),
            List.of("amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"));
  }

  private List<Place> list(Map<String, String> environment) {
    return places.list(environment, Optional.empty());
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
