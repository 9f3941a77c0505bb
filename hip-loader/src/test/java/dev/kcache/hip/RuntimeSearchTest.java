// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.binding.LibraryFinder;
import dev.kcache.hip.binding.LinkedLibrary;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of libraries that will not do. */
class RuntimeSearchTest {
  private static final String CORRECT = "; correct KCACHE_HIP_LIBRARY or unset it";

  @TempDir private Path directory;

  @Test
  void library_isFoundInEachWayThatTheVariableMayNameIt() {
    Path library = CCompiler.runtime(directory.resolve("rocm/lib/libamdhip64.so.6"), 60443484);

    for (Path named : List.of(library, library.getParent(), directory.resolve("rocm"))) {
      HipRuntime hip = named(named);
      assertThat(hip.unavailability()).isEmpty();
      assertThat(hip.library()).isEqualTo(library.toString());
      assertThat(hip.version()).isEqualTo(new HipVersion(6, 4, 43484));
    }
    assertThat(
            HipRuntime.find(Map.of("HIP_PLATFORM", "amd", "ROCM_PATH", directory + "/rocm"))
                .library())
        .isEqualTo(library.toString());
    assertThat(HipRuntime.at(library).library()).isEqualTo(library.toString());
  }

  @Test
  void variableThatNamesNothing_isToldOnceIfAnotherPlaceHasALibrary() {
    Path library = CCompiler.runtime(directory.resolve("rocm/lib/libamdhip64.so.6"), 60443484);
    Map<String, String> environment =
        Map.of(
            "HIP_PLATFORM",
            "amd",
            "PATH",
            "/nowhere",
            "ROCM_PATH",
            directory + "/mistyped",
            "HIP_PATH",
            directory + "/rocm");
    assertThat(noticesOf(environment, library))
        .containsExactly(
            directory + "/mistyped (ROCM_PATH) does not exist; the HIP runtime is " + library);
  }

  @Test
  void runtimeOfAnotherRocmThanTheCompiler_isToldOnce() throws IOException {
    Path library = CCompiler.runtime(directory.resolve("rocm/lib/libamdhip64.so.6"), 60443484);
    Path hipcc = Files.createDirectories(directory.resolve("other/bin")).resolve("hipcc");
    Files.writeString(hipcc, "#!/bin/sh\n");
    Files.setPosixFilePermissions(hipcc, PosixFilePermissions.fromString("rwx------"));
    Map<String, String> environment =
        Map.of(
            "HIP_PLATFORM",
            "amd",
            "PATH",
            hipcc.getParent().toString(),
            "ROCM_PATH",
            directory + "/rocm");

    assertThat(noticesOf(environment, library))
        .containsExactly(
            "the compiler is of %1$s/other and the HIP runtime of %1$s/rocm; set ROCM_PATH to have both of one"
                .formatted(directory.toRealPath()));
  }

  /** Finds a library twice, and returns what was logged meanwhile. */
  private static List<String> noticesOf(Map<String, String> environment, Path library) {
    List<String> notices = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger(LibraryFinder.class.getName());
    logger.setFilter(
        entry -> {
          notices.add(entry.getMessage());
          return false;
        });
    try {
      for (int i = 0; i < 2; i++) {
        assertThat(HipRuntime.find(environment).library()).isEqualTo(library.toString());
      }
    } finally {
      logger.setFilter(null);
    }
    return notices;
  }

  @Test
  void library_isLinkedOnce() {
    Path library = CCompiler.runtime(directory.resolve("libamdhip64.so.6"), 60443484);

    LinkedLibrary loaded = LinkedLibrary.load(library.toString());

    assertThat(LinkedLibrary.load(library.toString())).isSameAs(loaded);
    assertThat(HipRuntime.at(library).library()).isEqualTo(loaded.file());
  }

  @Test
  void elderThatIsTooOld_isPassedForTheNextOne() {
    CCompiler.runtime(directory.resolve("a/lib/libamdhip64.so.7"), 40221153);
    Path usable = CCompiler.runtime(directory.resolve("a/lib/libamdhip64.so.5"), 50221153);

    HipRuntime hip = HipRuntime.find(Map.of("HIP_PLATFORM", "amd", "ROCM_PATH", directory + "/a"));

    assertThat(hip.library()).isEqualTo(usable.toString());
  }

