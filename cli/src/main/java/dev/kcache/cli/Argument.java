// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * An option or a parameter of a verb: its specification, and its value once parsed.
 *
 * <p>picocli could read all this from annotations, but Java makes a class for each kind of
 * annotation that is looked at, which was a quarter of what a warm prewarm took.
 *
 * @param <T> what its value is
 */
final class Argument<T> {
  private final ArgSpec spec;

  private Argument(ArgSpec spec) {
    this.spec = spec;
  }

  /** Returns an option without a value: true if given. */
  static Argument<Boolean> flag(String name, String description) {
    return new Argument<>(
        OptionSpec.builder(name).initialValue(false).description(description).build());
  }

  /**
   * Returns an option with a value.
   *
   * @param label what stands for the value in the help
   * @param reader reads a value; throws {@link IllegalArgumentException} with what is wrong and
   *     what to write
   * @param description what the help says
   */
  static <T> Argument<T> option(
      String name, String label, Function<String, T> reader, String description) {
    return new Argument<>(option(name, label, description).converters(converter(reader)).build());
  }

  /** Returns an option with a value, which is {@code value} where the user gives none. */
  static <T> Argument<T> optionOr(
      String value, String name, String label, Function<String, T> reader, String description) {
    return new Argument<>(
        option(name, label, description).converters(converter(reader)).defaultValue(value).build());
  }

  /** Returns an option that may be given several times; its value has an element for each. */
  static <T> Argument<List<T>> options(
      String name, String label, Function<String, T> reader, String description) {
    return new Argument<>(
        option(name, label, description)
            .type(List.class)
            .converters(converter(reader))
            .initialValue(List.of())
            .build());
  }

  private static OptionSpec.Builder option(String name, String label, String description) {
    return OptionSpec.builder(name).type(Object.class).paramLabel(label).description(description);
  }

  /** Returns a parameter that has to be there. */
  static <T> Argument<T> parameter(String label, Function<String, T> reader, String description) {
    return new Argument<>(
        parameter(label, description)
            .type(Object.class)
            .index("0")
            .required(true)
            .converters(converter(reader))
            .build());
  }

  /** Returns parameters, of which there may be any number. */
  static <T> Argument<List<T>> parameters(
      String label, Function<String, T> reader, String description) {
    return new Argument<>(
        parameter(label, description)
            .type(List.class)
            .arity("0..*")
            .converters(converter(reader))
            .initialValue(List.of())
            .build());
  }

  private static PositionalParamSpec.Builder parameter(String label, String description) {
    return PositionalParamSpec.builder().paramLabel(label).description(description);
  }

  /** Of any other exception picocli prints its class, too. */
  private static ITypeConverter<?> converter(Function<String, ?> reader) {
    return text -> {
      try {
        return reader.apply(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    };
  }

  /** Adds it to a verb, whose help lists its arguments in the order in which they were added. */
  void addTo(CommandSpec verb) {
    verb.add(spec);
  }

  /** Returns whether it has a value. */
  boolean isGiven() {
    return valueOrNull() != null;
  }

  /** Returns its value, which it has to have. */
  T value() {
    T value = valueOrNull();
    if (value == null) {
      throw new IllegalStateException(spec + " has no value");
    }
    return value;
  }

  /** Returns its value, if it has one. */
  @Nullable T valueOrNull() {
    return spec.getValue();
  }
}
