// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.kernels.RocmLayout.Way;
import java.util.List;

/** The layouts of ROCm: of AMD's packages, archives and wheels, and of distributions. */
final class RocmLayouts {
  private static final String SITE = "venv/lib/python3.12/site-packages";

  static final RocmLayout AMDS_PACKAGES =
      new RocmLayout(
          """
          hipcc opt/rocm-1/bin opt/rocm-1/lib/llvm
          llvm opt/rocm-1/lib/llvm
          bitcode opt/rocm-1/lib/llvm/lib/clang/{clang}/lib
          headers opt/rocm-1/include
          runtime opt/rocm-1/lib
          tools opt/rocm-1/bin
          link opt/rocm-1/llvm lib/llvm
          link opt/rocm-1/amdgcn lib/llvm/lib/clang/{clang}/lib/amdgcn
          link opt/rocm-1/lib/llvm/bin/amdclang++ clang++
          file opt/rocm-1/lib/llvm/bin/rocm.cfg --rocm-path='<CFGDIR>/../../..'\\n-frtlib-add-rpath\\n
          file opt/rocm-1/lib/llvm/bin/clang++.cfg @rocm.cfg\\n
          file opt/rocm-1/.info/version {release}.77-82
          file opt/rocm-1/include/rocm-core/rocm_version.h #define ROCM_VERSION_MAJOR {major}\
          \\n#define ROCM_VERSION_MINOR {minor}\\n#define ROCM_VERSION_PATCH 78\\n
          link opt/rocm rocm-1
          """,
          List.of(
              new Way("AMD's packages", "", ""),
              new Way("… without hipcc", "", "remove opt/rocm/bin/hipcc"),
              new Way("… without .info", "", "remove opt/rocm/.info/version")));

  private static final String CORE =
      """
      hipcc opt/rocm/core-1/bin opt/rocm/core-1/lib/llvm
      llvm opt/rocm/core-1/lib/llvm
      bitcode opt/rocm/core-1/lib/llvm
      headers opt/rocm/core-1/include
      runtime opt/rocm/core-1/lib
      tools opt/rocm/core-1/bin
      link opt/rocm/core-1/llvm lib/llvm
      link opt/rocm/core-1/amdgcn lib/llvm/amdgcn
      link opt/rocm/core-1/lib/llvm/bin/amdclang++ clang++
      file opt/rocm/core-1/lib/llvm/bin/rocm.cfg --rocm-path='<CFGDIR>/../../..'\\n\
      -frtlib-add-rpath\\n
      file opt/rocm/core-1/lib/llvm/bin/clang++.cfg @rocm.cfg\\n
      file opt/rocm/core-1/.info/version {release}.77
      """;

  /** In images some of the links are absent. */
  private static final RocmLayout THEROCKS_PACKAGES =
      new RocmLayout(
          CORE,
          List.of(
              new Way("TheRock's packages", "", ""),
              new Way("… with /opt/rocm/core", "", "link opt/rocm/core core-1"),
              new Way("… without hipcc", "", "remove opt/rocm/core/bin/hipcc")));

  private static final RocmLayout THEROCKS_LINKS =
      new RocmLayout(
          CORE
              + """
              link opt/rocm/core core-1
              link opt/rocm/bin core/bin
              link opt/rocm/lib core/lib
              link opt/rocm/include core/include
              link opt/rocm/llvm core/llvm
              link opt/rocm/amdgcn core/amdgcn
              """,
          List.of(
              new Way("TheRock's, all links", "", ""),
              new Way("… without hipcc", "", "remove opt/rocm/bin/hipcc")));

  private static final RocmLayout ARCHIVE =
      new RocmLayout(
          """
          hipcc dist/bin dist/lib/llvm
          llvm dist/lib/llvm
          bitcode dist/lib/llvm
          headers dist/include
          runtime dist/lib
          tools dist/bin
          link dist/llvm lib/llvm
          link dist/amdgcn lib/llvm/amdgcn
          link dist/lib/llvm/bin/amdclang++ clang++
          file dist/lib/llvm/bin/rocm.cfg --rocm-path='<CFGDIR>/../../..'\\n-frtlib-add-rpath\\n
          file dist/lib/llvm/bin/clang++.cfg @rocm.cfg\\n
          link dist/bin/amdclang++ ../lib/llvm/bin/amdclang++
          """,
          List.of(
              new Way("TheRock's archive, PATH", "PATH=~/dist/bin", ""),
              new Way("… without hipcc", "PATH=~/dist/bin", "remove dist/bin/hipcc")));

  private static final RocmLayout WHEEL =
      new RocmLayout(
          """
          hipcc SITE/_rocm_sdk_devel/bin SITE/_rocm_sdk_devel/lib/llvm
          llvm SITE/_rocm_sdk_devel/lib/llvm
          bitcode SITE/_rocm_sdk_devel/lib/llvm
          headers SITE/_rocm_sdk_devel/include
          runtime SITE/_rocm_sdk_devel/lib
          tools SITE/_rocm_sdk_devel/bin
          link SITE/_rocm_sdk_devel/llvm lib/llvm
          link SITE/_rocm_sdk_devel/amdgcn lib/llvm/amdgcn
          link SITE/_rocm_sdk_devel/lib/llvm/bin/amdclang++ clang++
          file SITE/_rocm_sdk_devel/lib/llvm/bin/rocm.cfg --rocm-path='<CFGDIR>/../../..'\\n-frtlib-add-rpath\\n
          file SITE/_rocm_sdk_devel/lib/llvm/bin/clang++.cfg @rocm.cfg\\n
          script venv/bin/hipcc #!/usr/bin/python3\\nfrom rocm_sdk_core._cli import main\\n
          script venv/bin/amdclang++ #!/usr/bin/python3\\nfrom rocm_sdk_core._cli import main\\n
          script venv/bin/rocminfo #!/usr/bin/python3\\nfrom rocm_sdk_core._cli import main\\n
          """
              .replace("SITE", SITE),
          List.of(
              new Way("Python wheel, PATH", "PATH=~/venv/bin", ""),
              new Way("Python wheel, VIRTUAL_ENV", "VIRTUAL_ENV=~/venv", ""),
              new Way(
                  "… without hipcc",
                  "VIRTUAL_ENV=~/venv",
                  "remove " + SITE + "/_rocm_sdk_devel/bin/hipcc")));