  @Test
  void tooOld_saysItsVersion() {
    Path library = CCompiler.runtime(directory.resolve("libamdhip64.so.5"), 40221153);

    assertThat(problem(library))
        .isEqualTo(
            "no usable HIP runtime library: "
                + library
                + " (KCACHE_HIP_LIBRARY): is HIP 4.2.21153, and too old: 5.0 is the oldest that will"
                + " do"
                + CORRECT);
  }

  @Test
  void oneFileWithManyNames_isTriedOnce() throws IOException {
    Path library = CCompiler.runtime(directory.resolve("libamdhip64.so.4.2"), 40221153);
    Files.createSymbolicLink(directory.resolve("libamdhip64.so.5"), library);
    Files.createSymbolicLink(directory.resolve("libamdhip64.so"), library);

    assertThat(named(directory).unavailability().orElseThrow().attempts())
        .singleElement()
        .asString()
        .startsWith(directory + "/libamdhip64.so.5 (KCACHE_HIP_LIBRARY): is HIP 4.2.21153");
  }

  @Test
  void libraryOfSomethingElse_isNoRuntime() {
    Path library = CCompiler.library(directory.resolve("x.so"), "int x;");

    assertThat(problem(library)).contains(": is no HIP runtime library: it has no hipRuntimeGet");
  }

  @Test
  void runtimeThatFails_saysTheCode() {
    Path library =
        CCompiler.library(
            directory.resolve("x.so"), "int hipRuntimeGetVersion(int *v) { return 3; }");

    assertThat(problem(library))
        .contains(": does not say its version: hipRuntimeGetVersion gave 3");
  }

  @Test
  void cudaDriver_isFoundByTheSameVariable() {
    Path library = CCompiler.cudaDriver(directory.resolve("libcuda.so.1"), 12040);

    HipRuntime hip = named(directory);

    assertThat(hip.library()).isEqualTo(library.toString());
    assertThat(hip.platform()).isEqualTo(Platform.NVIDIA);
    assertThat(hip.version()).isEqualTo(new HipVersion(12, 4, 0));
  }

  @Test
  void cudaDriver_thatIsTooOldOrAStub_isNotUsed() {
    Path old = CCompiler.cudaDriver(directory.resolve("old.so"), 10020);
    Path stub =
        CCompiler.library(
            directory.resolve("stub.so"), "int cuDriverGetVersion(int *v) { return 34; }");

    assertThat(problem(old))
        .contains(": is a driver for CUDA 10.2.0, and too old: 11.0 is the oldest that will do;");
    assertThat(problem(stub)).contains(": does not say its version: cuDriverGetVersion gave 34;");
  }

  @Test
  void platformThatIsNone_saysWhichThereAre() {
    HipRuntime hip = HipRuntime.find(Map.of("HIP_PLATFORM", "intel"));

    assertThat(hip.unavailability().orElseThrow())
        .hasMessage(
            "no usable HIP runtime library: HIP_PLATFORM='intel': is neither amd nor nvidia; correct HIP_PLATFORM or unset it");
    assertThatThrownBy(hip::platform).isInstanceOf(HipUnavailableException.class);
  }

  @Test
  void fileThatIsNoLibrary_isToldInTheLoadersWords() throws IOException {
    Path text =
        Files.writeString(directory.resolve("libamdhip64.so.6"), "INPUT(libx.so)".repeat(9));
    Path empty = Files.createFile(directory.resolve("empty.so"));

    assertThat(problem(text))
        .isEqualTo(
            "no usable HIP runtime library: "
                + text
                + " (KCACHE_HIP_LIBRARY): invalid ELF header"
                + CORRECT);
    assertThat(problem(empty)).contains(" (KCACHE_HIP_LIBRARY): file too short;");
  }

  @Test
  void libraryThatIsCutOff_isNotGivenToTheLoader() throws IOException {
    byte[] whole = Files.readAllBytes(CCompiler.runtime(directory.resolve("x.so"), 60443484));
    for (int size : new int[] {100, 2000, 4096, 8192}) {
      Path cut = directory.resolve("cut-" + size + ".so");
      Files.write(cut, Arrays.copyOf(whole, size));
      assertThat(problem(cut)).contains(" (KCACHE_HIP_LIBRARY): is cut off;");
    }
  }

