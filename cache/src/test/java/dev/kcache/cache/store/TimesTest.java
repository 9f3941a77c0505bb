// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the text, the result is that of the Java runtime's own way. */
class TimesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-22T05:48:00Z",
        "2026-11-22T05:48:00.1Z",
        "2026-11-22T05:48:00.123456789Z",
        "2026-11-22T05:48:00.000000001Z",
        "2026-02-29T05:48:00Z",
        "2024-02-29T23:59:59.5Z",
        "2016-12-31T23:59:60Z",
        "2026-13-01T00:00:00Z",
        "2026-11-22T24:00:00Z",
        "2026-11-22T05:60:00Z",
        "0000-01-01T00:00:00Z",
        "-0001-01-01T00:00:00Z",
        "+12026-11-22T05:48:00Z",
        "2026-11-22T05:48:00.Z",
        "2026-11-22T05:48:00.1234567890Z",
        "2026-11-22T05:48:00,5Z",
        "2026-11-22T05:48:00+00:00",
        "2026-11-22t05:48:00z",
        "2026-11-22T05:48Z",
        "2026-11-22T05:48:00",
        "2026-1a-22T05:48:00Z",
        "2026-11-22 05:48:00Z",
        "",
        "Z",
        "yesterday"
      })
  void instant_isThatOfInstantParse(String text) {
    assertThat(result(text, Times::instant)).isEqualTo(result(text, Instant::parse));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PT0S",
        "PT1S",
        "PT59.999999999S",
        "PT1.25S",
        "PT1M10.123456789S",
        "PT60S",
        "PT-1S",
        "PT+1S",
        "PT-0.5S",
        "PT1.S",
        "PT.5S",
        "PT1.1234567890S",
        "pt1s",
        "PT1s",
        "P1D",
        "PT1H",
        "PT100S",
        "PT12",
        "PTS",
        "PT",
        "S",
        "",
        "PT1x.5S",
        "PTxS",
        "PT1.5.5S",
        "P.5S",
        "PT1,5S",
        "an hour"
      })
  void duration_isThatOfDurationParse(String text) {
    assertThat(result(text, Times::duration)).isEqualTo(result(text, Duration::parse));
  }

  private static String result(String text, Function<String, Object> parse) {
    try {
      return parse.apply(text).toString();
    } catch (DateTimeException e) {
      return "refused";
    }
  }
}