  /** Where its clang is patched to look. */
  private static final String CONDAS = libraries("~/conda/lib/amdgcn/bitcode");

  private static final RocmLayout CONDA =
      new RocmLayout(
          """
          hipcc conda/bin conda
          llvm conda
          bitcode conda/lib
          headers conda/include
          runtime conda/lib
          tools conda/bin
          """,
          List.of(
              new Way("conda", "CONDA_PREFIX=~/conda" + CONDAS, ""),
              new Way("… without hipcc", "CONDA_PREFIX=~/conda", "remove conda/bin/hipcc")));

  private static final String SPACKS_FILES =
      """
      headers s/hip/include
      runtime s/hip/lib
      llvm s/llvm
      bitcode s/llvm
      link s/llvm/bin/amdclang++ clang++
      tools s/rocminfo/bin
      """;

  private static final String SPACKS =
      "HIP_PATH=~/s/hip HIP_CLANG_PATH=~/s/llvm/bin LLVM_PATH=~/s/llvm"
          + " ROCMINFO_PATH=~/s/rocminfo"
          + libraries("~/s/llvm/amdgcn/bitcode");

  /** hipcc 5.2 takes it for granted that the rest of a ROCm is in /opt/rocm. */
  private static final RocmLayout SPACK =
      new RocmLayout(
          "hipcc s/hip/bin s/llvm\n" + SPACKS_FILES, List.of(new Way("Spack", SPACKS, "")));

  private static final RocmLayout SPACK_WITHOUT_HIPCC =
      new RocmLayout(SPACKS_FILES, List.of(new Way("Spack, no hipcc", SPACKS, "")));

  private static final RocmLayout NIX =
      new RocmLayout(
          """
          hipcc nix/store/1-clr/libexec nix/store/1-clr/llvm
          llvm nix/store/1-clr/llvm
          bitcode nix/store/1-clr
          headers nix/store/1-clr/include
          runtime nix/store/1-clr/lib
          script nix/store/1-clr/bin/hipcc #!/bin/sh\\nexport HIP_PATH=~/nix/store/1-clr\\n\
          export ROCM_PATH=~/nix/store/1-clr\\nexec ~/nix/store/1-clr/libexec/hipcc "$@"\\n
          link profile/bin/hipcc ../../nix/store/1-clr/bin/hipcc
          tools profile/bin
          """,
          List.of(new Way("Nix, PATH", "PATH=~/profile/bin", "")));

  /** What its own hipcc, which is another, has built in. */
  private static final String FEDORAS =
      " HIP_PATH=~/usr HIP_CLANG_PATH=~/usr/lib64/rocm/llvm/bin"
          + libraries("~/usr/lib64/rocm/llvm/lib/clang/{clang}/amdgcn/bitcode");

  private static final RocmLayout FEDORA =
      new RocmLayout(
          """
          hipcc usr/bin usr/lib64/rocm/llvm
          llvm usr/lib64/rocm/llvm
          bitcode usr/lib64/rocm/llvm/lib/clang/{clang}
          headers usr/include
          runtime usr/lib64
          tools usr/bin
          """,
          List.of(
              new Way("Fedora", "PATH=~/usr/bin" + FEDORAS, ""),
              new Way("… without hipcc", "PATH=~/usr/bin" + FEDORAS, "remove usr/bin/hipcc")));

  private static final RocmLayout DEBIAN =
      new RocmLayout(
          """
          llvm usr/lib/llvm-{llvm}
          bitcode usr/{bitcode}
          headers usr/include
          runtime usr/lib/x86_64-linux-gnu
          tools usr/bin
          """,
          List.of(new Way("Debian, Ubuntu, no hipcc", "PATH=~/usr/bin", "")));

  static final String WINDOWS =
      """
      script Program_Files/AMD/ROCm/6.4/bin/hipcc.exe
      script Program_Files/AMD/ROCm/7.1/bin/hipcc.exe
      script Program_Files/AMD/ROCm/7.1/bin/clang++.exe
      script Program_Files/AMD/ROCm/7.1/bin/hipInfo.exe
      file Program_Files/AMD/ROCm/7.1/bin/amdhip64_7.dll
      """;

  private RocmLayouts() {}

  private static String libraries(String directory) {
    return " HIP_DEVICE_LIB_PATH=" + directory + " DEVICE_LIB_PATH=" + directory;
  }

  static List<RocmLayout> all() {
    return List.of(
        AMDS_PACKAGES,
        THEROCKS_PACKAGES,
        THEROCKS_LINKS,
        ARCHIVE,
        WHEEL,
        CONDA,
        SPACK,
        SPACK_WITHOUT_HIPCC,
        NIX,
        FEDORA,
        DEBIAN);
  }
}
