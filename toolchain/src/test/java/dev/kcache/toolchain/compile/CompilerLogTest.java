// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.toolchain.Diagnostic;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompilerLogTest {
  @Test
  void withUserNames_places_nameTheUsersFiles() {
    Map<String, String> names =
        Map.of(
            "src/k/a.hip", "my $1 kernels/a.hip",
            "src/common.h", "my $1 kernels/../common.h",
            "hdr/a b:3: 'q'.h", "odd:1.h");
    String log =
        """
        In file included from src/k/a.hip:2:
        src/k/../common.h:3:1: error: x
        ./src/k/a.hip:9:1: note: "src/k/a.hip" and src/k/a.hip:7
        src/k/a.hip:9: warning: type '(lambda at src/k/a.hip:5:12)' and '(unnamed struct at hdr/b:1:2)'
        src/k/a.hip:9:7 is no message
        inc0/src/k/a.hip:3:1: warning: not ours
        hdr/a b:3: 'q'.h:1:44: fatal error: y
        In file included from hdr/a b:3: 'q'.h:1:
        <scratch space>:176:1: note: expanded from here
        <inline asm>:1:2: note: instantiated into assembly here
        generator/model.py:70:8: error: a #line directive's
        lld: error: undefined hidden symbol: scale(float)
        >>> referenced by src/k/a.hip:4
        >>> referenced by a.hip:5 (./src/k/a.hip:5)
        >>> referenced by c.hip:5 (./src/k/c.hip:5)
        """;

    assertThat(CompilerLog.withUserNames(log, names))
        .isEqualTo(
            """
            In file included from my $1 kernels/a.hip:2:
            my $1 kernels/../common.h:3:1: error: x
            my $1 kernels/a.hip:9:1: note: "src/k/a.hip" and src/k/a.hip:7
            my $1 kernels/a.hip:9: warning: type '(lambda at my $1 kernels/a.hip:5:12)' and '(unnamed struct at hdr/b:1:2)'
            src/k/a.hip:9:7 is no message
            inc0/src/k/a.hip:3:1: warning: not ours
            odd:1.h:1:44: fatal error: y
            In file included from odd:1.h:1:
            <scratch space>:176:1: note: expanded from here
            <inline asm>:1:2: note: instantiated into assembly here
            generator/model.py:70:8: error: a #line directive's
            lld: error: undefined hidden symbol: scale(float)
            >>> referenced by my $1 kernels/a.hip:4
            >>> referenced by my $1 kernels/a.hip:5
            >>> referenced by c.hip:5 (./src/k/c.hip:5)
            """);
  }

  /** As clang 20 for Windows printed them under Wine. */
  @Test
  void withUserNames_placesOnWindows_nameTheUsersFiles() {
    Map<String, String> names =
        Map.of("src/a.h", "k/a.h", "inc0/sub/b.h", "sub/b.h", "src/main.hip", "main.hip");
    String log =
        """
        In file included from src/main.hip:1:
        src\\a.h:1:9: error: use of undeclared identifier 'undefined_a'
        inc0\\sub/b.h:1:9: error: use of undeclared identifier 'undefined_b'
        Z:\\kcache\\stdint.h:17:25: warning: found by absolute path
        """;

    assertThat(CompilerLog.withUserNames(log, names))
        .isEqualTo(
            """
            In file included from main.hip:1:
            k/a.h:1:9: error: use of undeclared identifier 'undefined_a'
            sub/b.h:1:9: error: use of undeclared identifier 'undefined_b'
            Z:\\kcache\\stdint.h:17:25: warning: found by absolute path
            """);
  }

  @Test
  void withUserNames_placesOfNvcc_nameTheUsersFiles() {
    Map<String, String> names =
        Map.of("src/k.hip", "my (1): k.hip", "src/t.h", "t.h", "../include/hip/x.h", "hip/x.h");
    String log =
        """
        In file included from src/t.h:1,
                         from src/k.hip:1:
        src/u.h:1:2: error: #error "no"
        In file included from src/k.hip:1:
        ../include/hip/x.h:1:2: error: #error hip/x.h
        src/k.hip(3): error: src/k.hip(3) is wrong
          src/k.hip(3): not a message
        src/k.hip(4): warning #177-D: variable
        src/k.hip(4): note #3287-D: because
        src/t.h(1): catastrophic error: cannot open
                  detected during instantiation of "T f(T)" at line 2 of src/k.hip
                    instantiation of "T g(T)" at line 9
        1 error detected in the compilation of "src/k.hip".
        """;

    assertThat(CompilerLog.withUserNames(log, names))
        .isEqualTo(
            """
            In file included from t.h:1,
                             from my (1): k.hip:1:
            src/u.h:1:2: error: #error "no"
            In file included from my (1): k.hip:1:
            hip/x.h:1:2: error: #error hip/x.h
            my (1): k.hip(3): error: src/k.hip(3) is wrong
              src/k.hip(3): not a message
            my (1): k.hip(4): warning #177-D: variable
            my (1): k.hip(4): note #3287-D: because
            t.h(1): catastrophic error: cannot open
                      detected during instantiation of "T f(T)" at line 2 of my (1): k.hip
                        instantiation of "T g(T)" at line 9
            1 error detected in the compilation of "my (1): k.hip".
            """);
  }

  @Test
  void withoutObjects_ptxasFile_isTheSource() {
    String line = "/tmp/tmpxft_0000593b_00000000-6_k.ptx, line 29; error   : Not a name";

    assertThat(CompilerLog.withoutObjects("ptxas /t/kcache-1" + line, "/t/kcache-1/tmp", "k.hip"))
        .isEqualTo("ptxas k.hip, line 29; error   : Not a name");
  }

  @Test
  void firstError_ofNvcc_saysWhatToDoWhereItsWordsDoNot() {
    assertThat(Diagnostic.firstError("ptxas fatal   : Unresolved extern function '_Z1fi'\n"))
        .hasValueSatisfying(
            line ->
                assertThat(line)
                    .startsWith("ptxas: fatal error: Unresolved extern function '_Z1fi'; it is")
                    .endsWith("define it in this source or in a file that it includes"));
    assertThat(
            Diagnostic.firstError(
                "ptxas error   : Entry function 'k' uses too much shared data (0x2 bytes, 0x1"
                    + " max)"))
        .hasValueSatisfying(
            line -> assertThat(line).endsWith("make its __shared__ variables smaller"));
    assertThat(
            Diagnostic.firstError(
                "/c/crt/host_config.h:1:2: error: #error -- unsupported GNU version! gcc versions"
                    + " later than 15 are not supported!"))
        .hasValueSatisfying(
            line ->
                assertThat(line)
                    .endsWith("set NVCC_CCBIN to another compiler, such as an older g++"));
  }

  /** As lld 20 for Windows printed it under Wine. */
  @Test
  void withoutObjects_linkersFileOnWindows_isTheSource() {
    String line = "C:\\t\\kcache-1\\tmp\\u-badf93\\u-gfx90a-8afd11.o:(k)\n";

    assertThat(
            CompilerLog.withoutObjects(
                ">>> referenced by " + line, "C:\\t\\kcache-1\\tmp", "my $1.hip"))
        .isEqualTo(">>> referenced by my $1.hip:(k)\n");
  }

  @Test
  void withoutObjects_linkersFile_isTheSource() {
    String log =
        """
        >>> referenced by /t/kcache-1/tmp/k-badf93/k-gfx90a.o:(k(float*))
        >>>               /t/kcache-1/tmp/k-gfx90a-7f9f1c.o:(k(float*))
        >>> referenced by /t/kcache-2/tmp/other.o:(k(float*))
        >>> defined in: /t/kcache-1/tmp/k-4d6e21/k-gfx1030.o
        """;

    assertThat(CompilerLog.withoutObjects(log, "/t/kcache-1/tmp", "my $1.hip"))
        .isEqualTo(
            """
            >>> referenced by my $1.hip:(k(float*))
            >>>               my $1.hip:(k(float*))
            >>> referenced by /t/kcache-2/tmp/other.o:(k(float*))
            >>> defined in: my $1.hip
            """);
  }

  @Test
  void firstError_warningsBefore_isTheError() {
    assertThat(Diagnostic.firstError("a.hip:1:1: warning: w\na.hip:2:2: fatal error: e\nb"))
        .contains("a.hip:2:2: fatal error: e");
  }

  @Test
  void firstError_undefinedSymbol_saysWhatToDo() {
    String advice =
        "; it is declared but not defined, and each source is compiled and linked by itself: define"
            + " it in this source or in a file that it includes";

    assertThat(Diagnostic.firstError("lld: error: undefined hidden symbol: f(int)\n>>> x\n"))
        .contains("lld: error: undefined hidden symbol: f(int)" + advice);
    assertThat(Diagnostic.firstError("ld.lld: error: undefined symbol: g\n"))
        .contains("ld.lld: error: undefined symbol: g" + advice);
    assertThat(Diagnostic.firstError("lld: error: undefined hidden symbol: __ocml_sin_f32\n"))
        .contains("lld: error: undefined hidden symbol: __ocml_sin_f32");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "error: local memory (70000) exceeds limit (65536) in function '_Z1kPf'",
        "k.hip:4:17: error: local memory (70000) exceeds limit (65536) in 'k(float*)'"
      })
  void firstError_tooMuchSharedMemory_isCalledThat(String line) {
    assertThat(Diagnostic.firstError(line + "\n1 error generated.\n"))
        .contains(
            line
                + "; this is the kernel's shared memory, in bytes: make its __shared__ variables"
                + " smaller");
  }

  @Test
  void firstError_ofAnotherForm_isItsLine() {
    assertThat(Diagnostic.firstError("warning: w\nLLVM ERROR: out of memory \n"))
        .contains("LLVM ERROR: out of memory");
  }

  @Test
  void firstError_none_isEmpty() {
    assertThat(Diagnostic.firstError("a.hip:1:1: warning: w\n")).isEmpty();
  }
}
