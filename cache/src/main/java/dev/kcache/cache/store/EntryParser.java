// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.CacheEntry;
import dev.kcache.cache.ToolchainLabel;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the text form of a record, trusting nothing in it. One parser reads one record; not safe
 * for use by several threads.
 */
final class EntryParser {
  /** A code object's bytes are held in one array. */
  static final long MAX_CODE_OBJECT_BYTES = 1L << 30;

  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, String> numbers = new HashMap<>();
  private final Map<String, List<String>> lists = new HashMap<>();

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
    try {
      parser.readObject(new JsonReader(bytes));
      return parser.isOtherVersion() ? Optional.empty() : Optional.of(parser.entry());
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new DamagedEntryException("not a record: " + e.getMessage(), e);
    }
  }

  private void readObject(JsonReader json) throws DamagedEntryException {
    Set<String> names = new HashSet<>();
    json.enter('{');
    while (json.hasNext('}')) {
      String name = json.name();
      requireNew(names, name);
      switch (json.peek()) {
        case '"' -> texts.put(name, json.string());
        case '[' -> readArray(json, name);
        case '{', 't', 'f', 'n' -> json.skip();
        default -> numbers.put(name, json.number());
      }
    }
    json.end();
  }

  private void readArray(JsonReader json, String name) throws DamagedEntryException {
    switch (name) {
      case "options", "command" -> lists.put(name, readTexts(json));
      default -> json.skip();
    }
  }

  private static List<String> readTexts(JsonReader json) throws DamagedEntryException {
    List<String> texts = new ArrayList<>();
    json.enter('[');
    while (json.hasNext(']')) {
      texts.add(json.string());
    }
    return texts;
  }

  private static void requireNew(Set<String> names, String name) throws DamagedEntryException {
    require(names.add(name), "'" + name + "' once");
  }

  private boolean isOtherVersion() throws DamagedEntryException {
    String schema = text("schema");
    if (schema.equals(EntryCodec.SCHEMA)) {
      return false;
    }
    require(schema.matches("kcache\\.record/[1-9][0-9]{0,5}"), "the schema of a record");
    return true;
  }

  private CacheEntry entry() throws DamagedEntryException {
    String source = text("source");
    require(!source.isEmpty(), "a source");
    Duration compileTime = Times.duration(text("compileTime"));
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
        Times.instant(text("created")),
        Digest.parse(text("dependencies")));
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
    long number = Long.parseLong(present(numbers.get(name), name));
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
