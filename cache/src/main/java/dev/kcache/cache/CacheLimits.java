// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.store.EvictionPolicy;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much a cache directory may hold, and how long an unused entry stays. Both are enforced from
 * time to time, not at each write, so a directory may hold more for a while.
 *
 * <p>Immutable and safe for use by any number of threads.
 */
public final class CacheLimits {
  /** The limits where nothing is set: 5 GB, and any age. */
  public static final CacheLimits DEFAULT =
      new CacheLimits(OptionalLong.of(5_000_000_000L), Optional.empty());

  private static final String UNLIMITED = "unlimited";

  /** So that no instant that lies this far back is out of range. */
  private static final Duration LONGEST = Duration.ofDays(100 * 365);

  private static final String UNITS = "kmgt";
  private static final Pattern SIZE =
      Pattern.compile("([0-9]{1,30}(?:\\.[0-9]{1,30})?)\\s*(?:([kmgt])(i)?)?b?");

  /** Nine digits of weeks are far from an overflow. */
  private static final Pattern AGE = Pattern.compile("([0-9]{1,9})([wdhms])");

  private final OptionalLong maxSize;
  private final Optional<Duration> maxAge;

  CacheLimits(OptionalLong maxSize, Optional<Duration> maxAge) {
    if (maxSize.isPresent() && maxSize.getAsLong() <= 0) {
      throw new IllegalArgumentException("maximum size must be positive: " + maxSize.getAsLong());
    }
    if (maxAge.isPresent() && !isAge(maxAge.get())) {
      throw new IllegalArgumentException(
          "maximum age must be positive and at most a hundred years: " + maxAge.get());
    }
    this.maxSize = maxSize;
    this.maxAge = maxAge;
  }

  /** {@return how many bytes of the disk a directory may take; empty for no limit} */
  public OptionalLong maxSize() {
    return maxSize;
  }

  /** {@return how long an entry may go unused; empty for no limit} */
  public Optional<Duration> maxAge() {
    return maxAge;
  }

  /** {@return whether there is no limit at all, neither of size nor of age} */
  public boolean isUnlimited() {
    return maxSize.isEmpty() && maxAge.isEmpty();
  }

  /** Returns the policy that keeps a directory within these limits. */
  EvictionPolicy policy() {
    return new EvictionPolicy(maxSize, maxAge);
  }

  /**
   * {@return the same limits with another size}
   *
   * @param bytes how many bytes of the disk a directory may take
   * @throws IllegalArgumentException if it is not positive
   */
  public CacheLimits withMaxSize(long bytes) {
    return new CacheLimits(OptionalLong.of(bytes), maxAge);
  }

  /** {@return the same limits without one of the size} */
  public CacheLimits withoutMaxSize() {
    return new CacheLimits(OptionalLong.empty(), maxAge);
  }

  /**
   * {@return the same limits with another age}
   *
   * @param age how long an entry may go unused
   * @throws IllegalArgumentException if it is not positive, or above a hundred years
   */
  public CacheLimits withMaxAge(Duration age) {
    return new CacheLimits(maxSize, Optional.of(requireNonNull(age, "age")));
  }

  /** {@return the same limits without one of the age} */
  public CacheLimits withoutMaxAge() {
    return new CacheLimits(maxSize, Optional.empty());
  }

  /**
   * Reads a size: a number of bytes, or one with a unit such as {@code 500MB}, {@code 1.5G} or
   * {@code 2GiB}; kB, MB, GB and TB are powers of 1000, KiB to TiB of 1024, a B may be left out,
   * and case does not matter. {@code 0} and {@code unlimited} are no limit.
   *
   * @param text the size; blanks around it, and before the unit, do not matter
   * @return how many bytes, at least 1; empty for no limit
   * @throws IllegalArgumentException if it is no size
   */
  public static OptionalLong parseSize(String text) {
    Objects.requireNonNull(text, "text");
    String lower = text.strip().toLowerCase(Locale.ROOT);
    if (lower.equals(UNLIMITED)) {
      return OptionalLong.empty();
    }
    Matcher size = SIZE.matcher(lower);
    if (!size.matches()) {
      throw noSize(text);
    }
    int power = size.group(2) == null ? 0 : 1 + UNITS.indexOf(size.group(2));
    BigDecimal unit = BigDecimal.valueOf(size.group(3) == null ? 1000 : 1024).pow(power);
    BigDecimal bytes = new BigDecimal(size.group(1)).multiply(unit);
    if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw noSize(text);
    }
    return bytes.signum() == 0
        ? OptionalLong.empty()
        : OptionalLong.of(Math.max(1, bytes.longValue()));
  }

  private static IllegalArgumentException noSize(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is not a size; write it like 500MB, 5GB or 2GiB, or 0 for no limit");
  }

  /**
   * Reads an age: a whole number of weeks, days, hours, minutes or seconds, such as {@code 2w},
   * {@code 90d}, {@code 12h}, {@code 30m} or {@code 45s}. {@code 0} and {@code unlimited} are no
   * limit.
   *
   * @param text the age; case and blanks around it do not matter
   * @return a positive duration; empty for no limit
   * @throws IllegalArgumentException if it is no age, or one above a hundred years
   */
  public static Optional<Duration> parseAge(String text) {
    Objects.requireNonNull(text, "text");
    String lower = text.strip().toLowerCase(Locale.ROOT);
    if (lower.equals(UNLIMITED) || lower.equals("0")) {
      return Optional.empty();
    }
    Matcher parts = AGE.matcher(lower);
    if (!parts.matches()) {
      throw noAge(text);
    }
    long seconds =
        switch (parts.group(2)) {
          case "w" -> 7 * 86_400;
          case "d" -> 86_400;
          case "h" -> 3_600;
          case "m" -> 60;
          default -> 1;
        };
    Duration age = Duration.ofSeconds(seconds * Long.parseLong(parts.group(1)));
    if (age.isZero()) {
      return Optional.empty();
    }
    if (!isAge(age)) {
      throw noAge(text);
    }
    return Optional.of(age);
  }

  private static boolean isAge(Duration age) {
    return !age.isNegative() && !age.isZero() && age.compareTo(LONGEST) <= 0;
  }

  private static IllegalArgumentException noAge(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is not an age; write it like 90d, 2w or 12h, or 0 for no limit");
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CacheLimits that
        && maxSize.equals(that.maxSize)
        && maxAge.equals(that.maxAge);
  }

  @Override
  public int hashCode() {
    return Objects.hash(maxSize, maxAge);
  }

  @Override
  public String toString() {
    return "CacheLimits[maxSize=" + maxSize + ", maxAge=" + maxAge + "]";
  }
}
