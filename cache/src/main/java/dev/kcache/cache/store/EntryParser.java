// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.kcache.cache.CacheEntry;
import dev.kcache.cache.Toolchain;
import dev.kcache.cache.ToolchainLabel;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the text form of a record, trusting nothing in it. One parser reads one record; not safe
 * for use by several threads.
 */
final class EntryParser {
  /** A code object's bytes are held in one array. */
  static final long MAX_CODE_OBJECT_BYTES = 1L << 30;

  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, Long> numbers = new HashMap<>();
  private final Map<String, List<String>> lists = new HashMap<>();
  private @Nullable List<Toolchain.File> dependencies;

  private EntryParser() {}

  /**
   * Returns the record in {@code bytes}, or nothing if it is of another schema version, which some
   * other version of this library can read.
   *
   * @throws DamagedEntryException if it is no record, or a field is missing, of the wrong type or
   *     out of range
   */
  static Optional<CacheEntry> parse(byte[] bytes) throws DamagedEntryException {
    if (bytes.length > EntryCodec.MAX_BYTES) {
      throw new DamagedEntryException("a record of more than " + EntryCodec.MAX_BYTES + " bytes");
    }
    EntryParser parser = new EntryParser();
    try (JsonParser json = EntryCodec.JSON.createParser(bytes)) {
      parser.readObject(json);
      return parser.isOtherVersion() ? Optional.empty() : Optional.of(parser.entry());
    } catch (IOException | IllegalArgumentException | DateTimeException e) {
      throw new DamagedEntryException("not a record: " + e.getMessage(), e);
    }
  }

  private void readObject(JsonParser json) throws IOException, DamagedEntryException {
    require(json.nextToken() == JsonToken.START_OBJECT, "an object");
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      switch (json.nextToken()) {
        case VALUE_STRING -> texts.put(name, json.getText());
        case VALUE_NUMBER_INT -> numbers.put(name, json.getLongValue());
        case START_ARRAY -> readArray(json, name);
        default -> json.skipChildren();
      }
    }
    require(json.nextToken() == null, "nothing after the object");
  }

  private void readArray(JsonParser json, String name) throws IOException, DamagedEntryException {
    switch (name) {
      case "options", "command" -> lists.put(name, readTexts(json));
      case "dependencies" -> dependencies = readFiles(json);
      default -> json.skipChildren();
    }
  }

  private static List<String> readTexts(JsonParser json) throws IOException, DamagedEntryException {
    List<String> texts = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(json.currentToken() == JsonToken.VALUE_STRING, "an array of strings");
      texts.add(json.getText());
    }
    return texts;
  }

  private static List<Toolchain.File> readFiles(JsonParser json)
      throws IOException, DamagedEntryException {
    List<Toolchain.File> files = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(json.currentToken() == JsonToken.START_OBJECT, "an array of objects");
      Map<String, String> fields = new HashMap<>();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        if (json.nextToken() == JsonToken.VALUE_STRING) {
          fields.put(name, json.getText());
        } else {
          json.skipChildren();
        }
      }
      files.add(
          new Toolchain.File(
              present(fields.get("path"), "path"),
              Digest.parse(present(fields.get("digest"), "digest"))));
    }
    return files;
  }

  private boolean isOtherVersion() throws DamagedEntryException {
    String schema = text("schema");
    require(schema.matches("kcache\\.record/[1-9][0-9]{0,5}"), "the schema of a record");
    return !schema.equals(EntryCodec.SCHEMA);
  }

  private CacheEntry entry() throws DamagedEntryException {
    String source = text("source");
    require(!source.isEmpty(), "a source");
    Duration compileTime = Duration.parse(text("compileTime"));
    require(!compileTime.isNegative(), "a compile time that is not negative");
    TargetId target = TargetId.parse(text("target"));
    return new CacheEntry(
        Digest.parse(text("codeObject")),
        number("size", 1, MAX_CODE_OBJECT_BYTES),
        codeObjectVersion(target.processor().platform()),
        source,
        target,
        new ToolchainLabel(text("label")),
        Digest.parse(text("request")),
        Digest.parse(text("toolchain")),
        present(lists.get("options"), "options"),
        present(lists.get("command"), "command"),
        text("log"),
        compileTime,
        Instant.parse(text("created")),
        present(dependencies, "dependencies"));
  }

  private String text(String name) throws DamagedEntryException {
    return present(texts.get(name), name);
  }

  /** NVIDIA's formats have none. */
  private int codeObjectVersion(Platform platform) throws DamagedEntryException {
    return platform == Platform.AMD
        ? (int) number("codeObjectVersion", 2, 255)
        : (int) number("codeObjectVersion", 0, 0);
  }

  private long number(String name, long least, long most) throws DamagedEntryException {
    long number = present(numbers.get(name), name);
    require(number >= least && number <= most, name + " from " + least + " to " + most);
    return number;
  }

  private static <T> T present(@Nullable T value, String name) throws DamagedEntryException {
    if (value == null) {
      throw new DamagedEntryException("not a record: it has no proper '" + name + "'");
    }
    return value;
  }

  private static void require(boolean condition, String what) throws DamagedEntryException {
    if (!condition) {
      throw new DamagedEntryException("not a record: expected " + what);
    }
  }
}
