// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.toolchain.Diagnostic.Location;
import dev.kcache.toolchain.Diagnostic.Severity;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Diagnostics of the two real compilers; README.md beside their logs says how those were made. */
class DiagnosticTest {
  /** What stands between diagnostics. */
  private static final Pattern REST =
      Pattern.compile(
          "|failed to execute:.*|\\d+ (warning|error)s?( and \\d+ errors?)? generated.*");

  @ParameterizedTest
  @MethodSource("logs")
  void everyLog_printedAgain_isTheSame(String name) throws IOException {
    List<String> printed =
        Diagnostic.parseLog(read(name + ".log")).stream()
            .flatMap(diagnostic -> diagnostic.toString().lines())
            .toList();

    assertThat(withoutIncludes(printed)).isEqualTo(withoutIncludes(placed(name + ".log")));
  }

  @ParameterizedTest
  @MethodSource("logs")
  void everyLog_withoutItsExcerpts_isWhatTheCompilerPrintsWithoutThem(String name)
      throws IOException {
    List<String> headlines = new ArrayList<>();
    for (Diagnostic diagnostic : Diagnostic.parseLog(read(name + ".log"))) {
      headlines.add(diagnostic.headline());
      diagnostic.notes().forEach(note -> headlines.add(note.headline()));
    }

    assertThat(headlines).isNotEmpty();
    assertThat(headlines)
        .isEqualTo(
            withoutIncludes(placed(name + ".brief")).stream()
                .filter(line -> !line.startsWith(">>>"))
                .toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"hip-5.2", "hip-6.4"})
  void errorInANestedHeader_hasItsIncludeStack(String compiler) throws IOException {
    assertThat(Diagnostic.parseLog(read(compiler + "/header.log")))
        .singleElement()
        .satisfies(
            error -> {
              assertThat(error.severity()).isEqualTo(Severity.ERROR);
              assertThat(error.location()).contains(new Location("src/parts/inner.h", 2, 46));
              assertThat(error.message()).isEqualTo("use of undeclared identifier 'undeclared'");
              assertThat(error.includedFrom())
                  .containsExactly(
                      new Location("src/k.hip", 3, 0), new Location("src/outer.h", 2, 0));
              assertThat(error.toString())
                  .startsWith(
                      "In file included from src/k.hip:3:\nIn file included from src/outer.h:2:\nsrc/");
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"hip-5.2", "hip-6.4"})
  void secondErrorInAHeader_hasTheSameIncludeStack(String compiler) throws IOException {
    Location first = new Location("src/k.hip", 3, 0);
    Location second = new Location("src/k.hip", 4, 0);

    assertThat(Diagnostic.parseLog(read(compiler + "/same-header.log")))
        .extracting(Diagnostic::includedFrom)
        .containsExactly(List.of(first), List.of(first), List.of(second), List.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"hip-5.2", "hip-6.4"})
  void templates_haveTheirInstantiationsAsNotes(String compiler) throws IOException {
    assertThat(Diagnostic.parseLog(read(compiler + "/template.log")))
        .singleElement()
        .satisfies(
            error ->
                assertThat(error.notes())
                    .extracting(Diagnostic::severity, Diagnostic::location, Diagnostic::message)
                    .containsExactly(
                        note(
                            4,
                            61,
                            "in instantiation of function template specialization"
                                + " 'twice<float>' requested here"),
                        note(
                            5,
                            36,
                            "in instantiation of function template specialization"
                                + " 'four<float>' requested here")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"hip-5.2", "hip-6.4"})
  void warningAsError_hasItsOptions(String compiler) throws IOException {
    Diagnostic error = Diagnostic.parseLog(read(compiler + "/werror.log")).get(0);

    assertThat(error.severity().isError()).isTrue();
    assertThat(error.message()).isEqualTo("unused variable 'unused'");
    assertThat(error.option()).contains("-Werror,-Wunused-variable");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hip-5.2", "hip-6.4"})
  void tooManyErrors_endWithAFatalOneWithoutAPlace(String compiler) throws IOException {
    List<Diagnostic> errors = Diagnostic.parseLog(read(compiler + "/too-many.log"));

    assertThat(errors).hasSize(20);
    assertThat(errors.get(19))
        .isEqualTo(
            new Diagnostic(
                Severity.FATAL_ERROR,
                Optional.empty(),
                Optional.empty(),
                "too many errors emitted, stopping now",
                Optional.of("-ferror-limit="),
                List.of(),
                List.of(),
                List.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"hip-5.2", "hip-6.4"})
  void linker_namesItselfAndItsReferences(String compiler) throws IOException {
    List<Diagnostic> errors = Diagnostic.parseLog(read(compiler + "/undefined.log"));

    assertThat(errors)
        .extracting(Diagnostic::message)
        .startsWith(
            "undefined hidden symbol: lib::scale(float, int)", "undefined hidden symbol: plain")
        .hasSize(3);
    assertThat(errors.get(0).program()).contains("lld");
    assertThat(errors.get(0).location()).isEmpty();
    assertThat(errors.get(0).excerpt()).hasSize(2).allMatch(line -> line.startsWith(">>> "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"hip-5.2", "hip-6.4"})
  void columns_areBytes(String compiler) throws IOException {
    assertThat(Diagnostic.parseLog(read(compiler + "/unicode.log")).get(0).location())
        .contains(new Location("src/k.hip", 4, 36));
  }

  @ParameterizedTest
  @ValueSource(strings = {"hip-5.2", "hip-6.4"})
  void fileNames_mayHaveBlanksQuotesAndColons(String compiler) throws IOException {
    assertThat(Diagnostic.parseLog(read(compiler + "/odd-names.log")))
        .extracting(error -> error.location().orElseThrow())
        .containsExactly(
            new Location("src/a b:3: 'q' $x.h", 1, 44), new Location("src/it's.h", 1, 9));
  }

  @Test
  void excerpt_withoutLineNumbers_mayLookLikeAMessage() throws IOException {
    List<Diagnostic> errors = Diagnostic.parseLog(read("hip-5.2/looks-like.log"));

    assertThat(errors).hasSize(1);
    assertThat(errors.get(0).excerpt())
        .containsExactly("k.hip:3:4: error: not a message of the compiler", "^");
    assertThat(errors.get(0).notes()).hasSize(1);
  }

  @Test
  void excerpt_hasTheCorrection() throws IOException {
    assertThat(Diagnostic.parseLog(read("hip-5.2/syntax.log")).get(0).excerpt())
        .containsExactly("  p[0] = 1.0f", "             ^", "             ;");
    assertThat(Diagnostic.parseLog(read("hip-5.2/fixit-first-column.log")).get(0).excerpt())
        .containsExactly("T::type x = t;", "^~~~~~~", "typename ");
    assertThat(Diagnostic.parseLog(read("hip-6.4/fixit-first-column.log")).get(0).excerpt())
        .containsExactly("    4 | T::type x = t;", "      | ^~~~~~~", "      | typename ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hip-5.2", "hip-6.4"})
  void crash_isWhatTheDriverSaysOfIt(String compiler) throws IOException {
    assertThat(Diagnostic.parseLog(read(compiler + "/crash.log")))
        .extracting(Diagnostic::message)
        .containsExactly(
            "unable to execute command: Illegal instruction",
            "clang frontend command failed due to signal (use -v to see invocation)");
  }

  @ParameterizedTest
  @CsvSource({"hip-5.2, clang", "hip-6.4, clang++"})
  void failureOfTheBackend_hasNoPlaceButTheProgramThatSaysSo(String compiler, String driver)
      throws IOException {
    List<Diagnostic> errors = Diagnostic.parseLog(read(compiler + "/fatal-backend.log"));

    assertThat(errors)
        .extracting(Diagnostic::headline)
        .containsExactly(
            "fatal error: error in backend: #pragma clang __debug llvm_fatal_error",
            driver
                + ": error: clang frontend command failed with exit code 70 (use -v to see"
                + " invocation)");
    assertThat(errors).allMatch(error -> error.location().isEmpty());
    assertThat(errors.get(0).program()).isEmpty();
  }

  @Test
  void noteThatExplainsNothing_standsAlone() {
    assertThat(Diagnostic.parseLog("a.h:1:2: note: here\r\nx\n"))
        .extracting(Diagnostic::headline)
        .containsExactly("a.h:1:2: note: here");
  }

  @Test
  void numberTooLong_isNoPlace() {
    assertThat(Diagnostic.parseLog("a.h:1:99999999999: error: x\na.h:-1: error: y\n")).isEmpty();
  }

  @Test
  void damagedLogs_giveOnlyLinesThatTheyHave() throws IOException {
    Random random = new Random(1);
    for (String name : logs().toList()) {
      for (int round = 0; round < 50; round++) {
        String log = damaged(read(name + ".log"), random);
        // A column of 0 is none.
        List<String> lines = log.replace(":0: ", ": ").lines().toList();

        for (Diagnostic diagnostic : Diagnostic.parseLog(log)) {
          assertThat(lines)
              .containsAll(diagnostic.toString().replace(":0: ", ": ").lines().toList());
        }
      }
    }
  }

  @ParameterizedTest
  @Timeout(60)
  @ValueSource(
      strings = {
        ":1",
        "a:1:1: ",
        "error: ",
        "In file included from a:1",
        " [-",
        "a:1:1: error: x\n",
        "^",
        " 1 |",
        "\n",
        "a\n^\n",
        "In file included from a:1:\n",
        "a:1:1: note: x [-\n"
      })
  void longLogs_takeLinearTime(String part) {
    String log = part.repeat((1 << 20) / part.length());

    assertThat(Diagnostic.parseLog(log)).hasSizeLessThan(log.length());
    assertThat(Diagnostic.parseLog("a:1:1: error: " + log)).isNotEmpty();
  }

  private static Tuple note(int line, int column, String message) {
    return Tuple.tuple(
        Severity.NOTE, Optional.of(new Location("src/k.hip", line, column)), message);
  }

  private static String damaged(String log, Random random) {
    StringBuilder text = new StringBuilder(log);
    for (int i = 0; i < 10; i++) {
      int from = random.nextInt(text.length());
      int to = Math.min(text.length(), from + 1 + random.nextInt(30));
      text.insert(random.nextInt(text.length()), text.substring(from, to));
      text.delete(from, to);
    }
    return text.toString();
  }

  /** Returns the lines that belong to diagnostics. */
  private static List<String> placed(String name) throws IOException {
    return read(name).lines().filter(line -> !REST.matcher(line).matches()).toList();
  }

  private static List<String> withoutIncludes(List<String> lines) {
    return lines.stream()
        .filter(line -> !line.startsWith("In file included from "))
        .collect(Collectors.toList());
  }

  /** Returns the names of the logs of compilers that did not fail by themselves. */
  static Stream<String> logs() throws IOException {
    try (Stream<Path> files = Files.walk(directory())) {
      return files
          .map(file -> directory().relativize(file).toString())
          .filter(name -> name.endsWith(".brief"))
          .map(name -> name.replace(".brief", ""))
          .sorted()
          .toList()
          .stream();
    }
  }

  private static String read(String name) throws IOException {
    return Files.readString(directory().resolve(name));
  }

  private static Path directory() {
    try {
      return Path.of(
          Objects.requireNonNull(DiagnosticTest.class.getResource("/diagnostics")).toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }
}
