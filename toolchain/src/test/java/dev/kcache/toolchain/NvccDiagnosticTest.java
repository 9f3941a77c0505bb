// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.toolchain.Diagnostic.Location;
import dev.kcache.toolchain.Diagnostic.Severity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Diagnostics of nvcc's programs; README.md beside their logs says how those were made. */
class NvccDiagnosticTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "syntax          | src/k.hip:5: error: expected a \";\"",
        "missing-header  | src/k.hip:3:10: fatal error: no/such/header.h: No such file or directory",
        "undefined       | ptxas: fatal error: Unresolved extern function '_ZN3lib5scaleEfi'",
        "shared-memory   | ptxas: error: Entry function '_Z1kPf' uses too much shared data (0x11170"
            + " bytes, 0xc000 max)",
        "host-function   | src/k.hip:4: error: calling a __host__ function(\"host(float)\") from a"
            + " __global__ function(\"k\") is not allowed",
        "static-assert   | src/k.hip:3: error: static assertion failed with \"a tile is a multiple"
            + " of 32\"",
        "template        | src/k.hip:3: error: expression must have class type but it has type"
            + " \"float\"",
        "instantiated-in-header | src/twice.h:1: error: expression must have class type but it has"
            + " type \"float\"",
        "macro           | src/k.hip:7: error: expression must have arithmetic or unscoped enum type",
        "header          | src/parts/inner.h:2: error: identifier \"undeclared\" is undefined",
        "asm             | ptxas: fatal error: Parsing error near 's_nop': syntax error",
        "hip-runtime     | src/k.hip:4: error: no instance of overloaded function \"std::sqrt\""
            + " matches the argument list",
        "werror          | src/k.hip:1: error: \"__global__\" redefined [-Werror]",
      })
  void firstError_ofEveryLog_hasPlaceAndWords(String name, String headline) throws IOException {
    assertThat(Diagnostic.parseLog(read(name)).stream().filter(each -> each.severity().isError()))
        .first()
        .extracting(Diagnostic::headline)
        .isEqualTo(headline);
  }

  @ParameterizedTest
  @CsvSource({
    "syntax, 1, 4",
    "host-function, 2, 4",
    "macro, 2, 4",
    "same-header, 4, 4",
    "hip-runtime, 4, 1",
    "warnings, 0, 6",
    "deprecated, 0, 5",
    "undefined, 1, 4",
    "asm, 2, 4",
  })
  void everyLog_hasItsNumberOfErrorsAndWarnings(String name, int errors, int warnings)
      throws IOException {
    List<Diagnostic> diagnostics = Diagnostic.parseLog(read(name));

    assertThat(diagnostics.stream().filter(each -> each.severity().isError())).hasSize(errors);
    assertThat(diagnostics.stream().filter(each -> each.severity() == Severity.WARNING))
        .hasSize(warnings);
  }

  @Test
  void noteOfTheFrontEnd_explainsItsWarning() throws IOException {
    Diagnostic warning = aboutTwice("deprecated");

    assertThat(warning.headline())
        .isEqualTo(
            "src/k.hip:4: warning: function \"twice\" was declared deprecated (\"use twice2\")");
    assertThat(warning.notes())
        .extracting(Diagnostic::headline)
        .containsExactly("src/k.hip:3: note: because of a \"deprecated\" attribute");
    assertThat(warning.excerpt()).hasSize(2).last().asString().matches(" +\\^");
  }

  @Test
  void excerpt_hasWhatWasInstantiated() throws IOException {
    assertThat(aboutTwice("template").excerpt())
        .hasSize(5)
        .endsWith(
            "          detected during:",
            "            instantiation of \"T twice(T) [with T=float]\" at line 4",
            "            instantiation of \"T four(T) [with T=float]\" at line 5");
    assertThat(aboutTwice("instantiated-in-header").excerpt())
        .hasSize(3)
        .last()
        .asString()
        .endsWith(
            "detected during instantiation of \"T twice(T) [with T=float]\" at line 2 of src/k.hip");
  }

  @Test
  void includeStackOfGcc_isTheOutermostFirst() {
    String log =
        """
        In file included from src/inner.h:1,
                         from src/outer.h:2,
                         from src/k.hip:3,
                         from <command-line>:
        src/x.h:1:2: error: #error "no"
            1 | #error "no"
              |  ^~~~~
        """;

    Diagnostic error = Diagnostic.parseLog(log).get(0);

    assertThat(error.includedFrom())
        .containsExactly(
            new Location("src/k.hip", 3, 0),
            new Location("src/outer.h", 2, 0),
            new Location("src/inner.h", 1, 0));
    assertThat(error.excerpt()).hasSize(2);
    assertThat(Diagnostic.parseLog(error.toString())).containsExactly(error);
  }

  @Test
  void otherProgramsOfNvidia_areNamed() {
    String log =
        """
        nvcc warning : Support for old architectures will be removed
        nvcc fatal   : Unsupported gpu architecture 'sm_20'
        nvlink error   : Undefined reference to 'f' in 'x.o'
        ptxas info    : 0 bytes gmem
        ptxas /tmp/x.ptx, line 29; error   : Not a name of any known instruction: 'bogus'
        k.cu(3): catastrophic error: cannot open source file "x.h"
        k.cu(4): internal error: assertion failed
        Error: Internal Compiler Error (codegen): "there was an error"
        """;

    assertThat(Diagnostic.parseLog(log))
        .extracting(Diagnostic::headline)
        .containsExactly(
            "nvcc: warning: Support for old architectures will be removed",
            "nvcc: fatal error: Unsupported gpu architecture 'sm_20'",
            "nvlink: error: Undefined reference to 'f' in 'x.o'",
            "ptxas: remark: 0 bytes gmem",
            "ptxas: error: Not a name of any known instruction: 'bogus'",
            "k.cu:3: fatal error: cannot open source file \"x.h\"",
            "k.cu:4: fatal error: assertion failed",
            "cicc: fatal error: Internal Compiler Error (codegen): \"there was an error\"");
  }

  @ParameterizedTest
  @Timeout(60)
  @ValueSource(
      strings = {
        "a(1",
        "a(1): ",
        "(1): error",
        "ptxas a, ",
        "ptxas ;",
        "a(1): error: x\n",
        "a(1): error: x\n  y\n  ^\n          detected during\n",
        "          detected during\n",
        "            instantiation of a(1): \n",
        "In file included from a:1,\n",
        "                 from a:1,\n",
        "In file included from a:1,\n                 from b:1:\n",
        "                 from <command-line>:\n",
        "a(1): note #1-D: x\n",
      })
  void longLogs_takeLinearTime(String part) {
    String log = part.repeat((1 << 20) / part.length());

    assertThat(Diagnostic.parseLog(log)).hasSizeLessThan(log.length());
    assertThat(Diagnostic.parseLog("In file included from a:1,\n" + log)).isNotNull();
    assertThat(Diagnostic.parseLog("a(1): error: " + log)).isNotEmpty();
  }

  /** Returns the diagnostic that shows the function called twice. */
  private static Diagnostic aboutTwice(String name) throws IOException {
    return Diagnostic.parseLog(read(name)).stream()
        .filter(each -> each.excerpt().stream().anyMatch(line -> line.contains("twice")))
        .findFirst()
        .orElseThrow();
  }

  private static String read(String name) throws IOException {
    try (InputStream in =
        NvccDiagnosticTest.class.getResourceAsStream("/diagnostics/cuda-13.0/" + name + ".log")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
