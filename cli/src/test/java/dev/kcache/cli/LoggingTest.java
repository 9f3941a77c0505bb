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

class LoggingTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @Test
  void record_isOneLine() {
    logger(Level.DEBUG).log(Level.WARNING, "a\nb", new IllegalStateException("c\nd"));

    assertThat(printed.toString(UTF_8))
        .isEqualTo("kcache: warning: a b: java.lang.IllegalStateException: c d\n");
  }

  @Test
  void record_takesTheProgressBarAwayOnATerminal() {
    new StderrLogger("dev.kcache", Level.DEBUG, "\r\033[K", new PrintStream(printed, true, UTF_8))
        .log(Level.INFO, "a");

    assertThat(printed.toString(UTF_8)).isEqualTo("\r\033[Kkcache: info: a\n");
  }

  @Test
  void record_hasItsParametersFilledIn() {
    logger(Level.DEBUG).log(Level.DEBUG, "{0} of {1}", "one", "two");

    assertThat(printed.toString(UTF_8)).isEqualTo("kcache: debug: one of two\n");
  }

  @Test
  void record_withoutParametersIsPrintedAsItIs() {
    logger(Level.DEBUG).log(Level.INFO, "it's {0}");

    assertThat(printed.toString(UTF_8)).isEqualTo("kcache: info: it's {0}\n");
  }

  @Test
  void record_belowTheLevelIsNotPrinted() {
    logger(Level.WARNING).log(Level.INFO, "not this");
    logger(Level.OFF).log(Level.ERROR, "nor this");

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
            "KCACHE_LOG='loud' is no log level; it is one of debug, info, warning, error, off");
  }

  @Test
  void loggers_areTheOnesOfThisProcess() {
    assertThat(System.getLogger("dev.kcache.cache.Any").getClass().getName())
        .isNotEqualTo("sun.util.logging.internal.LoggingProviderImpl$JULWrapper");
    assertThat(System.LoggerFinder.getLoggerFinder()).isInstanceOf(StderrLoggers.class);
  }

  @Test
  void loggers_keepTheRuntimesOwnRecordsBelowAWarning() {
    System.LoggerFinder loggers = new StderrLoggers(Map.of("KCACHE_LOG", "debug"), false);
    Module module = getClass().getModule();

    assertThat(loggers.getLogger("dev.kcache.cache", module).isLoggable(Level.DEBUG)).isTrue();
    assertThat(loggers.getLogger("java.lang.Runtime", module).isLoggable(Level.INFO)).isFalse();
  }

  private System.Logger logger(Level level) {
    return new StderrLogger("dev.kcache.cache", level, "", new PrintStream(printed, true, UTF_8));
  }
}
