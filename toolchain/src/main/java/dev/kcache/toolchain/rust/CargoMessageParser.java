// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Parses the messages that cargo prints with {@code --message-format=json}. */
final class CargoMessageParser {
  private static final JsonFactory JSON =
      // No buffers, and so no class loader, are kept with the caller's thread.
      JsonFactory.builder().recyclerPool(JsonRecyclerPools.nonRecyclingPool()).build();

  private CargoMessageParser() {}

  /**
   * The fields of a message that count here; those that it lacks are empty.
   *
   * @param reason what the message is about
   * @param id the package
   * @param kinds of the crate, such as {@code proc-macro}
   * @param features that the package is compiled with
   * @param files that were made
   * @param script what a build script asked for
   */
  record Message(
      String reason,
      String id,
      List<String> kinds,
      List<String> features,
      List<String> files,
      HostOutputs.Script script) {}

  /**
   * Returns the messages, one JSON object after the other.
   *
   * @throws IOException if they are none
   */
  static List<Message> parse(String printed) throws IOException {
    List<Message> messages = new ArrayList<>();
    try (JsonParser json = JSON.createParser(printed)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token != JsonToken.START_OBJECT) {
          throw new IOException("it is not a list of messages");
        }
        messages.add(message(json));
      }
    }
    return messages;
  }

  private static Message message(JsonParser json) throws IOException {
    String reason = "";
    String id = "";
    String directory = "";
    List<String> kinds = List.of();
    List<String> features = List.of();
    List<String> files = List.of();
    List<String> conditions = List.of();
    List<String> libraries = List.of();
    Map<String, String> variables = Map.of();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "reason" -> reason = json.getValueAsString("");
        case "package_id" -> id = json.getValueAsString("");
        case "out_dir" -> directory = json.getValueAsString("");
        case "target" -> kinds = kinds(json);
        case "features" -> features = texts(json);
        case "filenames" -> files = texts(json);
        case "cfgs" -> conditions = texts(json);
        case "linked_libs" -> libraries = texts(json);
        case "env" -> variables = pairs(json);
        default -> json.skipChildren();
      }
    }
    return new Message(
        reason,
        id,
        kinds,
        features,
        files,
        new HostOutputs.Script(conditions, variables, directory, libraries));
  }

  private static List<String> kinds(JsonParser json) throws IOException {
    List<String> kinds = List.of();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      if (name.equals("kind")) {
        kinds = texts(json);
      } else {
        json.skipChildren();
      }
    }
    return kinds;
  }

  private static Map<String, String> pairs(JsonParser json) throws IOException {
    Map<String, String> pairs = new TreeMap<>();
    while (json.nextToken() == JsonToken.START_ARRAY) {
      List<String> pair = texts(json);
      if (pair.size() != 2) {
        throw new IOException("a variable has no value");
      }
      pairs.put(pair.get(0), pair.get(1));
    }
    return pairs;
  }

  private static List<String> texts(JsonParser json) throws IOException {
    List<String> texts = new ArrayList<>();
    while (json.nextToken() == JsonToken.VALUE_STRING) {
      texts.add(json.getText());
    }
    return texts;
  }
}
