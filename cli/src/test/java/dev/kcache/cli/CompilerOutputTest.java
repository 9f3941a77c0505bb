// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CompilerOutputTest {
  @Test
  void withoutClosing_countAndCommand_areGone() {
    String log =
        """
        k.hip:4:36: error: unknown type name 'half4'
            4 | half4 x;
              | ^
        1 warning and 2 errors generated when compiling for gfx90a.
        failed to execute:/usr/bin/clang++  --offload-arch=gfx90a k.hip
        """;

    assertThat(CompilerOutput.withoutClosing(log))
        .isEqualTo("k.hip:4:36: error: unknown type name 'half4'\n    4 | half4 x;\n      | ^");
  }

  @Test
  void withoutClosing_linker_keepsItsOwnWords() {
    assertThat(
            CompilerOutput.withoutClosing(
                """
                lld: error: undefined hidden symbol: f

                lld: error: undefined hidden symbol: g
                clang: error: amdgcn-link command failed with exit code 1 (use -v to see invocation)
                """))
        .isEqualTo(
            "lld: error: undefined hidden symbol: f\n\nlld: error: undefined hidden symbol: g");
  }

  @Test
  void withoutClosing_sameWordsInTheMiddle_stay() {
    String log = "k.hip:1:1: error: x\n1 error generated.\n^";

    assertThat(CompilerOutput.withoutClosing(log)).isEqualTo(log);
  }

  @Test
  void withoutClosing_nothingElse_isAllOfIt() {
    assertThat(CompilerOutput.withoutClosing("\n1 error generated.\n"))
        .isEqualTo("\n1 error generated.");
    assertThat(CompilerOutput.withoutClosing(" \n")).isEmpty();
  }

  @Test
  void withoutShown_refersOnlyToAnErrorThatWasShown() {
    CompilerOutput output = new CompilerOutput();
    String problem = "k.hip:1:1: error: unknown 'half4'; include <hip/hip_fp16.h>";

    assertThat(output.withoutShown(problem, "k.hip")).isEqualTo(problem);
    assertThat(output.news("k.hip:1:1: error: unknown 'half4'\nhalf4 x;\n")).isPresent();
    assertThat(output.withoutShown(problem, "k.hip"))
        .isEqualTo("k.hip does not compile, see the error above; include <hip/hip_fp16.h>");
    assertThat(output.withoutShown("o.hip:1:1: error: other", "o.hip"))
        .isEqualTo("o.hip:1:1: error: other");
  }

  @Test
  void news_errorThatTheProblemExplains_isLeftOut() {
    assertThat(
            new CompilerOutput()
                .news(
                    "error: overriding the module target triple with amdgcn-amd-amdhsa"
                        + " [-Werror,-Woverride-module]\n1 error generated.\n"))
        .isEmpty();
  }

  @Test
  void news_longLog_isItsFirstFiftyLines() {
    String line = "k.hip:1:1: error: unknown type name 'half4'\n";
    StringBuilder log = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      log.append(line.replace("half4", "half" + i));
    }

    assertThat(new CompilerOutput().news(log.toString()).orElseThrow().lines())
        .hasSize(51)
        .startsWith(line.replace("half4", "half0").strip())
        .endsWith(
            line.replace("half4", "half49").strip(), "(10 lines left out; --json has all of them)");
  }

  @Test
  void news_longLine_isCut() {
    String news = new CompilerOutput().news("x".repeat(100_000)).orElseThrow();

    assertThat(news).hasSize(1000).endsWith("x...");
  }

  @Test
  void news_sourceThatIsBinary_isAFewShortLines() {
    String bytes = "<U+007F>ELF<U+0002>" + "<U+0000>".repeat(40) + "<D0>a";
    StringBuilder log = new StringBuilder("k.hip:1:1: error: expected unqualified-id\n");
    log.append(bytes).append("\n^\n");
    for (int i = 8; i < 28; i++) {
      log.append("k.hip:1:" + i + ": warning: null character ignored [-Wnull-character]\n");
      log.append(bytes).append("\n").append(" ".repeat(10 * i)).append("^\n");
    }

    List<String> lines = new CompilerOutput().news(log.toString()).orElseThrow().lines().toList();

    assertThat(lines).hasSize(7).allMatch(line -> line.length() <= 100);
    assertThat(lines.get(0)).isEqualTo("k.hip:1:1: error: expected unqualified-id");
    assertThat(lines.get(1)).startsWith("<U+007F>ELF<U+0002><U+0000>").endsWith("...");
    assertThat(lines.get(6)).matches("\\(\\d+ lines left out; --json has all of them\\)");
  }

  @Test
  void news_sourceWithSomeOddCharacters_isShownWhole() {
    String log =
        "k.hip:1:1: error: unexpected character <U+00E9>\n%s<U+00E9><U+00E8>\n^\n"
            .formatted("x".repeat(150));
    assertThat(new CompilerOutput().news(log)).contains(log.stripTrailing());
  }

  @Test
  void news_sameDiagnosticOfSeveralPassesOrJobs_isToldOnce() {
    String first = "In file included from k.hip:1:\nh.h:4:36: error: first\n    4 | half4 x;\n";
    String second = "k.hip:9:1: error: second\nk.hip:1:1: note: declared here\n";
    CompilerOutput output = new CompilerOutput();

    assertThat(output.news(first + second + first + second + "2 errors generated.\n"))
        .hasValue((first + second).strip());
    assertThat(output.news(second + "k.hip:9:1: error: third\n"))
        .hasValue("k.hip:9:1: error: third");
    assertThat(output.news(first)).isEmpty();
  }

  @Test
  void news_whatWasLeftOut_isToldWhenItComesUpAgain() {
    CompilerOutput output = new CompilerOutput();
    String long51 = "k.hip:1:1: error: x\n" + "    1 | x\n".repeat(49);
    String last = "k.hip:2:1: error: y\n";

    assertThat(output.news(long51 + last).orElseThrow()).doesNotContain("error: y");
    assertThat(output.news(last)).hasValue(last.strip());
  }
}
