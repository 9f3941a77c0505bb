// SPDX-License-Identifier: Apache-2.0
package dev.kcache.maven;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the JSON that the command prints into maps, lists and texts. */
final class Document {
  private Document() {}

  /** Returns the fields of a document; none if nothing was printed. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> read(byte[] bytes) throws IOException {
    try (JsonParser json = new JsonFactory().createParser(bytes)) {
      return json.nextToken() == JsonToken.START_OBJECT
          ? (Map<String, Object>) value(json)
          : Map.of();
    }
  }

  private static Object value(JsonParser json) throws IOException {
    if (json.currentToken() == JsonToken.START_OBJECT) {
      Map<String, Object> fields = new LinkedHashMap<>();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        fields.put(name, value(json));
      }
      return fields;
    }
    if (json.currentToken() == JsonToken.START_ARRAY) {
      List<Object> elements = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        elements.add(value(json));
      }
      return elements;
    }
    return json.getText();
  }

  /** Returns the objects of a list; none if it is not there. */
  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> objects(Map<String, Object> of, String name) {
    return (List<Map<String, Object>>) of.getOrDefault(name, List.of());
  }

  /** Returns a text or number as it is written; empty if it is not there. */
  static String text(Map<String, Object> of, String name) {
    return of.getOrDefault(name, "").toString();
  }
}
