// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads the documents that name the layers of an image. */
final class LayoutParser {
  private static final int MOST_DEPTH = 32;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(MOST_DEPTH).build())
          .build();

  private LayoutParser() {}

  /**
   * What a document names.
   *
   * @param mediaType what it is; empty if the document does not say
   * @param digest the digest of its bytes
   */
  record Descriptor(String mediaType, String digest) {}

  /** Returns the elements of {@code manifests} in an index, or of {@code layers} in a manifest. */
  static List<Descriptor> descriptors(byte[] document) throws IOException {
    try (JsonParser json = FACTORY.createParser(document)) {
      List<Descriptor> all = new ArrayList<>();
      require(json.nextToken(), JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        json.nextToken();
        if (Set.of("manifests", "layers").contains(field)) {
          require(json.currentToken(), JsonToken.START_ARRAY);
          while (json.nextToken() == JsonToken.START_OBJECT) {
            all.add(descriptor(json));
          }
        } else {
          json.skipChildren();
        }
      }
      return all;
    }
  }

  private static Descriptor descriptor(JsonParser json) throws IOException {
    String mediaType = "";
    String digest = "";
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      json.nextToken();
      if (field.equals("mediaType")) {
        mediaType = json.getText();
      } else if (field.equals("digest")) {
        digest = json.getText();
      } else {
        json.skipChildren();
      }
    }
    return new Descriptor(mediaType, digest);
  }

  /** Returns the names of the layers in the {@code manifest.json} of {@code docker save}. */
  static List<String> dockerLayers(byte[] document) throws IOException {
    try (JsonParser json = FACTORY.createParser(document)) {
      List<String> layers = new ArrayList<>();
      require(json.nextToken(), JsonToken.START_ARRAY);
      while (json.nextToken() == JsonToken.START_OBJECT) {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          boolean isList = json.currentName().equals("Layers");
          json.nextToken();
          if (isList) {
            require(json.currentToken(), JsonToken.START_ARRAY);
            while (json.nextToken() == JsonToken.VALUE_STRING) {
              layers.add(json.getText());
            }
          } else {
            json.skipChildren();
          }
        }
      }
      return layers;
    }
  }

  private static void require(JsonToken found, JsonToken wanted) throws IOException {
    if (found != wanted) {
      throw new IOException("no list of layers");
    }
  }
}