  @Test
  void devicesOfOneLibrary_areEqualWhoeverFoundIt() {
    StandIn standIn = StandIn.build(Version.HIP_6_4).devices("gfx1030", "gfx1030");
    List<HipDevice> one = HipRuntime.at(standIn.library()).devices();
    List<HipDevice> other = HipRuntime.at(standIn.library()).devices();

    assertThat(one).isEqualTo(other).doesNotHaveDuplicates();
    try (DeviceBuffer source = one.get(0).allocate(4);
        DeviceBuffer target = other.get(0).allocate(4)) {
      target.copyFrom(source);
    }
  }

  @Test
  void libraryForAnotherMachine_isNotSaidToBeMissing() throws IOException {
    Path library = CCompiler.runtime(directory.resolve("x.so"), 60443484);
    byte[] bytes = Files.readAllBytes(library);
    bytes[18] = (byte) 0xb7; // e_machine: AArch64
    Path other = Files.write(directory.resolve("libamdhip64.so"), bytes);

    assertThat(problem(other)).contains(" (KCACHE_HIP_LIBRARY): is for another kind of machine");
  }

  @Test
  void libraryThatLacksAnother_namesThatOne() throws IOException {
    Path needed = CCompiler.library(directory.resolve("libneeded.so"), "int needed;");
    Path library = directory.resolve("libamdhip64.so.6");
    CCompiler.compile(
        library,
        "extern int needed; int hipRuntimeGetVersion(int *v) { return needed; }",
        "-shared",
        "-fPIC",
        "-Wl,--no-as-needed",
        "-L" + directory,
        "-Wl,-l:libneeded.so",
        "-Wl,-soname,libamdhip64.so.6");
    Files.delete(needed);

    assertThat(problem(library))
        .contains(" (KCACHE_HIP_LIBRARY): libneeded.so: cannot open shared object file: No such");
  }

  @Test
  void pathThatIsGone_namesTheVariable() {
    assertThat(problem(directory.resolve("gone")))
        .isEqualTo(
            "no usable HIP runtime library: "
                + directory
                + "/gone (KCACHE_HIP_LIBRARY): does not exist"
                + CORRECT);
    assertThat(problem(directory))
        .contains(": has no libamdhip64.so or libcuda.so.1 there, nor in");
  }

  @Test
  void everyUse_isRefusedWithTheCause() {
    HipRuntime hip = HipRuntime.at(directory.resolve("gone"));
    String problem = hip.unavailability().orElseThrow().getMessage();

    assertThat(hip.isAvailable()).isFalse();
    assertThat(problem).endsWith("; give the library's file, or a directory that has it");
    assertThatThrownBy(hip::devices)
        .isInstanceOf(HipUnavailableException.class)
        .hasMessage(problem);
    assertThatThrownBy(hip::version).hasMessage(problem);
    assertThatThrownBy(hip::library).hasMessage(problem);
  }

  @Test
  void javaThatCannotUnpackJna_isAStateThatSaysWhatToDo() throws IOException {
    Path nowhere = Files.createFile(directory.resolve("file"));

    String output = RuntimeProbe.run(Map.of(), "-Djna.tmpdir=" + nowhere, "-Djna.nosys=true");

    assertThat(output.lines())
        .hasSize(2)
        .allMatch(
            line ->
                line.startsWith(
                    "no usable HIP runtime library: JNA: its own library cannot be loaded: "))
        .allMatch(line -> line.contains("libjnidispatch.so library: Not a directory"))
        .allMatch(line -> line.contains("; start Java with -Djna.tmpdir=DIR, a directory where "));
  }

  private static HipRuntime named(Path library) {
    return HipRuntime.find(Map.of("KCACHE_HIP_LIBRARY", library.toString()));
  }

  private static String problem(Path library) {
    String problem = named(library).unavailability().orElseThrow().getMessage();
    assertThat(problem.lines()).hasSize(1);
    return problem;
  }
}
