// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CacheLimitsTest {
  @ParameterizedTest
  @CsvSource({
    "1, 1", "4096, 4096", "10B, 10", "500MB, 500000000",
    "500mb, 500000000", "5G, 5000000000", "5 GB, 5000000000", "1.5k, 1500",
    "2GiB, 2147483648", "2Ki, 2048", "0.5TiB, 549755813888", "3TB, 3000000000000",
    "0.001k, 1", "0.1, 1", "9223372036854775807, 9223372036854775807",
  })
  void parseSize_numberWithOrWithoutUnit_isThatManyBytes(String text, long bytes) {
    assertThat(CacheLimits.parseSize(text)).hasValue(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0GB", "0.0", "unlimited", "Unlimited"})
  void parseSize_zeroOrUnlimited_isNoLimit(String text) {
    assertThat(CacheLimits.parseSize(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", "-1", "5XB", "GB", ".5GB", "5.GB",
        "1.2.3", "1e9", "0x10", "5GBs", "5 G B", "٥GB", "9223372036854775808",
        "99999999999TB", "1111111111111111111111111111111111111111",
      })
  void parseSize_anythingElse_isRefusedWithTheForm(String text) {
    assertThatThrownBy(() -> CacheLimits.parseSize(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'%s' is not a size; write it like 500MB, 5GB or 2GiB, or 0 for no limit", text);
  }

  @ParameterizedTest
  @CsvSource({"90d, P90D", "2w, P14D", "12h, PT12H", "30m, PT30M", "45s, PT45S", "1D, P1D"})
  void parseAge_numberWithUnit_isThatLong(String text, Duration age) {
    assertThat(CacheLimits.parseAge(text)).contains(age);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0d", "unlimited"})
  void parseAge_zeroOrUnlimited_isNoLimit(String text) {
    assertThat(CacheLimits.parseAge(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "90", "d", "-1d", "1.5d", "1y", "90 days", "101000d", "99999999999d", "9.d"})
  void parseAge_anythingElse_isRefusedWithTheForm(String text) {
    assertThatThrownBy(() -> CacheLimits.parseAge(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("'%s' is not an age; write it like 90d, 2w or 12h, or 0 for no limit", text);
  }

  @Test
  void settings_ofBothVariables_areTheirs() {
    assertThat(limits(Map.of("KCACHE_MAX_SIZE", "1MiB", "KCACHE_MAX_AGE", "90d")))
        .isEqualTo(new CacheLimits(OptionalLong.of(1 << 20), Optional.of(Duration.ofDays(90))));
    assertThat(limits(Map.of("KCACHE_MAX_SIZE", "0")).isUnlimited()).isTrue();
    assertThat(limits(Map.of("KCACHE_MAX_SIZE", "", "KCACHE_MAX_AGE", "")))
        .isEqualTo(limits(Map.of()))
        .isEqualTo(new CacheLimits(OptionalLong.of(5_000_000_000L), Optional.empty()));
  }

  @Test
  void settings_badVariable_isRefusedWithItsName() {
    assertThatThrownBy(() -> limits(Map.of("KCACHE_MAX_SIZE", "much")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("KCACHE_MAX_SIZE: 'much' is not a size; ");
    assertThatThrownBy(() -> limits(Map.of("KCACHE_MAX_AGE", "old")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("KCACHE_MAX_AGE: 'old' is not an age; ");
  }

  @Test
  void builder_setsOneLimitAndLeavesTheOther() {
    Map<String, String> environment = Map.of("KCACHE_MAX_SIZE", "1MiB", "KCACHE_MAX_AGE", "90d");
    CacheManagerBuilder size = CacheManager.builder().environment(environment);
    assertThat(CacheSettings.of(size.maxSize(7)).limits())
        .isEqualTo(new CacheLimits(OptionalLong.of(7), Optional.of(Duration.ofDays(90))));
    CacheManagerBuilder age = CacheManager.builder().environment(environment);
    assertThat(CacheSettings.of(age.withoutMaxAge()).limits())
        .isEqualTo(new CacheLimits(OptionalLong.of(1 << 20), Optional.empty()));
  }

  @Test
  void builder_notPositive_isRefused() {
    assertThatThrownBy(() -> CacheManager.builder().maxSize(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CacheManager.builder().maxAge(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static CacheLimits limits(Map<String, String> environment) {
    return CacheSettings.of(CacheManager.builder().environment(environment)).limits();
  }
}
