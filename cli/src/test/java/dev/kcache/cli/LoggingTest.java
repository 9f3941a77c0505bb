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
  private final Module module = LoggingTest.class.getModule();

  @Test
  void record_isOneLineWithItsParametersFilledIn() {
    System.Logger logger = logger("debug", false);

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
    logger("debug", true).log(Level.INFO, "a");

    assertThat(printed.toString(UTF_8)).isEqualTo("\r\033[Kkcache: info: a\n");
  }

  @Test
  void record_belowTheLevelIsNotPrinted() {
    logger("warning", false).log(Level.INFO, "not this");
    logger("off", false).log(Level.ERROR, "nor this");

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
    assertThat(logger("debug", false).isLoggable(Level.DEBUG)).isTrue();
    assertThat(
            loggers("debug", false).getLogger("java.lang.Runtime", module).isLoggable(Level.INFO))
        .isFalse();
  }

  private System.Logger logger(String level, boolean terminal) {
    return loggers(level, terminal).getLogger("dev.kcache.cache", module);
  }

  private StderrLoggers loggers(String level, boolean terminal) {
    return new StderrLoggers(
        Map.of("KCACHE_LOG", level), terminal, new PrintStream(printed, true, UTF_8));
  }
}
