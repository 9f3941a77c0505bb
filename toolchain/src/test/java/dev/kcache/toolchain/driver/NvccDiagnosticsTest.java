// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Diagnostic;
import dev.kcache.toolchain.Diagnostic.Location;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.standin.TestJob;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The diagnostics of the machine's real nvcc, with the user's names for the files. */
@Timeout(180)
class NvccDiagnosticsTest {
  private static final String USERS = "my 'k: 1.hip";

  @TempDir static Path memo;
  @TempDir Path directory;

  @BeforeEach
  void need() {
    RealNvcc.orSkip();
  }

  @Test
  void compile_frontEnd_namesTheUsersFiles() {
    CompilationException failure =
        failure(
            """
            #include "odd.h"
            __global__ void k(float* p) {
              *p = twice(*p);
            #line 70 "model.py"
              undeclared();
            }
            """,
            "template <typename T> __device__ T twice(T t) { return t.value; }\n");

    assertThat(failure.diagnostics())
        .extracting(error -> error.location().orElseThrow())
        .containsExactlyInAnyOrder(
            new Location("odd:1:2.h", 1, 0), new Location("model.py", 70, 0));
    assertThat(failure.log())
        .contains("detected during instantiation of", " of " + USERS, "compilation of \"" + USERS);
  }

  @Test
  void compile_preprocessor_namesTheUsersFilesInTheIncludeStack() {
    CompilationException failure = failure("#include \"odd.h\"\n", "\n#include <no/such.h>\n");

    Diagnostic error = failure.diagnostics().get(0);
    assertThat(failure)
        .hasMessage(USERS + ": odd:1:2.h:2:10: fatal error: no/such.h: No such file or directory");
    assertThat(error.includedFrom()).containsExactly(new Location(USERS, 1, 0));
  }

  @Test
  void compile_ptxas_namesTheUsersFileAndNoTemporaryOne() {
    CompilationException failure =
        failure("__global__ void k(float* p) { asm(\"bogus.f32 %0;\" : \"=f\"(*p)); }\n", "");

    assertThat(failure)
        .hasMessage(USERS + ": ptxas: error: Not a name of any known instruction: 'bogus'");
    assertThat(failure.log()).contains("ptxas " + USERS + ", line ");
  }

  @Test
  void compile_tooMuchSharedMemory_saysWhatToDo() {
    CompilationException failure =
        failure(
            """
            extern "C" __global__ void k(float* p) {
              __shared__ float tile[20000];
              tile[threadIdx.x] = *p;
              __syncthreads();
              *p = tile[5];
            }
            """,
            "");

    assertThat(failure)
        .hasMessage(
            USERS
                + ": ptxas: error: Entry function 'k' uses too much shared data (0x13880 bytes,"
                + " 0xc000 max); this is the kernel's shared memory, in bytes: make its __shared__"
                + " variables smaller");
  }

  @Test
  void compile_undefinedFunction_saysWhatToDo() {
    CompilationException failure =
        failure("__device__ int f(int);\n__global__ void k(int* p) { *p = f(*p); }\n", "");

    assertThat(failure.getMessage())
        .startsWith(USERS + ": ptxas: fatal error: Unresolved extern function '_Z1fi'; it is ")
        .endsWith("define it in this source or in a file that it includes");
  }

  /** Compiles, and checks that nothing in the failure tells where that was. */
  private CompilationException failure(String source, String header) {
    Toolchain.Job job =
        TestJob.of("src/k.hip", USERS, source)
            .header("hdr/odd.h", "odd:1:2.h", header)
            .target(RealNvcc.SM_90)
            .job();
    try (DriverToolchain toolchain =
        TestToolchains.find(Platform.NVIDIA, System.getenv(), () -> directory, Optional.of(memo))) {
      CompilationException failure =
          catchThrowableOfType(CompilationException.class, () -> toolchain.compile(job));
      assertThat(failure.log()).doesNotContain("src/k.hip", "hdr/odd.h", directory.toString());
      return failure;
    }
  }
}
