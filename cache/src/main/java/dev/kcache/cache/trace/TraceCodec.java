// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.explain.RequestFields;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Language;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The text form of a traced request, as {@code docs/format.md} specifies it. */
final class TraceCodec {
  private static final String SCHEMA = "kcache.traced/1";
  private static final String HIT = "hit";
  private static final String MISS = "miss";

  private static final JsonFactory JSON =
      JsonFactory.builder()
          // The default one keeps its buffers, and this class loader, with the caller's thread.
          .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, List<String>> lists = new HashMap<>();
  private final List<CacheEntry.Input> files = new ArrayList<>();

  private TraceCodec() {}

  static byte[] encode(TracedRequest traced) throws IOException {
    RequestFields fields = traced.fields();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("schema", SCHEMA);
      json.writeStringField("language", fields.language().text());
      json.writeStringField("request", fields.digest().toString());
      json.writeStringField("name", fields.name());
      json.writeStringField("target", fields.target().toString());
      json.writeStringField("outcome", traced.hit() ? HIT : MISS);
      json.writeStringField("mainFile", fields.mainFile());
      json.writeArrayFieldStart("files");
      for (CacheEntry.Input file : fields.inputs()) {
        json.writeStartObject();
        json.writeStringField("path", file.path());
        json.writeStringField("sha256", file.digest().toString());
        json.writeEndObject();
      }
      json.writeEndArray();
      write(json, "includeDirectories", fields.includeDirectories());
      write(json, "options", fields.options());
      write(json, "instantiations", fields.instantiations());
      json.writeEndObject();
    }
    bytes.write('\n');
    return bytes.toByteArray();
  }

  private static void write(JsonGenerator json, String name, List<String> texts)
      throws IOException {
    json.writeFieldName(name);
    json.writeArray(texts.toArray(String[]::new), 0, texts.size());
  }

  /**
   * Returns the request in {@code bytes}.
   *
   * @throws IOException if that is no request of this version; the message is one phrase
   */
  static TracedRequest parse(byte[] bytes) throws IOException {
    TraceCodec codec = new TraceCodec();
    try (JsonParser json = JSON.createParser(bytes)) {
      require(json.nextToken() == JsonToken.START_OBJECT, "an object");
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        codec.readField(json, json.currentName());
      }
      require(json.nextToken() == null, "nothing behind its end");
      return codec.request();
    } catch (JsonProcessingException e) {
      // Jackson's own words say more about Jackson than about the file.
      throw new IOException("is not JSON", e);
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Passes over fields that later versions may add. */
  private void readField(JsonParser json, String name) throws IOException {
    switch (json.nextToken()) {
      case VALUE_STRING -> texts.put(name, json.getText());
      case START_ARRAY -> {
        List<String> list = lists.computeIfAbsent(name, added -> new ArrayList<>());
        while (json.nextToken() != JsonToken.END_ARRAY) {
          if (name.equals("files")) {
            files.add(file(json));
          } else {
            require(json.currentToken() == JsonToken.VALUE_STRING, "texts in " + name);
            list.add(json.getText());
          }
        }
      }
      default -> json.skipChildren();
    }
  }

  private static CacheEntry.Input file(JsonParser json) throws IOException {
    require(json.currentToken() == JsonToken.START_OBJECT, "objects in files");
    Map<String, String> fields = new HashMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      require(json.nextToken() == JsonToken.VALUE_STRING, "texts for a file");
      fields.put(name, json.getText());
    }
    return new CacheEntry.Input(
        present(fields.get("path"), "path"), Digest.parse(present(fields.get("sha256"), "sha256")));
  }

  private TracedRequest request() {
    String schema = text("schema");
    require(schema.equals(SCHEMA), "schema " + SCHEMA + ", not '" + schema + "'");
    String outcome = text("outcome");
    require(outcome.equals(HIT) || outcome.equals(MISS), "outcome hit or miss");
    return new TracedRequest(
        new RequestFields(
            Digest.parse(text("request")),
            Language.of(text("language")),
            text("name"),
            text("mainFile"),
            files,
            list("includeDirectories"),
            list("options"),
            list("instantiations"),
            TargetId.parse(text("target"))),
        outcome.equals(HIT));
  }

  private String text(String name) {
    return present(texts.get(name), name);
  }

  private List<String> list(String name) {
    return present(lists.get(name), name);
  }

  private static <T> T present(@Nullable T value, String name) {
    require(value != null, name);
    return Objects.requireNonNull(value);
  }

  private static void require(boolean holds, String wanted) {
    if (!holds) {
      throw new IllegalArgumentException("it lacks " + wanted);
    }
  }
}
