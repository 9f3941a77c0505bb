// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.kcache.codeobject.Digest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The memo's files as JSON: arrays of strings, each file an object of one field that names its kind
 * and version. Anything else decodes to nothing.
 */
final class MemoCodec {
  private static final String DIGESTS = "kcache.files/1";
  private static final String ANSWER = "kcache.answer/1";
  private static final JsonFactory JSON = new JsonFactory();

  private MemoCodec() {}

  static byte[] encodeDigests(Map<String, FileDigests.Known> digests) {
    List<List<String>> rows = new ArrayList<>();
    digests.forEach(
        (path, known) -> rows.add(List.of(path, known.stamp(), known.digest().toString())));
    return encode(DIGESTS, rows);
  }

  static Optional<Map<String, FileDigests.Known>> decodeDigests(byte[] json) {
    return decode(DIGESTS, json).flatMap(MemoCodec::toDigests);
  }

  /** Writes the watched files as rows of two, an empty row, then the lines. */
  static byte[] encodeAnswer(Answer answer) {
    List<List<String>> rows = new ArrayList<>();
    new TreeMap<>(answer.watched()).forEach((path, stamp) -> rows.add(List.of(path, stamp)));
    rows.add(List.of());
    rows.addAll(answer.lines());
    return encode(ANSWER, rows);
  }

  static Optional<Answer> decodeAnswer(byte[] json) {
    return decode(ANSWER, json).flatMap(MemoCodec::toAnswer);
  }

  private static Optional<Map<String, FileDigests.Known>> toDigests(List<List<String>> rows) {
    Map<String, FileDigests.Known> digests = new TreeMap<>();
    try {
      for (List<String> row : rows) {
        digests.put(row.get(0), new FileDigests.Known(row.get(1), Digest.parse(row.get(2))));
      }
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      return Optional.empty();
    }
    return Optional.of(digests);
  }

  private static Optional<Answer> toAnswer(List<List<String>> rows) {
    int end = rows.indexOf(List.of());
    // An answer that depends on nothing would hold for ever.
    if (end < 1 || rows.subList(0, end).stream().anyMatch(row -> row.size() != 2)) {
      return Optional.empty();
    }
    Map<String, String> watched = new TreeMap<>();
    rows.subList(0, end).forEach(row -> watched.put(row.get(0), row.get(1)));
    return Optional.of(new Answer(rows.subList(end + 1, rows.size()), watched, true));
  }

  private static byte[] encode(String kind, List<List<String>> rows) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      json.writeArrayFieldStart(kind);
      for (List<String> row : rows) {
        json.writeStartArray();
        for (String text : row) {
          json.writeString(text);
        }
        json.writeEndArray();
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory does not fail", e);
    }
    return out.toByteArray();
  }

  private static Optional<List<List<String>>> decode(String kind, byte[] bytes) {
    try (JsonParser json = JSON.createParser(bytes)) {
      if (json.nextToken() != JsonToken.START_OBJECT
          || !kind.equals(json.nextFieldName())
          || json.nextToken() != JsonToken.START_ARRAY) {
        return Optional.empty();
      }
      List<List<String>> rows = new ArrayList<>();
      while (json.nextToken() == JsonToken.START_ARRAY) {
        Optional<List<String>> row = row(json);
        if (row.isEmpty()) {
          return Optional.empty();
        }
        rows.add(row.get());
      }
      boolean whole =
          json.currentToken() == JsonToken.END_ARRAY && json.nextToken() == JsonToken.END_OBJECT;
      return whole ? Optional.of(rows) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<List<String>> row(JsonParser json) throws IOException {
    List<String> row = new ArrayList<>();
    for (JsonToken token = json.nextToken();
        token != JsonToken.END_ARRAY;
        token = json.nextToken()) {
      if (token != JsonToken.VALUE_STRING) {
        return Optional.empty();
      }
      row.add(json.getText());
    }
    return Optional.of(row);
  }
}
