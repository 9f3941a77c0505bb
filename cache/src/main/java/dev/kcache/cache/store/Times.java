// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.time.Duration;
import java.time.Instant;

/**
 * Reads times as records have them. {@link Instant#parse} and {@link Duration#parse} would load the
 * formats and fields of all dates, and regular expressions, when the first record of a process is
 * read; they serve for what the short ways here don't take.
 */
final class Times {
  private static final int NANO_DIGITS = 9;

  /** Of a year that is no leap year. */
  private static final int[] DAYS_BEFORE = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

  private Times() {}

  /**
   * Returns the instant that {@link Instant#toString} wrote.
   *
   * @throws java.time.DateTimeException if the text is none
   */
  static Instant instant(String text) {
    int end = text.length() - 1;
    // 2026-11-22T05:48:00Z, or with a fraction.
    if (end < 19 || !hasShape(text, "0000-00-00T00:00:00") || text.charAt(end) != 'Z') {
      return Instant.parse(text);
    }
    int nanos = end == 19 ? 0 : nanos(text, 19, end);
    int hour = number(text, 11, 13);
    int minute = number(text, 14, 16);
    int second = number(text, 17, 19);
    // The end of a day and leap seconds have their own rules.
    if (nanos < 0 || hour > 23 || minute > 59 || second > 59) {
      return Instant.parse(text);
    }
    int year = number(text, 0, 4);
    int month = number(text, 5, 7);
    int day = number(text, 8, 10);
    // What is no date is for the long way to refuse.
    if (month < 1 || month > 12 || day < 1 || day > daysIn(month, year)) {
      return Instant.parse(text);
    }
    long days = daysBefore(year) + daysBefore(month, year) + day - 1 - daysBefore(1970);
    return Instant.ofEpochSecond(((days * 24 + hour) * 60 + minute) * 60 + second, nanos);
  }

  /**
   * Returns the duration that {@link Duration#toString} wrote.
   *
   * @throws java.time.DateTimeException if the text is none
   */
  static Duration duration(String text) {
    // PT1.25S: less than a minute.
    int end = text.length() - 1;
    int point = text.indexOf('.');
    int whole = point < 0 ? end : point;
    if (!text.startsWith("PT") || text.charAt(end) != 'S' || whole < 3 || whole > 4) {
      return Duration.parse(text);
    }
    int nanos = point < 0 ? 0 : nanos(text, point, end);
    return nanos < 0 || !isDigits(text, 2, whole)
        ? Duration.parse(text)
        : Duration.ofSeconds(number(text, 2, whole), nanos);
  }

  /** Returns how many days there are from the beginning of the year 0. */
  private static long daysBefore(int year) {
    int last = year - 1;
    return year == 0 ? 0 : 365L * year + 1 + last / 4 - last / 100 + last / 400;
  }

  private static int daysBefore(int month, int year) {
    return DAYS_BEFORE[month - 1] + (month > 2 && isLeap(year) ? 1 : 0);
  }

  private static int daysIn(int month, int year) {
    return month == 12 ? 31 : daysBefore(month + 1, year) - daysBefore(month, year);
  }

  private static boolean isLeap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  }

  /** Returns what a point and one to nine digits mean; -1 if there is something else. */
  private static int nanos(String text, int point, int end) {
    int digits = end - point - 1;
    if (text.charAt(point) != '.'
        || digits < 1
        || digits > NANO_DIGITS
        || !isDigits(text, point + 1, end)) {
      return -1;
    }
    int nanos = number(text, point + 1, end);
    for (int i = digits; i < NANO_DIGITS; i++) {
      nanos *= 10;
    }
    return nanos;
  }

  /** Returns whether the text begins like {@code shape}, in which each 0 stands for a digit. */
  private static boolean hasShape(String text, String shape) {
    for (int i = 0; i < shape.length(); i++) {
      char expected = shape.charAt(i);
      if (expected == '0' ? !isDigits(text, i, i + 1) : text.charAt(i) != expected) {
        return false;
      }
    }
    return true;
  }

  private static boolean isDigits(String text, int start, int end) {
    for (int i = start; i < end; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  private static int number(String text, int start, int end) {
    return Integer.parseInt(text, start, end, 10);
  }
}
