// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What cargo compiled and ran on this machine for a crate: the libraries of procedural macros, and
 * what build scripts asked for. Read from the messages that cargo prints as JSON.
 */
final class HostOutputs {
  /** Those of a crate that runs nothing. */
  static final HostOutputs NONE = new HostOutputs();

  private static final JsonFactory JSON = new JsonFactory();
  private static final String DIRECTORY = "/" + RustDialect.TRIPLE + "/";

  private final Map<String, Script> scripts = new HashMap<>();
  private final Map<Macro, String> macros = new HashMap<>();

  private HostOutputs() {}

  /**
   * What a build script asked for.
   *
   * @param conditions for {@code --cfg}
   * @param variables for {@code env!}
   * @param directory its {@code OUT_DIR}
   * @param libraries of this machine to link with
   */
  record Script(
      List<String> conditions,
      Map<String, String> variables,
      String directory,
      List<String> libraries) {
    /** Copies the lists. */
    Script {
      conditions = List.copyOf(conditions);
      variables = Map.copyOf(variables);
      libraries = List.copyOf(libraries);
    }
  }

  /** A package may have its macros compiled with several sets of features. */
  private record Macro(String id, List<String> features) {}

  /** The fields of one message; those that it lacks are empty. */
  private static final class Message {
    private String reason = "";
    private String id = "";
    private String directory = "";
    private List<String> kinds = List.of();
    private List<String> features = List.of();
    private List<String> files = List.of();
    private List<String> conditions = List.of();
    private List<String> libraries = List.of();
    private Map<String, String> variables = Map.of();
  }

  /**
   * Parses the messages, one JSON object after the other.
   *
   * @throws IOException if they are none
   */
  static HostOutputs parse(String messages) throws IOException {
    HostOutputs outputs = new HostOutputs();
    try (JsonParser json = JSON.createParser(messages)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token != JsonToken.START_OBJECT) {
          throw new IOException("it is no list of messages");
        }
        outputs.add(message(json));
      }
    }
    return outputs;
  }

  private void add(Message message) {
    if (message.reason.equals("build-script-executed") && message.directory.contains(DIRECTORY)) {
      scripts.put(
          message.id,
          new Script(message.conditions, message.variables, message.directory, message.libraries));
    } else if (message.reason.equals("compiler-artifact")
        && message.kinds.contains(CrateUnit.MACRO)
        && !message.files.isEmpty()) {
      macros.put(new Macro(message.id, message.features), message.files.get(0));
    }
  }

  /** Returns what the build script of a unit asked for, if it ran. */
  Optional<Script> script(CrateUnit unit) {
    return Optional.ofNullable(scripts.get(unit.id()));
  }

  /** Returns the library of a procedural macro, if it was made. */
  Optional<String> macro(CrateUnit unit) {
    return Optional.ofNullable(macros.get(new Macro(unit.id(), unit.features())));
  }

  private static Message message(JsonParser json) throws IOException {
    Message message = new Message();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "reason" -> message.reason = json.getValueAsString("");
        case "package_id" -> message.id = json.getValueAsString("");
        case "out_dir" -> message.directory = json.getValueAsString("");
        case "target" -> message.kinds = kinds(json);
        case "features" -> message.features = texts(json);
        case "filenames" -> message.files = texts(json);
        case "cfgs" -> message.conditions = texts(json);
        case "linked_libs" -> message.libraries = texts(json);
        case "env" -> message.variables = pairs(json);
        default -> json.skipChildren();
      }
    }
    return message;
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
