// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.time.DateTimeException;
import java.time.Duration;
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

  /** The value of a field that is not looked at. */
  private static final Object PASSED_OVER = new Object();

  /** More than there are fields. */
  private static final int PLACES = 64;

  private final Map<String, Object> values = new HashMap<>(PLACES);
  private final @Nullable SharedTexts sharing;

  /** A number, as it is written. */
  private record Numeral(String text) {}

  /** A list of texts. */
  private record Texts(List<String> list) {}

  private EntryParser(@Nullable SharedTexts sharing) {
    this.sharing = sharing;
  }

  /**
   * Returns the record in {@code bytes}, or nothing if it is of another schema version, which some
   * other version of this library can read.
   *
   * @throws DamagedEntryException if it is no record, or a field is missing, of the wrong type or
   *     out of range
   */
  static Optional<CacheEntry> parse(byte[] bytes) throws DamagedEntryException {
    return parse(bytes, null);
  }

  /**
   * As {@link #parse(byte[])}.
   *
   * @param sharing what to take each text from that other records may have as well, if not null
   */
  static Optional<CacheEntry> parse(byte[] bytes, @Nullable SharedTexts sharing)
      throws DamagedEntryException {
    if (bytes.length > EntryCodec.MAX_BYTES) {
      throw new DamagedEntryException("a record of more than " + EntryCodec.MAX_BYTES + " bytes");
    }
    EntryParser parser = new EntryParser(sharing);
    try {
      parser.readObject(new JsonReader(bytes));
      return parser.isOtherVersion() ? Optional.empty() : Optional.of(parser.entry());
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new DamagedEntryException("not a record: " + e.getMessage(), e);
    }
  }

  private void readObject(JsonReader json) throws DamagedEntryException {
    json.enter('{');
    while (json.hasNext('}')) {
      String name = json.name();
      Object value =
          switch (json.peek()) {
            case '"' -> json.string();
            case '[' -> readArray(json, name);
            case '{', 't', 'f', 'n' -> passedOver(json);
            default -> new Numeral(json.number());
          };
      if (values.putIfAbsent(name, value) != null) {
        throw new DamagedEntryException("not a record: expected '" + name + "' once");
      }
    }
    json.end();
  }

  private Object readArray(JsonReader json, String name) throws DamagedEntryException {
    return name.equals("options") || name.equals("command") ? readTexts(json) : passedOver(json);
  }

  private String shared(String text) {
    return sharing == null ? text : sharing.share(text);
  }

  private static Object passedOver(JsonReader json) throws DamagedEntryException {
    json.skip();
    return PASSED_OVER;
  }

  private Texts readTexts(JsonReader json) throws DamagedEntryException {
    List<String> texts = new ArrayList<>();
    json.enter('[');
    while (json.hasNext(']')) {
      texts.add(shared(json.string()));
    }
    return new Texts(texts);
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
    TargetId target = TargetId.parse(shared(text("target")));
    return new CacheEntry(
        Digest.parse(text("codeObject")),
        number("size", 1, MAX_CODE_OBJECT_BYTES),
        codeObjectVersion(target.processor().platform()),
        source,
        target,
        new ToolchainLabel(shared(text("label"))),
        Digest.parse(text("request")),
        Digest.parse(shared(text("toolchain"))),
        texts("options"),
        texts("command"),
        shared(text("log")),
        compileTime,
        Times.instant(text("created")),
        Digest.parse(shared(text("dependencies"))));
  }

  private String text(String name) throws DamagedEntryException {
    if (values.get(name) instanceof String text) {
      return text;
    }
    throw missing(name);
  }

  private List<String> texts(String name) throws DamagedEntryException {
    if (values.get(name) instanceof Texts texts) {
      return texts.list();
    }
    throw missing(name);
  }

  /** NVIDIA's formats have none. */
  private int codeObjectVersion(Platform platform) throws DamagedEntryException {
    return platform == Platform.AMD
        ? (int) number("codeObjectVersion", 2, 255)
        : (int) number("codeObjectVersion", 0, 0);
  }

  private long number(String name, long least, long most) throws DamagedEntryException {
    if (!(values.get(name) instanceof Numeral written)) {
      throw missing(name);
    }
    long number = Long.parseLong(written.text());
    require(number >= least && number <= most, name + " from " + least + " to " + most);
    return number;
  }

  private static DamagedEntryException missing(String name) {
    return new DamagedEntryException("not a record: it has no proper '" + name + "'");
  }

  private static void require(boolean condition, String what) throws DamagedEntryException {
    if (!condition) {
      throw new DamagedEntryException("not a record: expected " + what);
    }
  }
}
