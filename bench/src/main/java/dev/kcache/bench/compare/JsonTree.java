// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a document that another tool wrote: maps, lists, numbers as doubles, all else as text. */
final class JsonTree {
  private JsonTree() {}

  /**
   * Reads it.
   *
   * @throws IOException if it is none
   */
  static Object read(String document) throws IOException {
    try (JsonParser json = JsonFactory.builder().build().createParser(document)) {
      json.nextToken();
      return value(json);
    }
  }

  private static Object value(JsonParser json) throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.START_OBJECT) {
      Map<String, Object> fields = new LinkedHashMap<>();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        json.nextToken();
        fields.put(name, value(json));
      }
      return fields;
    }
    if (token == JsonToken.START_ARRAY) {
      List<Object> elements = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        elements.add(value(json));
      }
      return elements;
    }
    if (token == null) {
      throw new IOException("the document ends too early");
    }
    return token.isNumeric() ? (Object) json.getDoubleValue() : json.getText();
  }
}
