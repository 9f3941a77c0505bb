// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Diagnostic;
import dev.kcache.toolchain.Diagnostic.Location;
import dev.kcache.toolchain.Diagnostic.Severity;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.standin.TestJob;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The diagnostics of the machine's real compiler. */
@Timeout(180)
class HipccDiagnosticsTest {
  private static final String SOURCE =
      """
      #define __global__ __attribute__((global))
      #define __device__ __attribute__((device))
      #define TWICE(x) ((x) + (x))
      #include "odd.h"
      template <typename T> __device__ float f(T t) { return t.value; }
      __global__ void k(float* p) {
      \t/* ä */ *p = TWICE(p);
        *p = f(*p);
      #line 70 "model.py"
        *p = [] { return 1; };
        int unused;
      }
      """;

  @TempDir Path directory;

  @Test
  void compile_manyFaults_giveRecordsWithTheUsersNames() throws Exception {
    CompilationException failure = failure();

    List<Diagnostic> errors = failure.diagnostics();
    String source = "my 'k: 1.hip";
    assertThat(errors)
        .extracting(Diagnostic::severity, error -> error.location().orElseThrow().toString())
        .containsExactly(
            tuple(Severity.WARNING, "odd:1:2.h:1:2"),
            tuple(Severity.ERROR, source + ":7:16"),
            tuple(Severity.ERROR, "model.py:70:8"),
            tuple(Severity.ERROR, source + ":5:57"));
    assertThat(errors.get(0).option()).contains("-W#warnings");
    assertThat(errors.get(0).includedFrom()).containsExactly(new Location(source, 4, 0));
    assertThat(errors.get(1).notes())
        .extracting(Diagnostic::message)
        .containsExactly("expanded from macro 'TWICE'");
    assertThat(errors.get(1).excerpt()).first(InstanceOfAssertFactories.STRING).contains("/* ä */");
    assertThat(errors.get(2).message()).contains("(lambda at model.py:70:8)");
    assertThat(errors.get(3).notes())
        .singleElement()
        .extracting(note -> note.location().orElseThrow())
        .isEqualTo(new Location(source, 8, 8));
    assertThat(failure).hasMessage(errors.get(1).headline());
    assertThat(failure.log()).doesNotContain("src/k.hip:", "hdr/odd.h:");
    for (Diagnostic error : errors) {
      assertThat(failure.log()).contains(error.toString());
    }
    assertThat(copy(failure).diagnostics()).isEqualTo(errors);
  }

  private CompilationException failure() {
    Toolchain.Job job =
        TestJob.of("src/k.hip", "my 'k: 1.hip", SOURCE)
            .header("hdr/odd.h", "odd:1:2.h", "#warning \"odd\"\n")
            .options("-Wall")
            .job();
    try (DriverToolchain toolchain =
        TestToolchains.find(Platform.AMD, System.getenv(), () -> directory, Optional.empty())) {
      return catchThrowableOfType(CompilationException.class, () -> toolchain.compile(job));
    }
  }

  private static CompilationException copy(CompilationException failure) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(failure);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (CompilationException) in.readObject();
    }
  }
}
