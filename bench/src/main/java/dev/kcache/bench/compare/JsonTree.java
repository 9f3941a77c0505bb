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

/** Parses a document of another tool into maps, lists, doubles and text. */
final class JsonTree {
  private JsonTree() {}

  /**
   * Parses a document.
   *
   * @throws IOException if it is malformed
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
