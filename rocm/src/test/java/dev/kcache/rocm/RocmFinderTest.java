// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RocmFinderTest {
  private static final String SITE = "venv/lib/python3.12/site-packages/";

  /** What a wheel's console scripts do is start Python, and perhaps unpack the wheel. */
  private static final String SCRIPTS =
      """
      script venv/bin/hipcc
      script venv/bin/amdclang++
      script venv/bin/rocminfo
      script venv/bin/rocm-sdk
      """;

  private static final String CORE =
      """
      program SITE_rocm_sdk_core/bin/hipcc
      program SITE_rocm_sdk_core/bin/rocminfo
      program SITE_rocm_sdk_core/lib/llvm/bin/amdclang++
      file SITE_rocm_sdk_core/lib/llvm/amdgcn/bitcode/ocml.bc
      file SITE_rocm_sdk_core/lib/libamdhip64.so.7
      """
          .replace("SITE", SITE);

  private static final String CLASSIC =
      """
      program opt/rocm-6.4.1/bin/hipcc
      program opt/rocm-6.4.1/bin/rocminfo
      program opt/rocm-6.4.1/lib/llvm/bin/amdclang++
      program opt/rocm-6.4.1/lib/llvm/bin/clang++
      link opt/rocm-6.4.1/llvm -> lib/llvm
      file opt/rocm-6.4.1/lib/llvm/lib/clang/19/lib/amdgcn/bitcode/ocml.bc
      link opt/rocm-6.4.1/amdgcn -> lib/llvm/lib/clang/19/lib/amdgcn
      file opt/rocm-6.4.1/include/hip/hip_version.h
      file opt/rocm-6.4.1/lib/libamdhip64.so.6
      link opt/rocm -> rocm-6.4.1
      """;

  @TempDir Path root;
  private Layout machine;

  @BeforeEach
  void make() throws IOException {
    root = root.toRealPath();
    machine = new Layout(root);
  }

  /** Name, files, variables; then the compiler, the runtime, rocminfo and the device library. */
  static Stream<Arguments> layouts() {
    return Stream.of(
        layout(
            "AMD's packages",
            CLASSIC,
            "PATH=/nowhere",
            "opt/rocm/bin/hipcc",
            "opt/rocm/lib/libamdhip64.so.6",
            "opt/rocm/bin/rocminfo",
            "opt/rocm/amdgcn/bitcode"),
        layout(
            "AMD's packages without hipcc and amdclang++ in bin (6.3.4), by PATH",
            """
            program a/rocm/bin/rocminfo
            program a/rocm/lib/llvm/bin/amdclang++
            file a/rocm/lib/llvm/lib/clang/18/lib/amdgcn/bitcode/ocml.bc
            file a/rocm/lib/libamdhip64.so.6
            """,
            "PATH=~/a/rocm/bin",
            "a/rocm/lib/llvm/bin/amdclang++",
            "a/rocm/lib/libamdhip64.so.6",
            "a/rocm/bin/rocminfo",
            "a/rocm/lib/llvm/lib/clang/18/lib/amdgcn/bitcode"),
        layout(
            "TheRock's native packages",
            """
            program opt/rocm/core-10.1/bin/hipcc
            program opt/rocm/core-10.1/bin/rocminfo
            file opt/rocm/core-10.1/lib/llvm/amdgcn/bitcode/ocml.bc
            file opt/rocm/core-10.1/lib/libamdhip64.so.7
            program opt/rocm/core-7.14/bin/hipcc
            directory opt/rocm/share
            """,
            "PATH=/nowhere",
            "opt/rocm/core-10.1/bin/hipcc",
            "opt/rocm/core-10.1/lib/libamdhip64.so.7",
            "opt/rocm/core-10.1/bin/rocminfo",
            "opt/rocm/core-10.1/lib/llvm/amdgcn/bitcode"),
        layout(
            "TheRock's archive",
            """
            program dist/lib/llvm/bin/amdllvm
            link dist/lib/llvm/bin/amdclang++ -> amdllvm
            link dist/bin/amdclang++ -> ../lib/llvm/bin/amdclang++
            link dist/llvm -> lib/llvm
            program dist/bin/rocminfo
            file dist/lib/llvm/amdgcn/bitcode/ocml.bc
            link dist/amdgcn -> lib/llvm/amdgcn
            file dist/lib/libamdhip64.so.7
            """,
            "PATH=~/dist/bin",
            "dist/bin/amdclang++",
            "dist/lib/libamdhip64.so.7",
            "dist/bin/rocminfo",
            "dist/amdgcn/bitcode"),
        layout(
            "a wheel by its scripts on PATH",
            SCRIPTS + CORE,
            "PATH=~/venv/bin",
            SITE + "_rocm_sdk_core/bin/hipcc",
            SITE + "_rocm_sdk_core/lib/libamdhip64.so.7",
            SITE + "_rocm_sdk_core/bin/rocminfo",
            SITE + "_rocm_sdk_core/lib/llvm/amdgcn/bitcode"),
        layout(
            "a wheel for development, by VIRTUAL_ENV",
            SCRIPTS + CORE + CORE.replace("_core", "_devel"),
            "PATH=/nowhere VIRTUAL_ENV=~/venv",
            SITE + "_rocm_sdk_devel/bin/hipcc",
            SITE + "_rocm_sdk_devel/lib/libamdhip64.so.7",
            SITE + "_rocm_sdk_devel/bin/rocminfo",
            SITE + "_rocm_sdk_devel/lib/llvm/amdgcn/bitcode"),
        layout(
            "conda",
            """
            program conda/bin/hipcc
            program conda/bin/clang++
            program conda/bin/rocminfo
            file conda/include/hip/hip_runtime.h
            file conda/lib/amdgcn/bitcode/ocml.bc
            file conda/lib/libamdhip64.so.7
            """,
            "PATH=/nowhere CONDA_PREFIX=~/conda",
            "conda/bin/hipcc",
            "conda/lib/libamdhip64.so.7",
            "conda/bin/rocminfo",
            "conda/lib/amdgcn/bitcode"),
        layout(
            "Spack without hipcc",
            """
            file s/hip-6.4/include/hip/hip_version.h
            file s/hip-6.4/lib/libamdhip64.so.6
            program s/llvm-amdgpu-6.4/bin/amdclang++
            file s/llvm-amdgpu-6.4/amdgcn/bitcode/ocml.bc
            program s/rocminfo-6.4/bin/rocminfo
            """,
            "PATH=/nowhere HIP_PATH=~/s/hip-6.4 HIP_CLANG_PATH=~/s/llvm-amdgpu-6.4/bin"
                + " LLVM_PATH=~/s/llvm-amdgpu-6.4 ROCMINFO_PATH=~/s/rocminfo-6.4",
            "s/llvm-amdgpu-6.4/bin/amdclang++",
            "s/hip-6.4/lib/libamdhip64.so.6",
            "s/rocminfo-6.4/bin/rocminfo",
            "s/llvm-amdgpu-6.4/amdgcn/bitcode"),
        layout(
            "Nix, by a profile's link",
            """
            program nix/store/abc-clr-6.4/bin/hipcc
            file nix/store/abc-clr-6.4/include/hip/hip_version.h
            file nix/store/abc-clr-6.4/lib/libamdhip64.so.6
            file nix/store/abc-clr-6.4/lib/llvm/amdgcn/bitcode/ocml.bc
            link profile/bin/hipcc -> ../../nix/store/abc-clr-6.4/bin/hipcc
            program profile/bin/rocminfo
            """,
            "PATH=~/profile/bin",
            "profile/bin/hipcc",
            "nix/store/abc-clr-6.4/lib/libamdhip64.so.6",
            "profile/bin/rocminfo",
            "nix/store/abc-clr-6.4/lib/llvm/amdgcn/bitcode"),
        layout(
            "Fedora without hipcc",
            """
            program usr/lib64/rocm/llvm/bin/amdclang++
            program usr/bin/clang++
            program usr/bin/rocminfo
            file usr/include/hip/hip_version.h
            file usr/lib64/libamdhip64.so.6
            file usr/lib64/rocm/llvm/lib/clang/18/amdgcn/bitcode/ocml.bc
            """,
            "PATH=~/usr/bin",
            "usr/lib64/rocm/llvm/bin/amdclang++",
            "",
            "usr/bin/rocminfo",
            "usr/lib64/rocm/llvm/lib/clang/18/amdgcn/bitcode"),
        layout(
            "Debian without hipcc: the LLVM with a device library goes before a newer one",
            """
            program usr/lib/llvm-9/bin/clang++
            program usr/lib/llvm-21/bin/clang++
            program usr/lib/llvm-22/bin/clang++
            file usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode/ocml.bc
            file usr/include/hip/hip_runtime.h
            file usr/lib/x86_64-linux-gnu/libamdhip64.so.6
            program usr/bin/rocminfo
            """,
            "",
            "usr/lib/llvm-21/bin/clang++",
            "",
            "usr/bin/rocminfo",
            "usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode"),
        layout(
            "Debian",
            """
            program usr/bin/hipcc
            program usr/bin/rocminfo
            file usr/lib/x86_64-linux-gnu/libamdhip64.so.5
            file usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc
            """,
            "PATH=~/usr/bin",
            "usr/bin/hipcc",
            "",
            "usr/bin/rocminfo",
            "usr/lib/x86_64-linux-gnu/amdgcn/bitcode"));
  }

  private static Arguments layout(
      String name,
      String files,
      String variables,
      String compiler,
      String runtime,
      String rocminfo,
      String deviceLibrary) {
    return Arguments.of(
        name, files, variables, List.of(compiler, runtime, rocminfo, deviceLibrary));
  }

  /** Of a distribution's library the system's loader knows: no place has it. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("layouts")
  void layout_isFoundWhole(String name, String files, String variables, List<String> expected)
      throws IOException {
    RocmFinder finder = machine.add(files).finder(variables(variables));

    assertThat(
            List.of(
                compiler(finder),
                runtime(finder),
                finder
                    .tool(List.of("rocminfo"))
                    .map(found -> machine.relative(found.file()))
                    .orElse(""),
                finder.deviceLibrary().map(machine::relative).orElse("")))
        .isEqualTo(expected);
    assertThat(finder.problems()).isEmpty();
    assertThat(runtimes(finder)).allMatch(library -> finder.mixture(library).isEmpty());
  }

  @Test
  void windows_findsTheSdkByVariableOrTheNewest() throws IOException {
    machine.add(
        """
        program Program Files/AMD/ROCm/6.4/bin/hipcc.exe
        file Program Files/AMD/ROCm/6.4/bin/amdhip64_6.dll
        program Program Files/AMD/ROCm/7.12/bin/hipInfo.exe
        program Program Files/AMD/ROCm/7.12/lib/llvm/bin/amdclang++.exe
        file Program Files/AMD/ROCm/7.12/bin/amdhip64_7.dll
        program old/bin/hipcc.exe
        program older/bin/hipcc.exe
        """);
    Map<String, String> variables = new HashMap<>(Map.of("PATH", "/nowhere;/elsewhere"));
    RocmFinder newest = machine.finder(variables, true);
    assertThat(compiler(newest))
        .isEqualTo("Program Files/AMD/ROCm/7.12/lib/llvm/bin/amdclang++.exe");
    assertThat(runtime(newest)).isEqualTo("Program Files/AMD/ROCm/7.12/bin/amdhip64_7.dll");
    assertThat(newest.tool(List.of("hipInfo"))).isPresent();

    variables.put("HIP_PATH_57", "~/older/");
    variables.put("HIP_PATH_62", "~/old/");
    assertThat(compiler(machine.finder(variables, true))).isEqualTo("old/bin/hipcc.exe");
    variables.put("HIP_PATH", "~/Program Files/AMD/ROCm/6.4/");
    assertThat(compiler(machine.finder(variables, true)))
        .isEqualTo("Program Files/AMD/ROCm/6.4/bin/hipcc.exe");
  }

  @Test
  void windows_olderSdk_givesTheProgramBesideTheBatchFile() throws IOException {
    machine.add(
        """
        file Program Files/AMD/ROCm/5.5/bin/hipcc.bat
        program Program Files/AMD/ROCm/5.5/bin/hipcc.bin.exe
        program Program Files/AMD/ROCm/5.5/bin/clang++.exe
        file Program Files/AMD/ROCm/5.5/amdgcn/bitcode/ocml.bc
        """);
    RocmFinder finder = machine.finder(Map.of("PATH", "/x"), true);

    assertThat(compiler(finder)).isEqualTo("Program Files/AMD/ROCm/5.5/bin/hipcc.bin.exe");
    assertThat(finder.deviceLibrary().map(machine::relative))
        .contains("Program Files/AMD/ROCm/5.5/amdgcn/bitcode");
    // On Linux it is no hipcc.
    assertThat(machine.finder(Map.of("ROCM_PATH", "~/Program Files/AMD/ROCm/5.5")).compiler())
        .isEmpty();
  }

  @Test
  void windows_batchFile_isPassedOverForClangOrSaid() throws IOException {
    machine.add("file Program Files/AMD/ROCm/5.5/bin/hipcc.bat");
    RocmFinder alone = machine.finder(Map.of("PATH", "/x"), true);
    assertThat(alone.compiler()).isEmpty();
    assertThat(alone.problems())
        .singleElement()
        .asString()
        .endsWith(
            "has hipcc.bat and no hipcc.exe: a batch file is never run, since cmd.exe changes its"
                + " arguments; install a newer HIP SDK, or its clang++.exe");

    machine.add(
        """
        program Program Files/AMD/ROCm/5.5/bin/clang++.exe
        file Program Files/AMD/ROCm/5.5/include/hip/hip_runtime.h
        """);
    RocmFinder beside = machine.finder(Map.of("PATH", "/x"), true);
    assertThat(compiler(beside)).isEqualTo("Program Files/AMD/ROCm/5.5/bin/clang++.exe");
    assertThat(beside.problems()).isEmpty();
  }

  @Test
  void windows_findsTheWheelOfAnActiveEnvironment() throws IOException {
    machine.add(
        """
        program venv/Scripts/hipcc.exe
        program venv/Lib/site-packages/_rocm_sdk_core/lib/llvm/bin/amdclang++.exe
        file venv/Lib/site-packages/_rocm_sdk_core/lib/llvm/amdgcn/bitcode/ocml.bc
        """);
    String clang = "venv/Lib/site-packages/_rocm_sdk_core/lib/llvm/bin/amdclang++.exe";

    assertThat(compiler(machine.finder(Map.of("PATH", "~/venv/Scripts"), true))).isEqualTo(clang);
    assertThat(compiler(machine.finder(Map.of("PATH", "/x", "VIRTUAL_ENV", "~/venv"), true)))
        .isEqualTo(clang);
  }

  @Test
  void places_areTriedInOrder() throws IOException {
    Map<String, String> variables = new HashMap<>();
    variables.put("PATH", "~/usr/bin");
    for (String each :
        List.of(
            "usr/bin/clang++ usr/include/hip/hip_runtime.h",
            "opt/rocm-6.4.3/bin/hipcc",
            "opt/rocm-6.10.0/bin/hipcc",
            "opt/rocm/core-7.14/bin/hipcc",
            "opt/rocm/core-10.1/bin/hipcc",
            "opt/rocm/core/bin/hipcc",
            "opt/rocm/bin/amdclang++",
            "spack/bin/amdclang++ LLVM_PATH=~/spack",
            "conda/bin/hipcc CONDA_PREFIX=~/conda",
            SITE + "_rocm_sdk_core/bin/hipcc VIRTUAL_ENV=~/venv",
            "path/hipcc PATH=~/path:~/usr/bin",
            "hip/bin/hipcc HIP_PATH=~/hip",
            "rocm/bin/hipcc ROCM_PATH=~/rocm",
            "named/hipcc KCACHE_HIPCC=~/named/hipcc",
            "named/amdclang++ KCACHE_COMPILER=~/named/amdclang++")) {
      String[] words = each.split(" ", -1);
      machine.add("program " + words[0]);
      if (words[0].contains("_rocm_sdk_core")) {
        machine.add("file " + SITE + "_rocm_sdk_core/amdgcn/bitcode/ocml.bc");
      } else if (words.length > 1 && !words[1].contains("=")) {
        machine.add("file " + words[1]);
      }
      if (words.length > 1) {
        variables.putAll(variables(words[1]));
      }
      assertThat(compiler(machine.finder(variables))).isEqualTo(words[0]);
    }
  }

  /** A root answers the same by whichever driver; a plain clang++ needs HIP's headers. */
  @Test
  void compiler_isHipccThenAmdclangThenAnLlvmWithHeaders() throws IOException {
    Map<String, String> variables = Map.of("ROCM_PATH", "~/opt/rocm", "PATH", "/nowhere");
    RocmFinder finder = machine.add(CLASSIC).finder(variables);

    assertThat(compiler(finder)).isEqualTo("opt/rocm/bin/hipcc");
    Files.delete(root.resolve("opt/rocm/bin/hipcc"));
    assertThat(compiler(finder)).isEqualTo("opt/rocm/lib/llvm/bin/amdclang++");
    Files.delete(root.resolve("opt/rocm/lib/llvm/bin/amdclang++"));
    assertThat(compiler(finder)).isEqualTo("opt/rocm/lib/llvm/bin/clang++");
    Files.delete(root.resolve("opt/rocm/include/hip/hip_version.h"));
    assertThat(compiler(finder)).isEmpty();
  }

  @Test
  void kindThatIsAskedFor_isFoundPastRootsWithoutIt() throws IOException {
    machine.add("program first/bin/hipcc");
    machine.add("program second/llvm/bin/amdclang++");
    Map<String, String> variables =
        new HashMap<>(Map.of("ROCM_PATH", "~/first", "HIP_PATH", "~/second", "PATH", "/x"));
    RocmFinder finder = machine.finder(variables);

    assertThat(finder.driver(RocmFinder.DRIVERS)).isEqualTo(finder.driver(List.of("hipcc")));
    assertThat(finder.driver(List.of("amdclang++")).map(found -> machine.relative(found.file())))
        .contains("second/llvm/bin/amdclang++");
    variables.put("KCACHE_TOOLCHAIN", "amdclang");
    assertThat(compiler(machine.finder(variables))).isEqualTo("second/llvm/bin/amdclang++");
    variables.put("KCACHE_TOOLCHAIN", "llvm");
    assertThat(compiler(machine.finder(variables))).isEmpty();
    // For AMD's targets that is as if nothing were asked for.
    variables.put("KCACHE_TOOLCHAIN", "nvcc");
    assertThat(machine.finder(variables).compiler())
        .isEqualTo(machine.finder(variables).driver(RocmFinder.DRIVERS))
        .isPresent();
  }

  /** Of AMD's packages, wheels, Debian, Gentoo, Fedora, and an LLVM of its own. */
  @ParameterizedTest
  @CsvSource({
    "opt/rocm/llvm/bin/clang++, opt/rocm",
    "venv/_rocm_sdk_core/lib/llvm/bin/amdclang++, venv/_rocm_sdk_core",
    "usr/lib/llvm-22/bin/clang++, usr",
    "usr/lib/llvm/20/bin/clang++, usr",
    "usr/lib64/rocm/llvm/bin/amdclang++, usr",
    "opt/llvm-22/bin/clang++, opt/llvm-22",
  })
  void clangThatIsNamed_isOfTheRootAroundItsLlvm(String clang, String expected) throws IOException {
    RocmFinder finder =
        machine.add("program " + clang).finder(Map.of("KCACHE_COMPILER", "~/" + clang));

    assertThat(finder.compiler().map(found -> machine.relative(found.root().directory())))
        .contains(expected);
  }

  @Test
  void directoryOfLlvmOnPath_standsForItsRoot() throws IOException {
    machine.add(CLASSIC);

    assertThat(compiler(machine.finder(Map.of("PATH", "~/opt/rocm-6.4.1/lib/llvm/bin"))))
        .isEqualTo("opt/rocm-6.4.1/bin/hipcc");
  }

  /** The system's LLVM is no reason to leave AMD's compiler aside. */
  @Test
  void rocminfoOfTheSystem_doesNotPutItsClangBeforeOpt() throws IOException {
    machine.add(CLASSIC);
    machine.add(
        """
        program usr/bin/rocminfo
        program usr/lib/llvm-21/bin/clang++
        file usr/include/hip/hip_version.h
        """);

    assertThat(compiler(machine.finder(Map.of("PATH", "~/usr/bin")))).startsWith("opt/rocm/");
    assertThat(compiler(machine.finder(Map.of("PATH", "/nowhere")))).startsWith("opt/rocm/");
  }

  @Test
  void systemWithoutItsProgramsOnPath_isNotCompiledWith() throws IOException {
    machine.add("program usr/lib/llvm-21/bin/clang++");
    machine.add("file usr/include/hip/hip_version.h");

    assertThat(compiler(machine.finder(Map.of("PATH", "~/usr/bin")))).isNotEmpty();
    assertThat(compiler(machine.finder(Map.of("PATH", "/nowhere")))).isEmpty();
  }

  @Test
  void namedScriptOfAWheel_standsForTheProgramInTheWheel() throws IOException {
    machine.add(SCRIPTS + CORE);

    assertThat(compiler(machine.finder(Map.of("KCACHE_COMPILER", "~/venv/bin/amdclang++"))))
        .isEqualTo(SITE + "_rocm_sdk_core/lib/llvm/bin/amdclang++");
    assertThat(compiler(machine.finder(Map.of("KCACHE_COMPILER", "~/venv/bin/nothing")))).isEmpty();
  }

  /** Debian's rocm_agent_enumerator is one too. */
  @Test
  void scriptInPythonThatIsNoWheels_isAProgram() throws IOException {
    machine.add("program usr/bin/rocm_agent_enumerator");
    Files.writeString(
        root.resolve("usr/bin/rocm_agent_enumerator"), "#!/usr/bin/env python3\nimport os\n");

    assertThat(machine.finder(Map.of()).tool(List.of("rocm_agent_enumerator"))).isPresent();
  }

  @Test
  void toolsAndRuntime_areThoseOfTheCompilersRoot() throws IOException {
    machine.add(CLASSIC);
    machine.add("program usr/bin/rocminfo");
    machine.add("file own/libamdhip64.so.6");
    Map<String, String> variables = new HashMap<>(Map.of("PATH", "~/usr/bin"));

    RocmFinder finder = machine.finder(variables);
    assertThat(tool(finder)).isEqualTo("opt/rocm/bin/rocminfo");
    assertThat(finder.beforeLoader(RocmRoot.runtimeNames(false)))
        .extracting(place -> machine.relative(place.path()))
        .containsExactly("opt/rocm");

    variables.put("PATH", "~/usr/bin:~/opt/rocm/bin");
    assertThat(tool(machine.finder(variables))).isEqualTo("usr/bin/rocminfo");
    variables.put("LD_LIBRARY_PATH", "~/own");
    assertThat(machine.finder(variables).beforeLoader(RocmRoot.runtimeNames(false))).isEmpty();
  }

  @Test
  void runtimeOfAnotherRoot_isTold() throws IOException {
    machine.add(CLASSIC);
    machine.add("file usr/lib/x86_64-linux-gnu/libamdhip64.so.5");
    machine.add("program a/bin/hipcc");
    machine.add("file b/lib/libamdhip64.so.6");
    Path library = root.resolve("usr/lib/x86_64-linux-gnu/libamdhip64.so.5");

    assertThat(machine.finder(Map.of("PATH", "/nowhere")).mixture(library))
        .contains(
            "the compiler is of %s and the HIP runtime of %s; set ROCM_PATH to have both of one"
                .formatted(root.resolve("opt/rocm-6.4.1"), root.resolve("usr")));
    Map<String, String> named = Map.of("ROCM_PATH", "~/a", "HIP_PATH", "~/b");
    assertThat(machine.finder(named).mixture(root.resolve("b/lib/libamdhip64.so.6"))).isEmpty();
  }

  /** Only where the compiler's root has one too is there something to do about it. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "before the compiler's on PATH | ~/usr/bin:~/opt/rocm/bin | program usr/bin/rocminfo, file usr/include/hip/hip_version.h | true",
        "of no ROCm | ~/usr/bin:~/opt/rocm/bin | program usr/bin/rocminfo | false",
        "of the same directory of PATH | ~/bin | link bin/hipcc -> ../opt/rocm/bin/hipcc, program bin/rocminfo | false",
        "that the compiler lacks | ~/a/bin:~/b/bin | program a/bin/hipcc, program b/bin/rocminfo | false",
      })
  void toolOfAnotherRoot_isTold(String name, String path, String files, boolean told)
      throws IOException {
    machine.add(CLASSIC);
    machine.add(files.replace(", ", "\n"));
    RocmFinder finder = machine.finder(Map.of("PATH", path));
    Optional<RocmProgram> tool = finder.tool(List.of("rocminfo"));

    assertThat(tool).isPresent();
    assertThat(finder.mixture(tool.get()))
        .isEqualTo(
            Optional.of(
                    "the compiler is of %s and rocminfo of %s; set ROCM_PATH to have both of one"
                        .formatted(root.resolve("opt/rocm-6.4.1"), root.resolve("usr")))
                .filter(line -> told));
  }

  @Test
  void twoWheelsInOneEnvironment_areNotChosenFrom() throws IOException {
    machine.add(SCRIPTS + CORE + CORE.replace("3.12", "3.9"));
    RocmFinder finder = machine.finder(Map.of("PATH", "~/venv/bin", "VIRTUAL_ENV", root + "/venv"));

    assertThat(finder.compiler()).isEmpty();
    assertThat(finder.problems())
        .containsExactly(
            root
                + "/venv/bin (PATH) has two ROCm wheels, in "
                + root.resolve(SITE)
                + " and "
                + root.resolve(SITE.replace("3.12", "3.9"))
                + "; uninstall one, or set ROCM_PATH");
  }

  @Test
  void wheelThatCannotCompile_saysWhatToInstall() throws IOException {
    Map<String, String> variables = Map.of("PATH", "/nowhere", "VIRTUAL_ENV", "~/venv");
    RocmFinder finder = machine.finder(variables);
    machine.add(SCRIPTS + CORE);
    Path core = root.resolve(SITE + "_rocm_sdk_core");

    Files.delete(core.resolve("lib/llvm/amdgcn/bitcode/ocml.bc"));
    assertThat(finder.compiler()).isEmpty();
    assertThat(finder.problems())
        .containsExactly(
            root
                + "/venv (VIRTUAL_ENV) has a ROCm wheel without ROCm's device library, "
                + core
                + "; pip install --force-reinstall 'rocm[devel]'");
    Files.delete(core.resolve("bin/hipcc"));
    Files.delete(core.resolve("lib/llvm/bin/amdclang++"));
    assertThat(finder.problems().get(0))
        .endsWith("has a ROCm wheel without a compiler, " + core + "; pip install 'rocm[devel]'");
    machine.add("file " + SITE + "rocm_sdk_devel/_devel.tar.xz");
    assertThat(finder.problems().get(0)).endsWith("still packed; run 'rocm-sdk init'");
    assertThat(runtime(finder)).as("the runtime serves all the same").isNotEmpty();
  }

  /** It would be told of the ROCm that is named, and take parts of that. */
  @Test
  void wheelThatIsNamedAndCannotCompile_isNotReplacedByADriverOnPath() throws IOException {
    machine.add(CORE.replaceFirst("file .*ocml.bc", "program path/hipcc"));
    String core = "~/" + SITE + "_rocm_sdk_core";

    assertThat(compiler(machine.finder(Map.of("PATH", "~/path", "ROCM_PATH", core)))).isEmpty();
    assertThat(compiler(machine.finder(Map.of("PATH", "~/path", "VIRTUAL_ENV", "~/venv"))))
        .isEqualTo("path/hipcc");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "a script without its wheel | script venv/bin/hipcc, script venv/bin/rocm-sdk | ~/venv/bin | ~/venv/bin (PATH) has a script of a ROCm wheel, ~/venv/bin/hipcc, but not the wheel; pip install --force-reinstall 'rocm[devel]'",
        "a dangling link | link opt/rocm -> rocm-6.1.0 | /nowhere | ~/opt/rocm is a link to rocm-6.1.0, which does not exist; repair the link, or set ROCM_PATH",
        "Nix's bare hipcc | program nix/store/abc-hipcc-6.4/bin/hipcc | ~/nix/store/abc-hipcc-6.4/bin | ~/nix/store/abc-hipcc-6.4/bin (PATH) has Nix's hipcc without HIP; add rocmPackages.clr, which has both",
      })
  void placeWithoutACompiler_saysWhy(String name, String files, String path, String problem)
      throws IOException {
    RocmFinder finder = machine.add(files.replace(", ", "\n")).finder(Map.of("PATH", path));

    assertThat(finder.compiler()).isEmpty();
    assertThat(finder.problems()).containsExactly(problem.replace("~", root.toString()));
  }

  @Test
  void placeByTwoNames_isListedOnce() throws IOException {
    machine.add(CLASSIC + "program usr/bin/rocminfo\nlink bin -> usr/bin");
    RocmFinder finder =
        machine.finder(Map.of("PATH", "~/bin:~/usr/bin", "HIP_PATH", "~/opt/rocm/"));

    assertThat(finder.places())
        .extracting(place -> machine.relative(place.path()))
        .containsExactly("opt/rocm", "bin", "usr");
  }

  @Test
  void variableThatLeadsNowhere_isAPlaceThatDoesNotExist() {
    assertThat(machine.finder(Map.of("ROCM_PATH", "~/gone", "PATH", "")).places().get(0))
        .satisfies(place -> assertThat(place.problem()).contains(RocmPlace.MISSING))
        .satisfies(place -> assertThat(place.describe()).isEqualTo(root + "/gone (ROCM_PATH)"));
  }

  private String compiler(RocmFinder finder) {
    return finder.compiler().map(found -> machine.relative(found.file())).orElse("");
  }

  private String tool(RocmFinder finder) {
    return finder.tool(List.of("rocminfo")).map(found -> machine.relative(found.file())).orElse("");
  }

  private String runtime(RocmFinder finder) {
    return runtimes(finder).stream().findFirst().map(machine::relative).orElse("");
  }

  private static List<Path> runtimes(RocmFinder finder) {
    return Stream.concat(finder.beforeLoader(List.of()).stream(), finder.afterLoader().stream())
        .flatMap(place -> place.roots().stream())
        .flatMap(found -> found.runtimes().stream())
        .toList();
  }

  private static Map<String, String> variables(String assignments) {
    Map<String, String> variables = new HashMap<>();
    for (String each : assignments.split(" ", -1)) {
      Optional.of(each.indexOf('='))
          .filter(equals -> equals > 0)
          .ifPresent(
              equals -> variables.put(each.substring(0, equals), each.substring(equals + 1)));
    }
    return variables;
  }
}
