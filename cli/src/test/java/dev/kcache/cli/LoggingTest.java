// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.System.Logger.Level;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoggingTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final Module module = LoggingTest.class.getModule();

  @Test
  void record_isOneLineWithItsParametersFilledIn() {
    System.Logger logger = logger("debug", 0);

    logger.log(Level.WARNING, "a\nb", new IllegalStateException("c\nd"));
    logger.log(Level.DEBUG, "{0} of {1}", "one", "two");
    logger.log(Level.INFO, "it's {0}");

    assertThat(printed.toString(UTF_8))
        .isEqualTo(
            """
            kcache: warning: a b: java.lang.IllegalStateException: c d
            kcache: debug: one of two
            kcache: info: it's {0}
            """);
  }

  @Test
  void record_takesTheProgressBarAwayOnATerminal() {
    logger("debug", 80).log(Level.INFO, "a");

    assertThat(printed.toString(UTF_8)).isEqualTo("\r\033[Kkcache: info: a\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {80, 40})
  void record_isWrappedAtTheWidthOfATerminal(int columns) {
    String text = "the embedded compiler compiles, with ROCm's device library in /usr/lib/x";

    logger("debug", columns).log(Level.WARNING, "{0}; {1}", text, text);

    String[] lines = printed.toString(UTF_8).substring("\r\033[K".length()).split("\n");
    assertThat(lines).hasSizeGreaterThan(1).allMatch(line -> line.length() < columns);
    assertThat(lines[1]).matches(" {8}\\S.*");
    assertThat(String.join("\n", lines).replaceAll("\n {8}", " "))
        .isEqualTo("kcache: warning: " + text + "; " + text);
  }

  @Test
  void record_belowTheLevelIsNotPrinted() {
    logger("warning", 0).log(Level.INFO, "not this");
    logger("off", 0).log(Level.ERROR, "nor this");

    assertThat(printed.toString(UTF_8)).isEmpty();
  }

  @Test
  void level_isTheVariables() {
    assertThat(StderrLoggers.level(Map.of("KCACHE_LOG", "Debug"))).isEqualTo(Level.DEBUG);
    assertThat(StderrLoggers.level(Map.of("KCACHE_LOG", ""))).isEqualTo(Level.WARNING);
    assertThat(StderrLoggers.level(Map.of())).isEqualTo(Level.WARNING);
    assertThatThrownBy(() -> StderrLoggers.level(Map.of("KCACHE_LOG", "loud")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "KCACHE_LOG='loud' is not a log level; it is one of debug, info, warning, error, off");
  }

  @Test
  void loggers_areTheOnesOfThisProcess() {
    assertThat(System.getLogger("dev.kcache.cache.Any").getClass().getName())
        .isNotEqualTo("sun.util.logging.internal.LoggingProviderImpl$JULWrapper");
    assertThat(System.LoggerFinder.getLoggerFinder()).isInstanceOf(StderrLoggers.class);
  }

  @Test
  void loggers_keepTheRuntimesOwnRecordsBelowAWarning() {
    assertThat(logger("debug", 0).isLoggable(Level.DEBUG)).isTrue();
    assertThat(loggers("debug", 0).getLogger("java.lang.Runtime", module).isLoggable(Level.INFO))
        .isFalse();
  }

  private System.Logger logger(String level, int columns) {
    return loggers(level, columns).getLogger("dev.kcache.cache", module);
  }

  private StderrLoggers loggers(String level, int columns) {
    return new StderrLoggers(
        Map.of("KCACHE_LOG", level), columns, new PrintStream(printed, true, UTF_8));
  }
}
