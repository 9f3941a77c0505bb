// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import dev.kcache.cache.signing.Revocation.Kind;
import dev.kcache.codeobject.Digest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Reads and writes the file with what is revoked: the lines of its signatures, an empty line, and
 * the signed list, a JSON object in ASCII. A reader takes nothing that it does not know, since what
 * it passed over could be what somebody wanted to revoke.
 */
public final class RevocationCodec {
  /** The most bytes of a file. */
  public static final int MAX_BYTES = 4 << 20;

  private static final String SCHEMA = "kcache.revocations/1";
  private static final long MAX_MILLIS = 253_402_300_799_999L;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(3)
                  .maxNumberLength(19)
                  .maxStringLength(Revocation.LONGEST_TEXT)
                  .maxNameLength(100)
                  .build())
          .build();

  private RevocationCodec() {}

  /** The two parts of a file. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares files
  record Parts(byte[] signature, byte[] list) {}

  /**
   * Takes a file apart.
   *
   * @throws IOException if it is too long, or has no empty line where one has to be
   */
  static Parts parts(byte[] file) throws IOException {
    if (file.length > MAX_BYTES) {
      throw new IOException("more than the " + MAX_BYTES + " bytes that it may have");
    }
    int last = Math.min(file.length, SignatureText.MAX_BYTES + 1);
    for (int i = 1; i < last; i++) {
      if (file[i] == '\n' && file[i - 1] == '\n') {
        return new Parts(Arrays.copyOf(file, i), Arrays.copyOfRange(file, i + 1, file.length));
      }
    }
    throw new IOException("no signatures with an empty line behind them");
  }

  static byte[] join(byte[] signature, byte[] list) throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.write(signature);
    file.write('\n');
    file.write(list);
    if (file.size() > MAX_BYTES) {
      throw new IOException("the list of what is revoked is full: " + file.size() + " bytes");
    }
    return file.toByteArray();
  }

  static byte[] encode(RevocationList list) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("schema", SCHEMA);
      json.writeNumberField("serial", list.serial());
      json.writeArrayFieldStart("entries");
      for (Revocation each : list.entries()) {
        json.writeStartObject();
        json.writeStringField(each.kind().name().toLowerCase(Locale.ROOT), each.what());
        json.writeStringField("reason", each.reason());
        json.writeNumberField("time", each.time().toEpochMilli());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    bytes.write('\n');
    return bytes.toByteArray();
  }

  /**
   * Returns the list in {@code bytes}.
   *
   * @throws IOException if it is anything else, of a later version, or has a field that is unknown
   */
  static RevocationList parse(byte[] bytes) throws IOException {
    for (byte each : bytes) {
      // Jackson would guess another encoding.
      require(each > 0, "ASCII");
    }
    try (JsonParser json = JSON.createParser(bytes)) {
      require(json.nextToken() == JsonToken.START_OBJECT, "an object");
      require(SCHEMA.equals(text(json, "schema")), SCHEMA);
      long serial = number(json, "serial", 1, Long.MAX_VALUE - 1);
      require("entries".equals(json.nextFieldName()), "'entries'");
      require(json.nextToken() == JsonToken.START_ARRAY, "a list");
      List<Revocation> entries = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        entries.add(entry(json));
      }
      require(json.nextToken() == JsonToken.END_OBJECT, "no other field");
      require(json.nextToken() == null, "nothing behind its end");
      return new RevocationList(serial, entries);
    } catch (JsonProcessingException e) {
      throw new IOException("no list: " + e.getOriginalMessage(), e);
    }
  }

  private static Revocation entry(JsonParser json) throws IOException {
    require(json.currentToken() == JsonToken.START_OBJECT, "an entry");
    String name = String.valueOf(json.nextFieldName());
    Kind kind =
        switch (name) {
          case "code" -> Kind.CODE;
          case "source" -> Kind.SOURCE;
          case "toolchain" -> Kind.TOOLCHAIN;
          default -> throw new IOException("no list: expected what is revoked");
        };
    require(json.nextToken() == JsonToken.VALUE_STRING, "a text");
    String what = json.getText();
    if (kind != Kind.SOURCE) {
      try {
        what = Digest.parse(what).toString();
      } catch (IllegalArgumentException e) {
        throw new IOException("no list: expected a digest", e);
      }
    }
    String reason = text(json, "reason");
    long time = number(json, "time", 0, MAX_MILLIS);
    require(json.nextToken() == JsonToken.END_OBJECT, "no other field");
    return new Revocation(kind, what, reason, Instant.ofEpochMilli(time));
  }

  private static String text(JsonParser json, String name) throws IOException {
    require(name.equals(json.nextFieldName()), "'" + name + "'");
    require(json.nextToken() == JsonToken.VALUE_STRING, "a text");
    return json.getText();
  }

  private static long number(JsonParser json, String name, long least, long most)
      throws IOException {
    require(name.equals(json.nextFieldName()), "'" + name + "'");
    require(json.nextToken() == JsonToken.VALUE_NUMBER_INT, "a number");
    long number = json.getLongValue();
    require(number >= least && number <= most, name + " from " + least + " to " + most);
    return number;
  }

  private static void require(boolean condition, String what) throws IOException {
    if (!condition) {
      throw new IOException("no list: expected " + what);
    }
  }
}
