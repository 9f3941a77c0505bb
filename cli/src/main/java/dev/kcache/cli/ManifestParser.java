// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a manifest that somebody wrote, as {@code docs/format.md} specifies it. Every mistake is an
 * {@link IllegalArgumentException} whose line begins with file, line and column.
 */
final class ManifestParser {
  private static final String SCHEMA = "kcache.manifest/1";

  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private final Path file;
  private final JsonParser json;

  private ManifestParser(Path file, JsonParser json) {
    this.file = file;
    this.json = json;
  }

  /** A text with where it stands. */
  record Placed(String value, String place) {
    IllegalArgumentException wrong(String problem) {
      return new IllegalArgumentException(place + problem);
    }
  }

  /** What a manifest says of one kernel; an empty list where it says nothing. */
  record Kernel(
      Placed source,
      List<Placed> include,
      Map<Placed, Placed> headers,
      List<Placed> options,
      List<Placed> instantiate,
      boolean allowsBuildScripts,
      List<Placed> targets) {}

  /** Returns the kernels, each with its own targets or else those of the manifest. */
  static List<Kernel> parse(Path file) {
    try (JsonParser json = JSON.createParser(Files.readAllBytes(file))) {
      return new ManifestParser(file, json).kernels();
    } catch (JsonProcessingException e) {
      String problem = e.getOriginalMessage();
      throw new IllegalArgumentException(
          place(file, e.getLocation())
              + (problem.startsWith("Unexpected end-of-input")
                  ? "the manifest ends too early; write what is missing"
                  : firstSentence(problem) + "; correct it"),
          e);
    } catch (IOException e) {
      throw new IllegalArgumentException("manifest '" + file + "' cannot be read: " + e, e);
    }
  }

  /** What follows tells of Jackson's features. */
  private static String firstSentence(String message) {
    return message.split("[:(]? at \\[Source|: (?=maybe)|\n", 2)[0];
  }

  private static String place(Path file, @Nullable JsonLocation location) {
    return location == null
        ? file + ": "
        : "%s:%d:%d: ".formatted(file, location.getLineNr(), location.getColumnNr());
  }

  private String here() {
    return place(file, json.currentTokenLocation());
  }

  private IllegalArgumentException wrong(String problem) {
    return new IllegalArgumentException(here() + problem);
  }

  private List<Kernel> kernels() throws IOException {
    Placed schema = null;
    List<Kernel> kernels = new ArrayList<>();
    List<Placed> targets = List.of();
    next(JsonToken.START_OBJECT, "a manifest is a JSON object");
    String begin = here();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      switch (json.currentName()) {
        case "$schema" -> text();
        case "schema" -> schema = text();
        case "targets" -> targets = texts();
        case "kernels" -> {
          next(JsonToken.START_ARRAY, "'kernels' is a list");
          while (json.nextToken() != JsonToken.END_ARRAY) {
            kernels.add(kernel());
          }
        }
        default -> throw unknown("schema, targets and kernels");
      }
    }
    if (json.nextToken() != null) {
      throw wrong("something follows the manifest; remove it");
    }
    if (schema == null) {
      throw new IllegalArgumentException(begin + "add \"schema\": \"" + SCHEMA + "\"");
    }
    if (!schema.value().equals(SCHEMA)) {
      throw schema.wrong("schema '" + schema.value() + "' is unknown; use " + SCHEMA);
    }
    if (kernels.isEmpty()) {
      throw new IllegalArgumentException(begin + "there is no kernel; list them in 'kernels'");
    }
    List<Placed> others = targets;
    return kernels.stream()
        .map(each -> each.targets().isEmpty() ? withTargets(each, others) : each)
        .toList();
  }

  private static Kernel withTargets(Kernel kernel, List<Placed> targets) {
    return new Kernel(
        kernel.source(),
        kernel.include(),
        kernel.headers(),
        kernel.options(),
        kernel.instantiate(),
        kernel.allowsBuildScripts(),
        targets);
  }

  private Kernel kernel() throws IOException {
    require(JsonToken.START_OBJECT, "a kernel is an object with a 'source'");
    String begin = here();
    Placed source = null;
    List<Placed> include = List.of();
    Map<Placed, Placed> headers = Map.of();
    List<Placed> options = List.of();
    List<Placed> instantiate = List.of();
    boolean allowsBuildScripts = false;
    List<Placed> targets = List.of();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      switch (json.currentName()) {
        case "source" -> source = text();
        case "include" -> include = texts();
        case "headers" -> headers = headers();
        case "options" -> options = texts();
        case "instantiate" -> instantiate = texts();
        case "allowBuildScripts" -> allowsBuildScripts = decision();
        case "targets" -> targets = texts();
        default ->
            throw unknown(
                "source, include, headers, options, instantiate, allowBuildScripts and targets");
      }
    }
    if (source == null) {
      throw new IllegalArgumentException(begin + "the kernel has no 'source'; name its file");
    }
    return new Kernel(source, include, headers, options, instantiate, allowsBuildScripts, targets);
  }

  private boolean decision() throws IOException {
    JsonToken value = json.nextToken();
    if (value != JsonToken.VALUE_TRUE && value != JsonToken.VALUE_FALSE) {
      throw wrong("'" + json.currentName() + "' is true or false");
    }
    return value == JsonToken.VALUE_TRUE;
  }

  private Map<Placed, Placed> headers() throws IOException {
    next(JsonToken.START_OBJECT, "'headers' is an object with a file for each name");
    Map<Placed, Placed> headers = new LinkedHashMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      headers.put(new Placed(json.currentName(), here()), text());
    }
    return headers;
  }

  private List<Placed> texts() throws IOException {
    String name = json.currentName();
    next(JsonToken.START_ARRAY, "'" + name + "' is a list of texts");
    List<Placed> texts = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(JsonToken.VALUE_STRING, "'" + name + "' is a list of texts");
      texts.add(new Placed(json.getText(), here()));
    }
    return texts;
  }

  private Placed text() throws IOException {
    next(JsonToken.VALUE_STRING, "'" + json.currentName() + "' is a text in quotes");
    return new Placed(json.getText(), here());
  }

  private void next(JsonToken wanted, String rule) throws IOException {
    json.nextToken();
    require(wanted, rule);
  }

  private void require(JsonToken wanted, String rule) {
    if (json.currentToken() != wanted) {
      throw wrong(rule);
    }
  }

  private IllegalArgumentException unknown(String known) throws IOException {
    return wrong("field '" + json.currentName() + "' is unknown; use " + known);
  }
}
