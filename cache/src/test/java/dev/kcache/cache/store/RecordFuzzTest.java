// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.toolchain.standin.Invariants.require;
import static dev.kcache.toolchain.standin.Invariants.requireMessage;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Any bytes are a record or refused, and what is a record says the same to a parser that is not
 * strict; see {@code scripts/fuzz records}.
 */
class RecordFuzzTest {
  private static final JsonFactory LENIENT = new JsonFactory();

  @DictionaryEntries({
    "\"schema\": \"kcache.record/3\"",
    "kcache.record/4",
    "\"size\": 9223372036854775808",
    "\"codeObjectVersion\": 0",
    "\"compileMillis\": 253402300799999",
    "\"inputs\": [{\"path\": \"",
    "\"sha256\": \"",
    "\"options\": [",
    "\\\\uD83D",
    "\\\\u0022",
    "\\\\n",
    "[[[[[[[[[[[[[[[[",
    "gfx90a:sramecc+:xnack-",
    "sm_90",
    "cuda13.0",
    "-9223372036854775808",
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
    Map<String, Object> fields = lenient(bytes);
    if (parsed.isEmpty()) {
      require(!EntryCodec.SCHEMA.equals(fields.get("schema")), "our own version is read");
      return;
    }
    CacheEntry entry = parsed.get();
    require(fields(entry, fields).equals(fields), () -> "a lenient parser reads " + fields);
    check(entry);
    try {
      require(EntryParser.parse(EntryCodec.encode(entry)).equals(parsed), "it is read as written");
    } catch (DamagedEntryException e) {
      throw new AssertionError("a record can be written", e);
    }
  }

  private static void check(CacheEntry entry) {
    boolean amd = entry.target().processor().platform() == Platform.AMD;
    require(entry.size() >= 1 && entry.size() <= EntryReader.MAX_CODE_OBJECT_BYTES, "a size");
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
    same.put("size", entry.size());
    same.put("codeObjectVersion", (long) entry.codeObjectVersion());
    same.put("request", entry.request().toString());
    same.put("toolchain", entry.toolchain().toString());
    same.put("toolchainFiles", entry.toolchainFiles().toString());
    same.put("compiler", entry.compiler());
    same.put("created", entry.created().toEpochMilli());
    same.put("compileMillis", entry.compileTime().toMillis());
    same.put("inputs", inputs(entry));
    same.put("options", entry.options());
    same.put("command", entry.command());
    same.put("log", entry.log());
    same.put("dependencies", entry.dependencies().toString());
    Object target = fields.get("target");
    boolean sameTarget = TargetId.parse((String) target).equals(entry.target());
    same.put("target", sameTarget ? target : entry.target());
    return same;
  }

  private static List<Object> inputs(CacheEntry entry) {
    List<Object> inputs = new ArrayList<>();
    for (CacheEntry.Input input : entry.inputs()) {
      inputs.add(Map.of("path", input.path(), "sha256", input.digest().toString()));
    }
    return inputs;
  }

  /** Returns the fields as a lenient parser reads them: numbers as they are written, else null. */
  private static Map<String, Object> lenient(byte[] bytes) throws IOException {
    // As text: of bytes, Jackson takes no half of a surrogate pair in a name.
    try (JsonParser json = LENIENT.createParser(new String(bytes, ISO_8859_1))) {
      require(json.nextToken() == JsonToken.START_OBJECT, "a record is an object");
      Map<String, Object> fields = object(json);
      require(json.nextToken() == null, "nothing follows a record");
      return fields;
    }
  }

  private static Map<String, Object> object(JsonParser json) throws IOException {
    Map<String, Object> fields = new HashMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      fields.put(name, value(json, json.nextToken()));
    }
    return fields;
  }

  private static Object value(JsonParser json, JsonToken token) throws IOException {
    if (token == JsonToken.START_ARRAY) {
      List<Object> values = new ArrayList<>();
      for (JsonToken next = json.nextToken();
          next != JsonToken.END_ARRAY;
          next = json.nextToken()) {
        values.add(value(json, next));
      }
      return values;
    }
    if (token == JsonToken.START_OBJECT) {
      return object(json);
    }
    if (token == JsonToken.VALUE_NUMBER_INT) {
      return json.getNumberValue().longValue();
    }
    return token.isScalarValue() && token != JsonToken.VALUE_NULL ? json.getText() : "";
  }
}
