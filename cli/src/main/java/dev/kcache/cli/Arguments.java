// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * Makes the arguments of a verb, and keeps them in the order of its help.
 *
 * <p>A label stands for a value in the help. A reader reads a value; it throws {@link
 * IllegalArgumentException} with what is wrong and what to write.
 *
 * <p>picocli could read all this from annotations, but Java makes a class for each kind of
 * annotation that is looked at, which was a quarter of what a warm prewarm took.
 */
final class Arguments {
  /** The one option whose value may begin as an option does. */
  static final String COMPILER_OPTION = "--option";

  /** Stands for a value that is not there; no argument of a process has this character. */
  private static final String NO_VALUE = "\0";

  private final List<ArgSpec> all = new ArrayList<>();

  /** Adds the arguments to a verb. */
  void addTo(CommandSpec verb) {
    all.forEach(verb::add);
  }

  private <T> Argument<T> add(ArgSpec spec) {
    all.add(spec);
    return new Argument<>(spec);
  }

  /** Makes an option without a value: true if given. */
  Argument<Boolean> flag(String name, String description) {
    return add(
        OptionSpec.builder(name).initialValue(false).description(literal(description)).build());
  }

  /** Makes an option with a value. */
  <T> Argument<T> option(
      String name, String label, Function<String, T> reader, String description) {
    return add(builder(name, label, reader, description).build());
  }

  /**
   * Makes an option whose value, if it has one, is written behind {@code =}. Without one, the
   * reader gets nothing, which differs from an empty value.
   */
  <T> Argument<T> optionWithOptionalValue(
      String name, String label, Function<Optional<String>, T> reader, String description) {
    Function<String, T> ofText =
        text -> reader.apply(Optional.of(text).filter(each -> !each.equals(NO_VALUE)));
    return add(
        builder(name, label, ofText, description)
            .arity("0..1")
            .preprocessor(
                (arguments, verb, option, info) -> {
                  // What follows is an argument of its own.
                  if (" ".equals(info.get("separator"))) {
                    arguments.push(NO_VALUE);
                  }
                  return false;
                })
            .build());
  }

  /** Makes an option with a value, which is {@code value} where the user gives none. */
  <T> Argument<T> optionOr(
      String value, String name, String label, Function<String, T> reader, String description) {
    return add(builder(name, label, reader, description).defaultValue(value).build());
  }

  /** Makes an option that may be given several times; its value has an element for each. */
  <T> Argument<List<T>> options(
      String name, String label, Function<String, T> reader, String description) {
    return add(
        builder(name, label, reader, description).type(List.class).initialValue(List.of()).build());
  }

  private static OptionSpec.Builder builder(
      String name, String label, Function<String, ?> reader, String description) {
    return OptionSpec.builder(name)
        .type(Object.class)
        .paramLabel(label)
        .converters(converter(name.equals(COMPILER_OPTION) ? reader : unlikeAnOption(reader)))
        .description(literal(description));
  }

  /** The value of an option that got none is the next option. */
  private static <T> Function<String, T> unlikeAnOption(Function<String, T> reader) {
    return text -> {
      if (text.startsWith("--")) {
        throw new IllegalArgumentException(
            "'%s' is an option and no value; a file of that name is written './%s'"
                .formatted(text, text));
      }
      return reader.apply(text);
    };
  }

  /** Makes a parameter that has to be there. */
  <T> Argument<T> parameter(String label, Function<String, T> reader, String description) {
    return add(
        builder(label, reader, description).type(Object.class).index("0").required(true).build());
  }

  /** Makes parameters, of which there may be any number. */
  <T> Argument<List<T>> parameters(String label, Function<String, T> reader, String description) {
    return add(
        builder(label, reader, description)
            .type(List.class)
            .arity("0..*")
            .initialValue(List.of())
            .build());
  }

  private static PositionalParamSpec.Builder builder(
      String label, Function<String, ?> reader, String description) {
    return PositionalParamSpec.builder()
        .paramLabel(label)
        .converters(converter(reader))
        .description(literal(description));
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

  /** Picocli takes each description as a format. */
  private static String literal(String description) {
    return description.replace("%", "%%");
  }
}
