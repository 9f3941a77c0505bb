// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the fields of one object of a {@code --json} document, in order. A document is one line,
 * its names are in camelCase, and its {@code schema} names its form, which is only ever added to.
 * Durations are in seconds, sizes in bytes.
 */
final class Json {
  private final JsonGenerator generator;

  private Json(JsonGenerator generator) {
    this.generator = generator;
  }

  /**
   * Prints the document of a verb.
   *
   * @param fields writes what follows the schema
   */
  static void print(PrintStream out, String verb, Consumer<Json> fields) {
    JsonFactory factory = JsonFactory.builder().build();
    try (JsonGenerator generator = factory.createGenerator(out, JsonEncoding.UTF8)) {
      generator.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      Json json = new Json(generator);
      json.object(object -> fields.accept(object.put("schema", "kcache." + verb + "/1")));
      generator.writeRaw('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Writes a field: a number, a boolean, a duration, a list of values, or the text of anything
   * else. An unknown value, null or an empty {@link Optional}, is null.
   */
  Json put(String name, @Nullable Object value) {
    return write(
        () -> {
          generator.writeFieldName(name);
          value(value);
        });
  }

  /** Writes a field if there is a value for it. */
  Json putIfPresent(String name, Optional<?> value) {
    return value.isPresent() ? put(name, value) : this;
  }

  /** Writes an object, or null. */
  Json object(String name, @Nullable Consumer<Json> fields) {
    return fields == null
        ? put(name, null)
        : write(() -> generator.writeFieldName(name)).object(fields);
  }

  /** Writes a list with an object for each value. */
  <T> Json objects(String name, Collection<T> values, BiConsumer<T, Json> fields) {
    write(() -> generator.writeArrayFieldStart(name));
    values.forEach(value -> object(json -> fields.accept(value, json)));
    return write(generator::writeEndArray);
  }

  private Json object(Consumer<Json> fields) {
    write(generator::writeStartObject);
    fields.accept(this);
    return write(generator::writeEndObject);
  }

  private void value(@Nullable Object value) throws IOException {
    if (value instanceof Optional<?> optional) {
      value(optional.orElse(null));
    } else if (value instanceof Collection<?> values) {
      generator.writeStartArray();
      for (Object each : values) {
        value(each);
      }
      generator.writeEndArray();
    } else if (value instanceof Duration duration) {
      generator.writeNumber(duration.toMillis() / 1000.0);
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      generator.writePOJO(value);
    } else {
      generator.writeString(value.toString());
    }
  }

  private Json write(Write write) {
    try {
      write.run();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private interface Write {
    void run() throws IOException;
  }
}
