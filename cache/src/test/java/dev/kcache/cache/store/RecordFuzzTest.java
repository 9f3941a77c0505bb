// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.Invariants.require;
import static dev.kcache.cache.Invariants.requireMessage;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.kcache.cache.CacheEntry;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Any bytes are a record or refused, and what is a record says the same to Jackson; see {@code
 * scripts/fuzz records}.
 */
class RecordFuzzTest {
  private static final JsonFactory JACKSON = new JsonFactory();

  @DictionaryEntries({
    "\"schema\": \"kcache.record/2\"",
    "kcache.record/3",
    "\"size\": 9223372036854775808",
    "\"codeObjectVersion\": 0",
    "\"compileTime\": \"PT1M1S\"",
    "\"options\": [",
    "\\\\uD83D",
    "\\\\u0022",
    "\\\\n",
    "[[[[[[[[[[[[[[[[",
    "gfx90a:sramecc+:xnack-",
    "sm_90",
    "cuda13.0",
    "2024-02-29T23:59:60Z",
    "PT59.999999999S",
    "-0.0e-1"
  })
  @FuzzTest
  void parse(byte[] bytes) throws IOException {
    Optional<CacheEntry> parsed;
    try {
      parsed = EntryParser.parse(bytes);
    } catch (DamagedEntryException e) {
      requireMessage(e);
      return;
    }
    Map<String, Object> fields = jackson(bytes);
    if (parsed.isEmpty()) {
      require(!EntryCodec.SCHEMA.equals(fields.get("schema")), "our own version is read");
      return;
    }
    CacheEntry entry = parsed.get();
    require(fields(entry, fields).equals(fields), () -> "Jackson reads " + fields);
    check(entry);
    try {
      require(
          EntryParser.parse(bytes, new SharedTexts()).equals(parsed), "sharing changes nothing");
      require(EntryParser.parse(EntryCodec.encode(entry)).equals(parsed), "it is read as written");
    } catch (DamagedEntryException e) {
      throw new AssertionError("a record can be written", e);
    }
  }

  private static void check(CacheEntry entry) {
    boolean amd = entry.target().processor().platform() == Platform.AMD;
    require(entry.size() >= 1 && entry.size() <= EntryParser.MAX_CODE_OBJECT_BYTES, "a size");
    require((entry.codeObjectVersion() != 0) == amd, "versions are HSA's");
    require(!entry.source().isEmpty() && !entry.compileTime().isNegative(), "a source, a time");
  }

  /** Returns the fields that a record has, with the values of {@code fields} that mean the same. */
  private static Map<String, Object> fields(CacheEntry entry, Map<String, Object> fields) {
    Map<String, Object> same = new HashMap<>(fields);
    same.put("schema", EntryCodec.SCHEMA);
    same.put("source", entry.source());
    same.put("label", entry.label().text());
    same.put("codeObject", entry.codeObject().toString());
    same.put("size", Long.toString(entry.size()));
    same.put("codeObjectVersion", Integer.toString(entry.codeObjectVersion()));
    same.put("request", entry.request().toString());
    same.put("toolchain", entry.toolchain().toString());
    same.put("options", entry.options());
    same.put("command", entry.command());
    same.put("log", entry.log());
    same.put("dependencies", entry.dependencies().toString());
    Object target = fields.get("target");
    boolean sameTarget = TargetId.parse((String) target).equals(entry.target());
    same.put("target", sameTarget ? target : entry.target());
    Object created = fields.get("created");
    boolean sameInstant = Instant.parse((String) created).equals(entry.created());
    same.put("created", sameInstant ? created : entry.created());
    Object time = fields.get("compileTime");
    boolean sameTime = Duration.parse((String) time).equals(entry.compileTime());
    same.put("compileTime", sameTime ? time : entry.compileTime());
    return same;
  }

  /** Returns the fields as Jackson reads them: numbers as they are written, else null. */
  private static Map<String, Object> jackson(byte[] bytes) throws IOException {
    Map<String, Object> fields = new HashMap<>();
    // As text: of bytes, Jackson takes no half of a surrogate pair in a name.
    try (JsonParser json = JACKSON.createParser(new String(bytes, ISO_8859_1))) {
      require(json.nextToken() == JsonToken.START_OBJECT, "a record is an object");
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        fields.put(name, value(json, json.nextToken()));
      }
      require(json.nextToken() == null, "nothing follows a record");
    }
    return fields;
  }

  private static Object value(JsonParser json, JsonToken token) throws IOException {
    if (token == JsonToken.START_ARRAY) {
      List<Object> texts = new ArrayList<>();
      for (JsonToken next = json.nextToken();
          next != JsonToken.END_ARRAY;
          next = json.nextToken()) {
        texts.add(value(json, next));
      }
      return texts;
    }
    if (token.isStructStart()) {
      json.skipChildren();
    }
    return token.isScalarValue() && token != JsonToken.VALUE_NULL ? json.getText() : "";
  }
}
