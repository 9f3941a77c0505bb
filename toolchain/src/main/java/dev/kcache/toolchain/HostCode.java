// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Explains errors in code that hipcc accepts and a compiler of device code alone does not: host
 * code, and parts of HIP and the C++ library that it lacks.
 */
public final class HostCode {
  private static final Pattern MISSING_HEADER = Pattern.compile("'[^']{1,512}' file not found$");

  /** An undeclared name; clang does not quote those that it looks up itself. */
  private static final Pattern UNKNOWN =
      Pattern.compile(
          "(?:use of undeclared identifier|unknown (?:type|template|class) name) '?(\\w+)'?.*");

  private static final Pattern UNKNOWN_IN_STD =
      Pattern.compile(
          "no (?:member|type|template|class template) named '(\\w+)' in namespace 'std.*");

  /** Names that device code may use with ROCm's own headers. */
  private static final Pattern OF_HEADER =
      Pattern.compile(
          "(?<complex>(?:make_)?hip(?:Float|Double)?Complex|hipC(?:add|sub|mul|div|fma|abs|real|imag|onj)f?)"
              + "|(?<bfloat>hip_bfloat16)|(?<groups>cooperative_groups)");

  private static final Pattern OF_THE_HOST =
      Pattern.compile(
          "__hip\\w*CallConfiguration|hip(?:rtc)?[A-Z]\\w*"
              + "|FILE|std(?:in|out|err)|f(?:open|close|printf|scanf|read|write|flush|get[cs]|put[cs])"
              + "|puts|putchar|s?scanf|sn?printf|exit|atexit|s?rand|getenv|system|perror|calloc|realloc"
              + "|ato[fil]|strto\\w+|clock|time|errno|c(?:out|err|in|log)|endl|flush|string|[io]f?stream"
              + "|[io]?stringstream|vector|deque|list|(?:unordered_)?(?:multi)?(?:map|set)|queue|stack"
              + "|(?:unique|shared|weak)_ptr|make_(?:unique|shared)|to_string|getline|set(?:w|precision|fill)"
              + "|fixed|hex|chrono|thread|this_thread|mutex|async|future|function|random_device|mt19937"
              + "|\\w+_distribution|\\w+_error|exception|accumulate|iota|sort|transform|for_each|generate|fill"
              + "|copy|filesystem|string_view|ostream|ios|ios_base");

  /** The error about a function that is device code here, and both in hipcc. */
  private static final Pattern CALL_FROM_THE_HOST =
      Pattern.compile(
          ".*(?:call to|reference to) __device__ (?:function|variable).* (?:from|in) __host__"
              + " function.*");

  private HostCode() {}

  /**
   * {@return the error that best explains a failure, as one line: the first one if it is a missing
   * header, else the first one about host code, else the first one if it is about something else
   * that the compiler lacks}
   *
   * @param log what the compiler printed
   * @param compiler the compiler's name
   * @param other the name of the compiler that lacks nothing and reads the machine's headers
   */
  public static Optional<String> problem(String log, String compiler, String other) {
    requireNonNull(compiler, "compiler");
    requireNonNull(other, "other");
    return missingHeader(log, compiler, other).or(() -> lack(log, compiler, other));
  }

  private static Optional<String> missingHeader(String log, String compiler, String other) {
    return Diagnostic.firstError(log)
        .filter(error -> MISSING_HEADER.matcher(error).find())
        .map(
            error ->
                "%s; %s reads no header of the machine: declare it with --header or withHeader, or compile with %s"
                    .formatted(error, compiler, other));
  }

  private static Optional<String> lack(String log, String compiler, String other) {
    List<Diagnostic> errors =
        Diagnostic.parseLog(log).stream()
            .filter(diagnostic -> diagnostic.severity().isError())
            .toList();
    return first(errors, error -> isOfTheHost(error.message()))
        .or(() -> first(errors, HostCode::isCallFromTheHost))
        .map(
            error ->
                "%s; this is host code, and %s compiles device code only: compile with %s, or leave it out by #ifndef __HIP_DEVICE_COMPILE__%s"
                    .formatted(
                        error.headline().strip(),
                        compiler,
                        other,
                        isCallFromTheHost(error)
                            ? " (a function for the device needs __device__)"
                            : ""))
        .or(() -> first(errors, error -> true).flatMap(error -> lack(error, compiler, other)));
  }

  private static Optional<Diagnostic> first(
      List<Diagnostic> errors, Predicate<Diagnostic> condition) {
    return errors.stream().filter(condition).findFirst();
  }

  private static boolean isOfTheHost(String message) {
    return unknown(message)
        .filter(name -> !OF_HEADER.matcher(name).matches())
        .filter(name -> OF_THE_HOST.matcher(name).matches())
        .isPresent();
  }

  private static boolean isCallFromTheHost(Diagnostic error) {
    return CALL_FROM_THE_HOST.matcher(error.message()).matches()
        || error.notes().stream()
            .anyMatch(note -> CALL_FROM_THE_HOST.matcher(note.message()).matches());
  }

  private static Optional<String> lack(Diagnostic error, String compiler, String other) {
    Matcher inStd = UNKNOWN_IN_STD.matcher(error.message());
    Optional<String> lacking =
        inStd.matches()
            ? Optional.of("std::" + inStd.group(1))
            : unknown(error.message()).flatMap(HostCode::header);
    return lacking.map(
        what ->
            "%s; %s has no %s: compile with %s"
                .formatted(error.headline().strip(), compiler, what, other));
  }

  private static Optional<String> unknown(String message) {
    Matcher unknown = UNKNOWN.matcher(message);
    Matcher inStd = UNKNOWN_IN_STD.matcher(message);
    return unknown.matches()
        ? Optional.of(unknown.group(1))
        : inStd.matches() ? Optional.of(inStd.group(1)) : Optional.empty();
  }

  private static Optional<String> header(String name) {
    Matcher matcher = OF_HEADER.matcher(name);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String header =
        matcher.group("complex") != null
            ? "hip_complex"
            : matcher.group("bfloat") != null ? "hip_bfloat16" : "hip_cooperative_groups";
    return Optional.of("hip/" + header + ".h");
  }
}
